import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openTestServer, type TestDatabase } from '../../testing/postgres.ts';
import { migrateUp, readMigrations, SchemaMismatch } from './migrate.ts';
import { openDatabaseServer, requireSchema } from './open.ts';
import { families, logins, type Passwords, scramVerifier } from './roles.ts';

const at = (url: string, database: string): string => {
  const address = new URL(url);
  address.pathname = `/${database}`;
  return address.href;
};

async function withClient<T>(url: string, work: (client: Client) => Promise<T>): Promise<T> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}
const ask = async (url: string, query: string, values: unknown[] = []) =>
  withClient(url, async (client) => (await client.query(query, values)).rows);

/** One server for the file: roles belong to a whole server, and these tests change their passwords. */
let host: TestDatabase;
beforeAll(async () => {
  host = await openTestServer();
});
afterAll(() => host.close());

describe('openDatabaseServer', () => {
  const passwords = (word: string) =>
    Object.fromEntries(logins.map((login) => [login, `${login} ${word}`])) as Passwords;
  const whoAmI = (url: string) => ask(url, 'select session_user::text as who, current_database()::text as at');

  it('may be called again and by several at once, and all of them work', async () => {
    const open = () =>
      openDatabaseServer({ kind: 'url', adminUrl: host.url, database: 'together', passwords: passwords("o'clock?&#") });
    const servers = await Promise.all([open(), open(), open()]);
    const later = await open();
    expect(servers.map(({ migrated }) => migrated.length).toSorted((a, b) => a - b)).toEqual([
      0,
      0,
      (await readMigrations()).length,
    ]);
    expect(later.migrated).toEqual([]);
    for (const server of [...servers, later]) {
      expect(await whoAmI(server.urlFor('gpuaas_relay'))).toEqual([{ who: 'gpuaas_relay', at: 'together' }]);
      await server.close();
    }
  });

  it('refuses to take away the passwords of another run', async () => {
    const config = { kind: 'url', adminUrl: host.url, database: 'claimed' } as const;
    const first = await openDatabaseServer(config);
    const given = { ...config, passwords: passwords('given') };
    await expect(openDatabaseServer(config)).rejects.toThrow('Another process is using the logins');
    await expect(openDatabaseServer(given)).rejects.toThrow('Another process is using the logins');
    expect(await whoAmI(first.urlFor('gpuaas_api'))).toHaveLength(1);
    await first.close();
    const second = await openDatabaseServer(given);
    await expect(openDatabaseServer(config)).rejects.toThrow('Another process is using the logins');
    await second.close();
    await (await openDatabaseServer(config)).close();
  });

  it('moves into a database that an administrator made for it', async () => {
    await ask(host.url, 'create database prepared');
    const server = await openDatabaseServer({ kind: 'url', adminUrl: at(host.url, 'prepared'), database: 'prepared' });
    expect(await whoAmI(server.urlFor('gpuaas_api'))).toEqual([{ who: 'gpuaas_api', at: 'prepared' }]);
    await server.close();
  });

  it('refuses a database whose tables are somebody else’s, and says which', async () => {
    await ask(host.url, 'create database strange');
    await ask(at(host.url, 'strange'), 'create table theirs ()');
    await expect(openDatabaseServer({ kind: 'url', adminUrl: host.url, database: 'strange' })).rejects.toThrow(
      'the table theirs belongs to postgres, not to gpuaas_owner',
    );
  });

  it('refuses a role of ours that somebody made mighty', async () => {
    await ask(host.url, 'alter role gpuaas_worker bypassrls');
    try {
      await expect(openDatabaseServer({ kind: 'url', adminUrl: host.url })).rejects.toThrow(
        'may do more than they should: gpuaas_worker',
      );
    } finally {
      await ask(host.url, 'alter role gpuaas_worker nobypassrls');
    }
  });

  it('is set up by an administrator who may create roles and databases and nothing else', async () => {
    const other = await openTestServer();
    try {
      await ask(other.url, `create role dba login createdb createrole password 'of the dba'`);
      const adminUrl = new URL(other.url);
      adminUrl.username = 'dba';
      adminUrl.password = encodeURIComponent('of the dba');
      const server = await openDatabaseServer({ kind: 'url', adminUrl: adminUrl.href });
      expect(await whoAmI(server.urlFor('gpuaas_bus'))).toEqual([{ who: 'gpuaas_bus', at: 'gpuaas' }]);
      await server.close();
    } finally {
      await other.close();
    }
  });

  it('says where the data are without saying a secret', async () => {
    const server = await openDatabaseServer({ kind: 'url', adminUrl: host.url, database: 'told' });
    const secret = decodeURIComponent(new URL(host.url).password);
    expect(server.describe()).toMatch(/^PostgreSQL 18\.\d+ at .*, database told$/);
    expect(server.describe()).not.toContain(secret);
    await server.close();
  });

  it('keeps the passwords of a data directory to itself, and the same ones for ever', async () => {
    const dataDir = await mkdtemp(join(tmpdir(), 'gpuaas-open-'));
    try {
      const first = await openDatabaseServer({ kind: 'embedded', dataDir, ephemeral: true });
      const urls = logins.map((login) => first.urlFor(login));
      const kept: unknown = JSON.parse(await readFile(join(dataDir, 'logins.json'), 'utf8'));
      expect(Object.keys(kept as object).toSorted()).toEqual([...logins].toSorted());
      expect((await stat(join(dataDir, 'logins.json'))).mode & 0o777).toBe(0o600);
      expect(first.migrated).not.toEqual([]);
      expect(first.describe()).toContain(dataDir);
      for (const login of logins) {
        expect(await whoAmI(first.urlFor(login))).toEqual([{ who: login, at: 'gpuaas' }]);
      }
      await first.close();
      const second = await openDatabaseServer({ kind: 'embedded', dataDir, ephemeral: true });
      expect(second.migrated).toEqual([]);
      expect(logins.map((login) => second.urlFor(login))).toEqual(urls);
      expect(await whoAmI(second.urlFor('gpuaas_api'))).toHaveLength(1);
      await second.close();
    } finally {
      await rm(dataDir, { recursive: true, force: true });
    }
  });
});

describe('requireSchema', () => {
  it('is content with the schema of this program, for every family, and knows our server from others', async () => {
    const server = await openDatabaseServer({ kind: 'url', adminUrl: host.url, database: 'right' });
    const ours = { name: 'embedded', kind: 'embedded' };
    for (const family of families) expect(await requireSchema(server.urlFor(family))).toEqual(ours);
    await server.close();
  });

  it('refuses an older and a newer schema, and one with other contents', async () => {
    const server = await openDatabaseServer({ kind: 'url', adminUrl: host.url, database: 'wrong' });
    const known = await readMigrations();
    const next = { number: known.length + 1, name: 'next', up: '', down: '', checksum: 'x' };
    const url = server.urlFor('gpuaas_api');
    await expect(requireSchema(url, [...known, next])).rejects.toThrow(/needs \d+ \(next is next\)\. Run "node server/);
    await expect(requireSchema(url, known.slice(0, -1))).rejects.toThrow('which this release does not know');
    await expect(
      requireSchema(
        url,
        known.map((one) => ({ ...one, checksum: 'y' })),
      ),
    ).rejects.toThrow(SchemaMismatch);
    await server.close();
  });

  it('refuses an empty database, and says what to run', async () => {
    await ask(host.url, 'create database bare');
    await expect(requireSchema(at(host.url, 'bare'))).rejects.toThrow('The database is at migration 0');
    await migrateUp(at(host.url, 'bare'), await readMigrations());
    await expect(requireSchema(at(host.url, 'bare'))).resolves.toBeDefined();
  });
});

it('computes the same verifier as PostgreSQL does', async () => {
  await withClient(host.url, async (client) => {
    await client.query(`create role probe password 'pencil'`);
    const [row] = (await client.query(`select rolpassword from pg_authid where rolname = 'probe'`)).rows;
    const kept = String(row.rolpassword);
    const salt = Buffer.from(/:([^$]+)\$/.exec(kept)?.[1] ?? '', 'base64');
    expect(scramVerifier('pencil', salt)).toBe(kept);
    await client.query('drop role probe');
  });
});
