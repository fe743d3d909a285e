import { randomBytes } from 'node:crypto';
import { chmod, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Client } from 'pg';
import type { AdapterName } from '../adapter.ts';
import { connectSingle } from '../single-connection.ts';
import { codeOf } from './embedded/owner.ts';
import { embeddedClusterName, openEmbeddedPostgres } from './embedded.ts';
import { type Migration, migrateUp, readMigrations, SchemaMismatch } from './migrate.ts';
import {
  becomeOwner,
  ensureDatabase,
  ensureRoles,
  giveLogins,
  handOver,
  type Login,
  logins,
  openDoors,
  ownerRole,
  type Passwords,
} from './roles.ts';

/**
 * A database server with our database on it: roles made, schema migrated, a login for every family of processes. It is
 * the same work for the server that we bring and for one that is already there, and doing it again changes nothing.
 *
 * A production process that has only its own URL does none of this: it calls `requireSchema` and `openPostgres`.
 */
export type DatabaseServerConfig =
  | { readonly kind: 'embedded'; readonly dataDir: string; readonly ephemeral?: boolean }
  | {
      readonly kind: 'url';
      /** A superuser, or a role that may create roles and databases. */
      readonly adminUrl: string;
      readonly database?: string;
      /** Without them the run makes up its own, and has to be the only one. */
      readonly passwords?: Passwords;
    };

export interface DatabaseServer {
  readonly kind: 'embedded' | 'url';
  /** What is applied now that was not before, by name. */
  readonly migrated: readonly string[];
  /** True when a server of an earlier owner still ran on the data. */
  readonly adopted?: boolean;
  /** Resolves when our own server was lost and could not be brought back. */
  readonly lost?: Promise<Error>;
  /** Where the data are, in words that may be logged. */
  describe(): string;
  /** The address for one family. It holds a password. */
  urlFor(login: Login): string;
  close(): Promise<void>;
}

interface Parts {
  readonly log?: (sentence: string) => void;
  readonly migrations?: readonly Migration[];
}

const databaseName = 'gpuaas';
const setUpLock = 7_275_002;
const loginsLock = 7_275_003;
const connectWithinMs = 30_000;
/** Long enough for migrations of another process, short enough to be noticed. */
const turnWithinMs = 10 * 60_000;
const oldestVersion = 150_000;

export async function openDatabaseServer(config: DatabaseServerConfig, parts: Parts = {}): Promise<DatabaseServer> {
  const migrations = parts.migrations ?? (await readMigrations());
  return config.kind === 'embedded' ? openOurs(config, parts, migrations) : openTheirs(config, migrations);
}

async function openOurs(
  config: Extract<DatabaseServerConfig, { kind: 'embedded' }>,
  parts: Parts,
  migrations: readonly Migration[],
): Promise<DatabaseServer> {
  const server = await openEmbeddedPostgres({
    dataDir: config.dataDir,
    ...(config.ephemeral === undefined ? {} : { ephemeral: config.ephemeral }),
    ...(parts.log ? { log: parts.log } : {}),
  });
  try {
    const passwords = await keepPasswords(config.dataDir);
    const adminUrl = server.url('postgres', server.superuserPassword, 'postgres');
    const { version, migrated } = await setUp({ adminUrl, database: databaseName, passwords, migrations });
    return {
      kind: 'embedded',
      migrated,
      adopted: server.adopted,
      lost: server.lost,
      describe: () => `PostgreSQL ${version} in ${config.dataDir}`,
      urlFor: (login) => server.url(login, passwordOf(passwords, login), databaseName),
      close: server.close,
    };
  } catch (error) {
    await server.close();
    throw error;
  }
}

async function openTheirs(
  config: Extract<DatabaseServerConfig, { kind: 'url' }>,
  migrations: readonly Migration[],
): Promise<DatabaseServer> {
  const { adminUrl, database = databaseName } = config;
  // Held as long as we are open: a run that makes up its own passwords would take the logins away from all others.
  const claim = await claimLogins(adminUrl, config.passwords === undefined);
  try {
    const passwords = config.passwords ?? makePasswords();
    const { version, migrated } = await setUp({ adminUrl, database, passwords, migrations });
    const { host } = new URL(adminUrl);
    return {
      kind: 'url',
      migrated,
      describe: () =>
        `PostgreSQL ${version} at ${decodeURIComponent(host) || 'its default address'}, database ${database}`,
      urlFor: (login) => addressOf(adminUrl, { database, user: login, password: passwordOf(passwords, login) }),
      close: () => claim.end(),
    };
  } catch (error) {
    await claim.end();
    throw error;
  }
}

async function setUp(spec: {
  readonly adminUrl: string;
  readonly database: string;
  readonly passwords: Passwords;
  readonly migrations: readonly Migration[];
}): Promise<{ version: string; migrated: string[] }> {
  const { adminUrl, database } = spec;
  const asOwner = addressOf(adminUrl, { database, role: ownerRole });
  return withClient(adminUrl, async (admin) => {
    // Roles belong to the whole server, so all who set up, for whatever database, stand in one line.
    await admin.query('select pg_advisory_lock($1)', [setUpLock]);
    const { rows } = await admin.query<{ number: number; text: string }>(
      `select current_setting('server_version_num')::int as number, current_setting('server_version') as text`,
    );
    const { number, text } = rows[0] ?? { number: 0, text: 'unknown' };
    const version = text.split(' ')[0] ?? text;
    if (number < oldestVersion) throw new Error(`PostgreSQL 15 or newer is needed; this server is ${version}.`);
    await ensureRoles(admin);
    await becomeOwner(admin);
    await ensureDatabase(admin, database, number);
    await withClient(asOwner, async (owner) => {
      await assertOurs(owner, database);
      await openDoors(owner, database);
    });
    await withClient(addressOf(adminUrl, { database }), (client) => handOver(client, database, spec.passwords));
    const migrated = await migrateUp(asOwner, spec.migrations);
    await giveLogins(admin, database, spec.passwords, () => randomBytes(16));
    return { version, migrated };
  });
}

/** Tables that another role made cannot be migrated by the owner, and PostgreSQL's own words for it would not help. */
async function assertOurs(owner: Client, database: string): Promise<void> {
  const { rows } = await owner.query<{ relname: string; role: string }>(
    `select c.relname, pg_get_userbyid(c.relowner) as role from pg_class c
     where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and c.relowner <> $1::regrole
     order by c.relname limit 1`,
    [ownerRole],
  );
  const [found] = rows;
  if (found) {
    throw new Error(
      `In the database ${database} the table ${found.relname} belongs to ${found.role}, not to ${ownerRole}. ` +
        `Hand it over (alter table ... owner to ${ownerRole}), or name a database that is empty.`,
    );
  }
}

/** Those who were given passwords share the logins; one who makes up its own must be alone. */
async function claimLogins(adminUrl: string, alone: boolean): Promise<Client> {
  // If the connection is lost, so is the claim; nothing that works now stops working by that.
  const client = await connect(adminUrl);
  const lock = alone ? 'pg_try_advisory_lock' : 'pg_try_advisory_lock_shared';
  const { rows } = await client.query<{ free: boolean }>(`select ${lock}($1) as free`, [loginsLock]);
  if (rows[0]?.free) return client;
  await client.end();
  throw new Error(
    'Another process is using the logins of this database server, and they have one password each. Stop it, or give all processes the same passwords.',
  );
}

function passwordOf(passwords: Passwords, login: Login): string {
  const password = passwords[login];
  if (password === undefined) throw new Error(`${login} was given no password, so it cannot log in.`);
  return password;
}

function makePasswords(): Passwords {
  return Object.fromEntries(logins.map((login) => [login, randomBytes(24).toString('base64url')])) as Record<
    Login,
    string
  >;
}

/** The passwords of a data directory: made once, readable by us alone. Those of new roles are added. */
async function keepPasswords(dataDir: string): Promise<Passwords> {
  const path = join(dataDir, 'logins.json');
  const kept = await readFile(path, 'utf8').catch((error: unknown) => {
    if (codeOf(error) === 'ENOENT') return '{}';
    throw error;
  });
  const passwords: Passwords = { ...makePasswords(), ...(JSON.parse(kept) as Partial<Passwords>) };
  const text = `${JSON.stringify(passwords, null, 2)}\n`;
  if (text === kept) return passwords;
  const draft = `${path}.draft`;
  await writeFile(draft, text, { mode: 0o600, flush: true });
  await chmod(draft, 0o600);
  await rename(draft, path);
  return passwords;
}

/** The same server under another name, password or role. */
function addressOf(
  url: string,
  change: { readonly database: string; readonly user?: Login; readonly password?: string; readonly role?: string },
): string {
  const address = new URL(url);
  address.pathname = `/${encodeURIComponent(change.database)}`;
  address.searchParams.delete('options');
  if (change.role) address.searchParams.set('options', `-c role=${change.role}`);
  if (change.user !== undefined && change.password !== undefined) {
    // An address without a host (a socket named in the query) has no place for a user in front of it.
    address.searchParams.delete('user');
    address.searchParams.delete('password');
    if (address.hostname === '') {
      address.searchParams.set('user', change.user);
      address.searchParams.set('password', change.password);
    } else {
      address.username = change.user;
      address.password = encodeURIComponent(change.password);
    }
  }
  return address.href;
}

function connect(url: string): Promise<Client> {
  return connectSingle({
    connectionString: url,
    application_name: 'gpuaas set-up',
    connectionTimeoutMillis: connectWithinMs,
    lock_timeout: turnWithinMs,
  });
}

async function withClient<T>(url: string, work: (client: Client) => Promise<T>): Promise<T> {
  const client = await connect(url);
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

/** How an operator brings the schema up to date. */
const migrateCommand = 'node server/src/bin/migrate/main.ts';

/**
 * For a process that did not set the database up itself: throws unless the schema is exactly this program's. Answers which
 * server it is, by what that says of itself.
 */
export async function requireSchema(url: string, known?: readonly Migration[]): Promise<AdapterName> {
  const migrations = known ?? (await readMigrations());
  let adapter: AdapterName = { name: 'postgres', kind: 'production' };
  const applied = await withClient(url, async (client) => {
    const server = await client.query<{ name: string }>(`select current_setting('cluster_name') as name`);
    if (server.rows[0]?.name === embeddedClusterName) adapter = { name: 'embedded', kind: 'embedded' };
    const there = await client.query<{ found: boolean }>(
      `select to_regclass('public.schema_migrations') is not null as found`,
    );
    if (!there.rows[0]?.found) return [];
    const { rows } = await client.query<{ number: number; name: string; checksum: string }>(
      'select number, name, checksum from public.schema_migrations order by number',
    );
    return rows;
  });
  const unknown = applied.find(({ number }) => number > migrations.length);
  if (unknown) {
    throw new SchemaMismatch(
      `The database is at migration ${unknown.number} (${unknown.name}), which this release does not know. Start the release that wrote it, or a newer one.`,
    );
  }
  const missing = migrations[applied.length];
  if (missing) {
    throw new SchemaMismatch(
      `The database is at migration ${applied.length}, and this release needs ${migrations.length} (${missing.name} is next). Run "${migrateCommand}" of this release first.`,
    );
  }
  const edited = applied.find(({ number, checksum }) => migrations[number - 1]?.checksum !== checksum);
  if (edited) {
    throw new SchemaMismatch(
      `Migration ${edited.number} (${edited.name}) was applied with other contents than this release has. Start the release that wrote it.`,
    );
  }
  return adapter;
}
