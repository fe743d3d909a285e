import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { Client, escapeIdentifier } from 'pg';
import { inject } from 'vitest';
import { openEmbeddedPostgres } from '../ports/database/embedded.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** A socket that answers with the superuser's address of the run's one database server. */
    readonly postgresDesk: string;
  }
}

export interface TestDatabase {
  /** The superuser's address of a database that nobody else uses. */
  readonly url: string;
  close(): Promise<void>;
}

export interface TestDatabaseServer extends TestDatabase {
  /** As a crash would end it, with everybody who is connected. It is started again at once. */
  kill(): void;
}

/** A database server in a fresh folder, without syncing to disk. One serves a whole run: see `postgres-setup.ts`. */
export async function openTestServer(): Promise<TestDatabaseServer> {
  const folder = await mkdtemp(join(tmpdir(), 'gpuaas-test-'));
  const server = await openEmbeddedPostgres({ dataDir: folder, ephemeral: true });
  return {
    url: server.url('postgres', server.superuserPassword, 'postgres'),
    kill: () => void process.kill(server.serverPid(), 'SIGKILL'),
    close: async () => {
      await server.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** An empty database on the run's server. Closing drops it, with whoever is still connected. */
export async function openTestDatabase(): Promise<TestDatabase> {
  return createDatabase('template1');
}

/** A copy of a database, schema and rows, in a fraction of the time that its migrations took. */
export async function cloneTestDatabase(template: Pick<TestDatabase, 'url'>): Promise<TestDatabase> {
  return createDatabase(nameOf(template.url));
}

async function createDatabase(template: string): Promise<TestDatabase> {
  const name = `test_${randomBytes(8).toString('hex')}`;
  // A copy is refused while anybody is connected to its original.
  await asSuperuser(async (client) => {
    await client.query(
      `select pg_terminate_backend(pid) from pg_stat_activity where datname = $1 and datname <> 'template1'`,
      [template],
    );
    await client.query(`create database ${escapeIdentifier(name)} template ${escapeIdentifier(template)}`);
  });
  const url = new URL(await serverUrl());
  url.pathname = `/${name}`;
  return {
    url: url.href,
    close: () =>
      asSuperuser(async (client) => {
        await client.query(`drop database if exists ${escapeIdentifier(name)} with (force)`);
      }),
  };
}

async function asSuperuser(work: (client: Client) => Promise<void>): Promise<void> {
  const client = new Client({ connectionString: await serverUrl() });
  await client.connect();
  try {
    await work(client);
  } finally {
    await client.end();
  }
}

let address: Promise<string> | undefined;

function serverUrl(): Promise<string> {
  address ??= text(connect(inject('postgresDesk'))).then((answer) => {
    if (answer.startsWith('postgres://')) return answer;
    throw new Error(`The run's database server did not start: ${answer}`);
  });
  return address;
}

function nameOf(url: string): string {
  return decodeURIComponent(new URL(url).pathname.slice(1));
}
