import { edges, type MachineTable } from '@gpuaas/contract';
import { edgesSql } from '../emit/machines.ts';
import type { Catalog } from '../emit/schema-dump.ts';
import { unplacedNames } from './placed-names.ts';
import { readList } from './ratchet.ts';

/**
 * What must be true of every table, role and function, asked of the catalog of a live database that has just been
 * migrated. A new table meets these laws on the day it is written.
 */
export interface SchemaLaw {
  /** A sentence that stays true. */
  readonly name: string;
  /** One sentence for each place where it is not. */
  find(client: Catalog, machines: readonly MachineTable[]): Promise<string[]>;
}

/** Tables that no act writes. A table that needs no entry is reported. */
const plumbing = readList('tables-without-acts');

const findings = async (client: Catalog, query: string, values: unknown[] = []): Promise<string[]> =>
  ((await client.query(query, values)).rows as { finding: string }[]).map(({ finding }) => finding).sort();

/** The bits of `pg_trigger.tgtype`. */
const [row, before, insert, remove, update, truncate] = [1, 2, 4, 8, 16, 32];

/** The tables on which a guard stands whole: enabled, without a condition, for every operation that it must see. */
async function guarded(client: Catalog, guard: string, bits: number, deferred: boolean): Promise<Set<string>> {
  const { rows } = await client.query(
    `select t.tgrelid::regclass::text as table from pg_trigger t
     where t.tgfoid = to_regproc($1) and t.tgtype & 127 = $2 and t.tgenabled in ('O', 'A') and t.tgqual is null
       and cardinality(t.tgattr::int2[]) = 0 and t.tginitdeferred = $3`,
    [`public.${guard}`, bits, deferred],
  );
  return new Set((rows as { table: string }[]).map(({ table }) => table));
}

async function tablesWith(client: Catalog, columns: readonly string[]): Promise<string[]> {
  const { rows } = await client.query(
    `select c.oid::regclass::text as table from pg_class c
     where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and (
       select count(*) from pg_attribute a where a.attrelid = c.oid and a.attname = any ($1) and not a.attisdropped
     ) = cardinality($1::text[]) order by 1`,
    [columns],
  );
  return (rows as { table: string }[]).map(({ table }) => table);
}

const tenantWall: SchemaLaw = {
  name: 'a table with organization_id has row-level security and a policy',
  find: (client) =>
    findings(
      client,
      `select case when not c.relrowsecurity
         then format('%s has organization_id but no row-level security: alter table %1$s enable row level security', c.relname)
         else format('%s has row-level security but no policy, so nobody sees a row of it', c.relname) end as finding
       from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attname = 'organization_id' and not a.attisdropped
       where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p')
         and not (c.relrowsecurity and exists (select from pg_policy p where p.polrelid = c.oid))`,
    ),
};

const actAndAudit: SchemaLaw = {
  name: 'a table is written inside an act that leaves an audit row',
  async find(client) {
    const act = await guarded(client, 'guard_act', before + insert + remove + update + truncate, false);
    const audit = await guarded(client, 'guard_audit', row + insert + remove + update, true);
    const tables = await tablesWith(client, []);
    const bare = tables.flatMap((table) => {
      if (plumbing.has(table)) return [];
      return [
        ...(act.has(table) ? [] : [`${table} has no guard_act for every statement that writes`]),
        ...(audit.has(table) ? [] : [`${table} has no deferred guard_audit for every row that is written`]),
      ];
    });
    const idle = [...plumbing.keys()].flatMap((table) => {
      if (!tables.includes(table)) return [`${table} is on the plumbing list and does not exist`];
      return act.has(table) && audit.has(table) ? [`${table} has both guards: take it off the plumbing list`] : [];
    });
    return [...bare, ...idle];
  },
};

const machineGuard: SchemaLaw = {
  name: 'a table with state and version moves along the edges of its machine',
  async find(client, machines) {
    const on = await guarded(client, 'guard_machine', row + before + insert + update, false);
    const bare = (await tablesWith(client, ['state', 'version']))
      .filter((table) => !on.has(table))
      .map((table) => `${table} has state and version but no guard_machine before insert or update`);
    const { rows } = await client.query(
      `select t.tgrelid::regclass::text as table, rtrim(encode(t.tgargs, 'escape'), '\\0') as machine
       from pg_trigger t where t.tgfoid = to_regproc('public.guard_machine')`,
    );
    const known = new Set(machines.map(({ name }) => name));
    const lost = (rows as { table: string; machine: string }[])
      .filter(({ machine }) => !known.has(machine))
      .map(({ table, machine }) => `${table} is guarded by the machine "${machine}", which the contract does not have`);
    return [...bare, ...lost];
  },
};

const edgesOfContract: SchemaLaw = {
  name: 'machine_edges holds the edges of the contract',
  async find(client, machines) {
    const { rows } = await client.query('select machine, from_state, to_state from machine_edges');
    const show = (machine: string, from: string, to: string) => `${machine}: ${from || '(birth)'} -> ${to}`;
    const found = new Set(
      (rows as { machine: string; from_state: string; to_state: string }[]).map((edge) =>
        show(edge.machine, edge.from_state, edge.to_state),
      ),
    );
    const wanted = new Set(
      machines.flatMap((machine) => [
        show(machine.name, '', machine.initial),
        ...edges(machine).map(({ from, to }) => show(machine.name, from, to)),
      ]),
    );
    const differences = [
      ...[...wanted].filter((edge) => !found.has(edge)).map((edge) => `the database lacks ${edge}`),
      ...[...found].filter((edge) => !wanted.has(edge)).map((edge) => `the contract lacks ${edge}`),
    ].sort();
    if (differences.length === 0) return [];
    return [
      ...differences,
      `write a migration that deletes the rows of the changed machines and inserts their lines of:\n${edgesSql(machines)}`,
    ];
  },
};

const modestRoles: SchemaLaw = {
  name: 'no role of ours is above the rules',
  find: (client) =>
    findings(
      client,
      `select format('%s may %s', rolname, concat_ws(', ', case when rolsuper then 'do everything' end,
         case when rolbypassrls then 'pass row-level security' end, case when rolcreaterole then 'create roles' end,
         case when rolcreatedb then 'create databases' end, case when rolreplication then 'replicate' end)) as finding
       from pg_roles where rolname like 'gpuaas\\_%'
         and (rolsuper or rolbypassrls or rolcreaterole or rolcreatedb or rolreplication)
       union all
       select format('%s is a member of %s and has its rights', m.member::regrole, m.roleid::regrole)
       from pg_auth_members m join pg_roles r on r.oid = m.member where r.rolname like 'gpuaas\\_%'`,
    ),
};

/** What nobody may do by hand. Grants on single columns count, and so do rights by membership. */
const doneByFunctionsAlone: SchemaLaw = {
  name: 'audit rows, events and stored replies are written by functions of the schema alone',
  find: (client) =>
    findings(
      client,
      `select format('%s may %s %s', r.rolname, lower(p.privilege), c.relname) as finding
       from pg_roles r, pg_class c, unnest(array['INSERT', 'UPDATE', 'TRUNCATE']) p (privilege)
       where c.relnamespace = 'public'::regnamespace
         and c.relname in ('audit_logs', 'outbox_events', 'idempotency_records')
         and not r.rolsuper and r.rolname not like 'pg\\_%' and r.oid <> c.relowner
         and case p.privilege when 'TRUNCATE' then has_table_privilege(r.oid, c.oid, p.privilege)
           else has_any_column_privilege(r.oid, c.oid, p.privilege) end`,
    ),
};

const auditOnlyGrows: SchemaLaw = {
  name: 'audit_logs only grows',
  async find(client) {
    const rows = await guarded(client, 'guard_append_only', row + before + remove + update, false);
    const whole = await guarded(client, 'guard_append_only', before + truncate, false);
    return [
      ...(rows.has('audit_logs')
        ? []
        : ['audit_logs can be updated or deleted from: its guard_append_only is missing']),
      ...(whole.has('audit_logs') ? [] : ['audit_logs can be truncated: its guard_truncate is missing']),
      ...(await findings(
        client,
        `select format('%s may %s audit_logs', r.rolname, lower(p.privilege)) as finding
         from pg_roles r, pg_class c, unnest(array['DELETE', 'TRUNCATE', 'TRIGGER']) p (privilege)
         where c.oid = to_regclass('public.audit_logs') and not r.rolsuper and r.rolname not like 'pg\\_%'
           and r.oid <> c.relowner and has_table_privilege(r.oid, c.oid, p.privilege)`,
      )),
    ];
  },
};

const indexedReferences: SchemaLaw = {
  name: 'a foreign key has an index',
  find: (client) =>
    findings(
      client,
      `select format('%s of %s has no index that begins with (%s): removing what it points at would read the whole table',
         n.conname, n.conrelid::regclass, (select string_agg(a.attname, ', ' order by a.attnum) from pg_attribute a
           where a.attrelid = n.conrelid and a.attnum = any (n.conkey))) as finding
       from pg_constraint n join pg_class c on c.oid = n.conrelid
       where n.contype = 'f' and c.relnamespace = 'public'::regnamespace and not exists (
         select from pg_index i join pg_class x on x.oid = i.indexrelid join pg_am m on m.oid = x.relam
         where i.indrelid = n.conrelid and i.indisvalid and i.indpred is null and m.amname = 'btree'
           and (i.indkey::int2[])[0:cardinality(n.conkey) - 1] @> n.conkey
       )`,
    ),
};

/** Bodies in SQL's own words (`return`, `begin atomic`) were bound to what they name when they were made. */
const fixedSearchPath: SchemaLaw = {
  name: 'a function with the rights of its owner looks for names in fixed places',
  async find(client) {
    const { rows } = await client.query(
      `select p.oid::regprocedure::text as function, p.prosrc as source from pg_proc p
       where p.pronamespace = 'public'::regnamespace and p.prosecdef and p.prosqlbody is null
         and not coalesce(p.proconfig, '{}') @> array['search_path=pg_catalog, public, pg_temp'] order by 1`,
    );
    return (rows as { function: string; source: string }[]).flatMap(({ function: name, source }) => {
      const open = unplacedNames(source);
      if (open.length === 0) return [];
      return [
        `${name} is security definer: set its search_path to pg_catalog, public, pg_temp (in that order, or a caller's temporary table is taken for ours), or write the schema before ${open.join(', ')}`,
      ];
    });
  },
};

const closedFunctions: SchemaLaw = {
  name: 'no function is open to everybody',
  find: (client) =>
    findings(
      client,
      `select format('%s may be called by everybody: revoke execute from public', p.oid::regprocedure) as finding
       from pg_proc p, aclexplode(coalesce(p.proacl, acldefault('f', p.proowner))) a
       where p.pronamespace = 'public'::regnamespace and a.grantee = 0 and not exists (
         select from pg_depend d where d.classid = 'pg_proc'::regclass and d.objid = p.oid and d.deptype = 'e'
       )`,
    ),
};

export const schemaLaws = {
  tenantWall,
  actAndAudit,
  machineGuard,
  edgesOfContract,
  modestRoles,
  doneByFunctionsAlone,
  auditOnlyGrows,
  indexedReferences,
  fixedSearchPath,
  closedFunctions,
};
