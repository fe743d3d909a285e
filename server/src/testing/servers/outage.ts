import { Client, escapeIdentifier } from 'pg';

/** Makes one database unreachable and reachable again, while the server and its other databases go on. */
export interface DatabaseOutage {
  begin(): Promise<void>;
  end(): Promise<void>;
}

export function makeDatabaseOutage(databaseUrl: string): DatabaseOutage {
  const url = new URL(databaseUrl);
  const name = decodeURIComponent(url.pathname.slice(1));
  url.pathname = '/postgres';
  const fromOutside = async (work: (client: Client) => Promise<unknown>) => {
    const client = new Client({ connectionString: url.href });
    await client.connect();
    try {
      await work(client);
    } finally {
      await client.end();
    }
  };
  return {
    begin: () =>
      fromOutside(async (client) => {
        await client.query(`alter database ${escapeIdentifier(name)} with allow_connections false`);
        await client.query('select pg_terminate_backend(pid, 5000) from pg_stat_activity where datname = $1', [name]);
      }),
    end: () =>
      fromOutside((client) => client.query(`alter database ${escapeIdentifier(name)} with allow_connections true`)),
  };
}
