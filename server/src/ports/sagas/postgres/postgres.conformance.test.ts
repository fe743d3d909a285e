import { openTestDatabase } from '../../../testing/postgres.ts';
import { sagasConformance } from '../conformance.ts';

sagasConformance('postgres', async () => {
  const database = await openTestDatabase();
  return {
    config: (identity) => ({
      kind: 'postgres',
      url: database.url,
      worker: identity,
      leaseMs: 1_500,
      closeWithinMs: 200,
    }),
    close: () => database.close(),
  };
});
