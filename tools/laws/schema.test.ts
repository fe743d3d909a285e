import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { machines } from '@gpuaas/contract';
import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openTestSchema, type TestSchema } from '../../server/src/testing/schema.ts';
import { dumpSchema } from '../emit/schema-dump.ts';
import { schemaPath } from '../emit/schema-file.ts';
import { root } from '../lib/tree.ts';
import { type SchemaLaw, schemaLaws } from './schema-laws.ts';

let schema: TestSchema;
let client: Client;

beforeAll(async () => {
  schema = await openTestSchema();
  client = new Client({ connectionString: schema.url });
  await client.connect();
});
afterAll(async () => {
  await client.end();
  await schema.close();
});

/** Looks at a schema that somebody broke, and puts it back. */
async function broken<T>(breakage: string, look: () => Promise<T>): Promise<T> {
  await client.query('begin');
  try {
    await client.query(breakage);
    return await look();
  } finally {
    await client.query('rollback');
  }
}

describe('the schema as migrated', () => {
  it.each(Object.values(schemaLaws))('keeps the law: $name', async (law) => {
    expect(await law.find(client, machines)).toEqual([]);
  });

  it('equals db/schema.sql', async () => {
    const committed = readFileSync(join(root, schemaPath), 'utf8');
    const stale = 'db/schema.sql is not what the migrations add up to; run "npm run gen" and commit the result';
    expect(committed, stale).toBe(await dumpSchema(client));
  });
});

/** Every law is seen failing, by name, before anyone believes it. */
const breakages: readonly [law: SchemaLaw, breakage: string, finding: RegExp][] = [
  [
    schemaLaws.tenantWall,
    'alter table projects disable row level security',
    /^projects has organization_id but no row-/,
  ],
  [schemaLaws.tenantWall, 'drop policy reach on departments', /^departments has row-level security but no policy/],
  [schemaLaws.tenantWall, 'create table bare (organization_id uuid)', /^bare has organization_id but no row-level/],
  [schemaLaws.actAndAudit, 'drop trigger guard_act on projects', /^projects has no guard_act/],
  [schemaLaws.actAndAudit, 'drop trigger guard_audit on projects', /^projects has no deferred guard_audit/],
  [schemaLaws.actAndAudit, 'alter table projects disable trigger guard_act', /^projects has no guard_act/],
  [
    schemaLaws.actAndAudit,
    `drop trigger guard_act on projects; create trigger guard_act before insert on projects
     for each statement execute function guard_act()`,
    /^projects has no guard_act/,
  ],
  [
    schemaLaws.actAndAudit,
    `drop trigger guard_audit on projects; create constraint trigger guard_audit after insert or update or delete
     on projects for each row execute function guard_audit()`,
    /^projects has no deferred guard_audit/,
  ],
  [schemaLaws.actAndAudit, 'drop table relay_watermarks', /^relay_watermarks is on the plumbing list/],
  [
    schemaLaws.actAndAudit,
    `create constraint trigger guard_audit after insert or update or delete on consumed_events
     deferrable initially deferred for each row execute function guard_audit()`,
    /^consumed_events has both guards/,
  ],
  [schemaLaws.machineGuard, 'drop trigger guard_machine on projects', /^projects has state and version but no guard/],
  [
    schemaLaws.machineGuard,
    `drop trigger guard_machine on projects; create trigger guard_machine before insert or update on projects
     for each row execute function guard_machine('projekt')`,
    /^projects is guarded by the machine "projekt"/,
  ],
  [
    schemaLaws.edgesOfContract,
    `delete from machine_edges where machine = 'project' and from_state = ''`,
    /^the database lacks project: \(birth\) -> active$/,
  ],
  [
    schemaLaws.edgesOfContract,
    `insert into machine_edges values ('project', 'deleted', 'active')`,
    /^the contract lacks project: deleted -> active$/,
  ],
  [schemaLaws.edgesOfContract, 'delete from machine_edges', /^write a migration that [\s\S]*insert into machine_edges/],
  [schemaLaws.modestRoles, 'alter role gpuaas_worker bypassrls', /^gpuaas_worker may pass row-level security$/],
  [schemaLaws.modestRoles, 'grant pg_write_all_data to gpuaas_worker', /^gpuaas_worker is a member of pg_write_all/],
  [schemaLaws.doneByFunctionsAlone, 'grant insert on audit_logs to gpuaas_api', /^gpuaas_api may insert audit_logs$/],
  [
    schemaLaws.doneByFunctionsAlone,
    'grant update (body) on idempotency_records to gpuaas_api',
    /^gpuaas_api may update idempotency_records$/,
  ],
  [
    schemaLaws.doneByFunctionsAlone,
    'grant insert on outbox_events to public',
    /^gpuaas_relay may insert outbox_events$/,
  ],
  [schemaLaws.auditOnlyGrows, 'drop trigger guard_append_only on audit_logs', /^audit_logs can be updated or deleted/],
  [schemaLaws.auditOnlyGrows, 'drop trigger guard_truncate on audit_logs', /^audit_logs can be truncated/],
  [schemaLaws.auditOnlyGrows, 'grant delete on audit_logs to gpuaas_relay', /^gpuaas_relay may delete audit_logs$/],
  [
    schemaLaws.indexedReferences,
    'drop index projects_organization',
    /^projects_organization_id_fkey of projects has no/,
  ],
  [
    schemaLaws.indexedReferences,
    'drop index tenant_memberships_organization',
    /^tenant_memberships_organization_id_fkey of tenant_memberships/,
  ],
  [
    schemaLaws.fixedSearchPath,
    'alter function act_begin reset search_path',
    /^act_begin\(.*\) is security definer: set its search_path/,
  ],
  [
    schemaLaws.fixedSearchPath,
    'alter function act_begin set search_path = pg_catalog, public',
    /^act_begin\(.*\) is security definer/,
  ],
  [
    schemaLaws.fixedSearchPath,
    'create function f() returns void language plpgsql security definer as $$ begin delete from projects; end $$',
    /^f\(\) is security definer: .* or write the schema before projects$/,
  ],
  [
    schemaLaws.closedFunctions,
    'grant execute on function act_id() to public',
    /^act_id\(\) may be called by everybody/,
  ],
];

describe('a broken schema', () => {
  it.each(breakages.map(([law, breakage, finding]) => ({ law, name: law.name, breakage, finding })))(
    'is reported under "$name" after: $breakage',
    async ({ law, breakage, finding }) => {
      const found = await broken(breakage, () => law.find(client, machines));
      expect(found).toContainEqual(expect.stringMatching(finding));
    },
  );

  it('has been seen for every law', () => {
    expect(new Set(breakages.map(([law]) => law.name))).toEqual(
      new Set(Object.values(schemaLaws).map(({ name }) => name)),
    );
  });
});

describe('the dump', () => {
  it.each([
    ['a column', 'alter table projects add note text'],
    ['a default', `alter table projects alter name set default 'x'`],
    ['a null', 'alter table projects alter name drop not null'],
    ['a check', 'alter table projects drop constraint projects_name_check'],
    ['a foreign key', 'alter table projects drop constraint projects_organization_id_fkey'],
    ['an index', 'drop index projects_organization'],
    ['a trigger', 'drop trigger guard_act on projects'],
    ['a trigger that is off', 'alter table projects disable trigger guard_act'],
    ['row-level security', 'alter table projects disable row level security'],
    ['forced row-level security', 'alter table projects force row level security'],
    ['a policy', 'alter policy reach on projects using (true)'],
    ['a grant on a table', 'revoke select on projects from gpuaas_worker'],
    ['a grant on a column', 'grant update (key) on outbox_events to gpuaas_relay'],
    ['a grant on a function', 'revoke execute on function act_id() from gpuaas_api'],
    ['a grant on the schema', 'grant create on schema public to gpuaas_api'],
    ['the default rights', 'alter default privileges grant execute on functions to public'],
    [
      'the words of a function',
      `create or replace function act_id() returns uuid language sql stable return null::uuid`,
    ],
    ['an edge', `delete from machine_edges where machine = 'project' and from_state = ''`],
    ['a view', 'create view names as select name from projects'],
    ['a type', `create type mood as enum ('calm')`],
    ['a domain', 'create domain amount as bigint check (value >= 0)'],
    ['a sequence', 'create sequence numbers'],
    ['an unlogged table', 'alter table relay_watermarks set unlogged'],
    ['the storage of a table', 'alter table projects set (fillfactor = 70)'],
  ])('shows %s', async (_, change) => {
    const whole = await dumpSchema(client);
    expect(await broken(change, () => dumpSchema(client))).not.toBe(whole);
  });

  it('refuses what it does not know', async () => {
    await expect(broken('create type pair as (a int, b int)', () => dumpSchema(client))).rejects.toThrow(
      'does not know how to show pair',
    );
  });

  it('leaves the search path as it found it', async () => {
    await client.query(`select set_config('search_path', 'pg_catalog, public', false)`);
    await dumpSchema(client);
    expect((await client.query('show search_path')).rows[0].search_path).toBe('pg_catalog, public');
  });
});
