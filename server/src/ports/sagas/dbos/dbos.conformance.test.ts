import { openTestDatabase } from '../../../testing/postgres.ts';
import { sagasConformance } from '../conformance.ts';

sagasConformance('dbos', async () => {
  const database = await openTestDatabase();
  return {
    config: (identity) => ({
      kind: 'dbos',
      url: database.url,
      executorId: identity,
      leaseMs: 1_500,
      closeWithinMs: 200,
    }),
    close: () => database.close(),
  };
});
