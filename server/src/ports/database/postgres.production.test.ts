import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startPostgres } from '../../testing/servers/postgres.ts';
import type { TestServer } from '../../testing/servers/start.ts';
import { databaseConformance } from './conformance.ts';
import { openDatabaseServer } from './open.ts';

const atDatabase = (url: string, database: string): string => {
  const address = new URL(url);
  address.pathname = `/${database}`;
  return address.href;
};

// Set up as an operator would have it set up: the owner migrates, and every family comes with its own password.
databaseConformance('postgres', async () => {
  const postgres = await startPostgres();
  const server = await openDatabaseServer({ kind: 'url', adminUrl: postgres.url });
  return {
    url: atDatabase(postgres.url, 'gpuaas'),
    as: server.urlFor,
    close: async () => {
      await server.close();
      await postgres.close();
    },
  };
});

describe('a PostgreSQL of a distribution', () => {
  let postgres: TestServer;
  beforeAll(async () => {
    postgres = await startPostgres();
  });
  afterAll(() => postgres.close());

  const asAdmin = async <T>(work: (client: Client) => Promise<T>, url = postgres.url): Promise<T> => {
    const client = new Client({ connectionString: url });
    await client.connect();
    try {
      return await work(client);
    } finally {
      await client.end();
    }
  };

  it('is set up by an administrator who is no superuser', async () => {
    await asAdmin((client) => client.query(`create role dba login createdb createrole password 'of-the-dba'`));
    const address = new URL(postgres.url);
    address.username = 'dba';
    address.password = 'of-the-dba';
    const server = await openDatabaseServer({ kind: 'url', adminUrl: address.href, database: 'by_dba' });
    const again = await asAdmin(
      async (client) =>
        (await client.query(`select current_user as who, session_user as really, current_database() as at`)).rows[0],
      server.urlFor('gpuaas_worker'),
    );
    expect(again).toEqual({ who: 'gpuaas_worker', really: 'gpuaas_worker', at: 'by_dba' });
    expect(server.describe()).toMatch(/^PostgreSQL 15\.\d+ at 127\.0\.0\.1:\d+, database by_dba$/);
    await server.close();
  });

  it('sorts text by code point, as the embedded server does', async () => {
    const server = await openDatabaseServer({ kind: 'url', adminUrl: postgres.url, database: 'sorted' });
    const sorted = await asAdmin(
      async (client) =>
        (await client.query(`select string_agg(v, '' order by v) as v from unnest(array['b', 'a', 'B', 'é', '_']) v`))
          .rows[0].v,
      server.urlFor('gpuaas_api'),
    );
    expect(sorted).toBe('B_abé');
    await server.close();
  });
});
