import { createHash, createHmac, pbkdf2Sync } from 'node:crypto';
import { type Client, escapeIdentifier, escapeLiteral } from 'pg';

/**
 * Who may do what in the database.
 *
 * `gpuaas_owner` owns the database and everything that migrations make in it; nobody logs in as it. Each family of
 * processes has a role with the rights that the schema grants it; `db/rights.txt` lists them, and a test tries them all. The keepers are for adapters that have tables of
 * their own in the same database: one role for each schema, which sees nothing of ours and nothing of the others.
 * A process is given the keepers of the ports that it uses and no other, so a stolen relay reads neither letters nor the
 * cache, and a stolen worker neither password hashes nor keys. An installation that uses a server of its own for a port (NATS,
 * Redis, Temporal, a mail server) gives the keeper of that port no password.
 */
export const ownerRole = 'gpuaas_owner';
export const families = [
  'gpuaas_api',
  'gpuaas_worker',
  'gpuaas_relay',
  'gpuaas_mailer',
  'gpuaas_billing',
  'gpuaas_notifier',
  'gpuaas_webhooks',
] as const;
/** The schema of each keeper. It is made for the keeper, so that no other role can take the name first. */
export const keptSchemas = {
  gpuaas_bus: 'bus',
  gpuaas_cache: 'gpuaas_cache',
  gpuaas_sagas: 'gpuaas_sagas',
  gpuaas_inbox: 'gpuaas_mail',
  gpuaas_payments: 'gpuaas_payments',
  gpuaas_issuer: 'gpuaas_oidc',
  gpuaas_authority: 'gpuaas_pki',
} as const;
export type Keeper = keyof typeof keptSchemas;
/** Schemas that earlier versions made for a keeper. Its adapter takes over what is in them and removes them. */
const formerSchemas: Partial<Record<Keeper, readonly string[]>> = { gpuaas_sagas: ['dbos', 'saga_leases'] };
export const keepers = Object.keys(keptSchemas) as readonly Keeper[];
export const logins = [...families, ...keepers] as const;
export type Login = (typeof logins)[number];
/** A keeper without a password cannot log in: its port is carried by another server. */
export type Passwords = Readonly<
  Record<(typeof families)[number], string> & Partial<Record<Keeper, string | undefined>>
>;

/** Another process created it meanwhile, under another lock than ours. */
const alreadyThere = new Set(['42710', '42P04', '23505']);

const tolerate = async (work: Promise<unknown>): Promise<void> => {
  await work.catch((error: unknown) => {
    if (error instanceof Error && 'code' in error && alreadyThere.has(String(error.code))) return;
    throw error;
  });
};

const named = (role: string) => escapeIdentifier(role);

/** Makes the roles that are missing, without a login. Refuses roles that are there and may do too much. */
export async function ensureRoles(admin: Client): Promise<void> {
  const wanted = [ownerRole, ...logins];
  const { rows } = await admin.query<{ rolname: string }>('select rolname from pg_roles where rolname = any ($1)', [
    wanted,
  ]);
  const present = new Set(rows.map((row) => row.rolname));
  for (const role of wanted.filter((name) => !present.has(name))) {
    await tolerate(admin.query(`create role ${named(role)} nologin nosuperuser nocreatedb nocreaterole nobypassrls`));
  }
  const mighty = await admin.query<{ rolname: string }>(
    `select rolname from pg_roles where rolname = any ($1)
       and (rolsuper or rolbypassrls or rolcreaterole or rolcreatedb or rolreplication) order by rolname`,
    [wanted],
  );
  const names = mighty.rows.map((row) => row.rolname).join(', ');
  if (names) {
    throw new Error(
      `These database roles may do more than they should: ${names}. Take superuser, bypassrls, createrole, createdb and replication from them.`,
    );
  }
}

/** An administrator who is no superuser acts as the owner by being a member of it. */
export async function becomeOwner(admin: Client): Promise<void> {
  const { rows } = await admin.query<{ needed: boolean }>(
    `select not rolsuper and not pg_has_role(current_user, $1, 'usage') as needed from pg_roles
     where rolname = current_user`,
    [ownerRole],
  );
  if (rows[0]?.needed) await admin.query(`grant ${named(ownerRole)} to current_user`);
}

/**
 * Text sorts by code point, whatever the machine's own language: the same page of the same list on every server. Older
 * servers take that from the operating system, which calls it by different names.
 */
const locales = (version: number): string[] =>
  version >= 170_000
    ? [`locale_provider builtin builtin_locale 'C.UTF-8' locale 'C'`]
    : [`locale_provider libc lc_collate 'C' lc_ctype 'C.UTF-8'`, `locale_provider libc lc_collate 'C' lc_ctype 'C'`];

/** Creates the database if it is missing, and changes its owner if it is another one. */
export async function ensureDatabase(admin: Client, name: string, version: number): Promise<void> {
  const find = () =>
    admin.query<{ owner: string }>('select pg_get_userbyid(datdba) as owner from pg_database where datname = $1', [
      name,
    ]);
  if ((await find()).rows.length === 0) {
    const attempts = locales(version);
    for (const [index, locale] of attempts.entries()) {
      const create = `create database ${named(name)} owner ${named(ownerRole)} template template0 encoding 'UTF8'`;
      const isLast = index === attempts.length - 1;
      try {
        await tolerate(admin.query(`${create} ${locale}`));
        break;
      } catch (error) {
        const unknownLocale = error instanceof Error && 'code' in error && error.code === '42809';
        if (isLast || !unknownLocale) throw error;
      }
    }
  }
  if ((await find()).rows[0]?.owner !== ownerRole) {
    await admin.query(`alter database ${named(name)} owner to ${named(ownerRole)}`);
  }
}

/**
 * Closes the database to strangers and opens it to the logins. A family may not even make temporary tables: what it
 * finds under a name is the table of the schema.
 */
export async function openDoors(owner: Client, name: string): Promise<void> {
  const all = logins.map(named).join(', ');
  await owner.query(`revoke all on database ${named(name)} from public`);
  await owner.query(`grant connect on database ${named(name)} to ${all}`);
  await owner.query(`grant create, temporary on database ${named(name)} to ${keepers.map(named).join(', ')}`);
}

/** Lets every role log in. The server is sent a verifier, so that no password can end up in its log. */
export async function giveLogins(admin: Client, name: string, passwords: Passwords, salt: () => Buffer): Promise<void> {
  for (const role of logins) {
    const password = passwords[role];
    if (password === undefined) continue;
    const verifier = scramVerifier(password, salt());
    await admin.query(`alter role ${named(role)} login password ${escapeLiteral(verifier)}`);
  }
  // The usual path begins with a schema named like the role, which another keeper could make: its functions would then run
  // with the rights of that role.
  const paths = { public: families, pg_catalog: keepers } as const;
  for (const [path, roles] of Object.entries(paths)) {
    for (const role of roles) {
      await admin.query(`alter role ${named(role)} in database ${named(name)} set search_path = ${path}`);
    }
  }
}

/** The role that had the schemas of all adapters before each had its own. */
const formerKeeper = 'gpuaas_plumbing';
/** Everything in a schema that the former role owns, with the word that changes its owner. The schema comes first. */
const formerlyOwned = `
  select 'schema' as kind, quote_ident(n.nspname) as name from pg_namespace n
    where n.nspname = $1 and pg_get_userbyid(n.nspowner) = $2
  union all
  select case c.relkind when 'v' then 'view' when 'm' then 'materialized view' when 'S' then 'sequence' else 'table' end,
    c.oid::regclass::text from pg_class c
    where c.relnamespace = to_regnamespace($1) and pg_get_userbyid(c.relowner) = $2 and (c.relkind in ('r', 'p', 'v', 'm')
      or (c.relkind = 'S' and not exists (select from pg_depend d where d.objid = c.oid and d.deptype in ('a', 'i'))))
  union all
  select 'routine', p.oid::regprocedure::text from pg_proc p
    where p.pronamespace = to_regnamespace($1) and pg_get_userbyid(p.proowner) = $2
  union all
  select 'type', t.oid::regtype::text from pg_type t
    where t.typnamespace = to_regnamespace($1) and pg_get_userbyid(t.typowner) = $2 and t.typtype in ('e', 'd')`;

/**
 * Gives each keeper its schema: a new one, or that of an older installation with everything in it. Does nothing the second
 * time. The former role keeps nothing and can no longer log in.
 */
export async function handOver(admin: Client, database: string, passwords: Passwords): Promise<void> {
  const { rows: former } = await admin.query('select 1 from pg_roles where rolname = $1', [formerKeeper]);
  for (const keeper of keepers) {
    const schema = keptSchemas[keeper];
    const join = (...roles: string[]) => admin.query(`grant ${roles.map(named).join(', ')} to current_user`);
    for (const made of [schema, ...(formerSchemas[keeper] ?? [])]) {
      const { rows } = await admin.query<{ kind: string; name: string }>(formerlyOwned, [made, formerKeeper]);
      if (rows.length > 0) await join(formerKeeper, keeper);
      for (const { kind, name } of rows) await admin.query(`alter ${kind} ${name} owner to ${named(keeper)}`);
    }
    if (passwords[keeper] === undefined) continue;
    const there = await admin.query('select 1 from pg_namespace where nspname = $1', [schema]);
    if (there.rows.length > 0) continue;
    await join(keeper);
    await tolerate(admin.query(`create schema ${named(schema)} authorization ${named(keeper)}`));
  }
  if (former.length === 0) return;
  await admin.query(`revoke all on database ${named(database)} from ${named(formerKeeper)}`);
  await admin.query(`alter role ${named(formerKeeper)} nologin`);
}

/** What PostgreSQL keeps instead of a password (RFC 5803), as it would have computed it by itself. */
export function scramVerifier(password: string, salt: Buffer, iterations = 4096): string {
  if (!/^[\x20-\x7e]+$/.test(password)) throw new Error('A database password is made of printable ASCII characters.');
  const salted = pbkdf2Sync(password, salt, iterations, 32, 'sha256');
  const keyed = (label: string) => createHmac('sha256', salted).update(label).digest();
  const stored = createHash('sha256').update(keyed('Client Key')).digest('base64');
  return `SCRAM-SHA-256$${iterations}:${salt.toString('base64')}$${stored}:${keyed('Server Key').toString('base64')}`;
}
