import { expect, it } from 'vitest';
import { openTestDatabase } from '../testing/postgres.ts';
import { connectSingle } from './single-connection.ts';

it('a connection that is cut off refuses its statements and leaves the process alive', async () => {
  const database = await openTestDatabase();
  try {
    const victim = await connectSingle({ connectionString: database.url });
    const other = await connectSingle({ connectionString: database.url });
    const { rows } = await victim.query<{ pid: number }>('select pg_backend_pid() as pid');
    const cut = new Promise((resolve) => victim.once('end', resolve));
    await other.query('select pg_terminate_backend($1)', [rows[0]?.pid]);
    await cut;
    await expect(victim.query('select 1')).rejects.toThrow(/connection|terminat|ended|queryable/i);
    await victim.end();
    await other.end();
  } finally {
    await database.close();
  }
});
