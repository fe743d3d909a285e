import { Client } from 'pg';
import type { TestProject } from 'vitest/node';
import { openDesk } from './postgres-desk.ts';
import { oldestPromised, startPostgres } from './servers/postgres.ts';

/** The oldest version that is promised to work, as the distribution brings it. Another one would prove something else. */
export const setup = (project: TestProject): Promise<() => Promise<void>> =>
  openDesk(project, async () => {
    const server = await startPostgres();
    const version = await versionOf(server.url);
    if (version === oldestPromised) return server;
    await server.close();
    throw new Error(`this is PostgreSQL ${version}: install the Debian package postgresql-${oldestPromised}`);
  });

async function versionOf(url: string): Promise<number> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    const { rows } = await client.query<{ number: number }>(
      `select current_setting('server_version_num')::int as number`,
    );
    return Math.floor((rows[0]?.number ?? 0) / 10_000);
  } finally {
    await client.end();
  }
}
