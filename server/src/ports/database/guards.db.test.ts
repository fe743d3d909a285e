import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openTestServer, type TestDatabase } from '../../testing/postgres.ts';
import { type DatabaseServer, openDatabaseServer } from './open.ts';
import { families, handOver, keepers, keptSchemas, logins, type Passwords } from './roles.ts';

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

const [alpha, beta] = ['01900000-0000-7000-8000-00000000000a', '01900000-0000-7000-8000-00000000000b'];
const act = '01900000-0000-7000-8000-0000000000ac';

const begin = (client: Client, reach: string, organization: string | null, id = act) =>
  client.query(`select act_begin($1, 'tester', $2, $3, null, now()::text, null, null, null)`, [
    id,
    reach,
    organization,
  ]);
const end = (client: Client, organization: string | null, id = act) =>
  client.query(
    `select act_commit($1, $2, null, 'tester', 'system', 'system', 'project.create', 'project', 'x', 'success', 'c', '{}',
       null, null, array[gen_random_uuid()::text], array['m'], array['tenancy.x'], array['k'], array['{}'],
       'p', 'r', $1, 'f', 201, 'body', (now() + interval '1 day')::text)`,
    [id, organization],
  );

/** One server for the file: roles belong to a whole server, and these tests change their passwords. */
let host: TestDatabase;
beforeAll(async () => {
  host = await openTestServer();
});
afterAll(() => host.close());

describe('a database that its owner migrated', () => {
  let server: DatabaseServer;
  let root: string;
  beforeAll(async () => {
    server = await openDatabaseServer({ kind: 'url', adminUrl: host.url });
    root = at(host.url, 'gpuaas');
    await withClient(server.urlFor('gpuaas_api'), async (client) => {
      for (const [index, id] of [alpha, beta].entries()) {
        const actId = `01900000-0000-7000-8000-0000000001a${index}`;
        await client.query('begin');
        await begin(client, 'platform', null, actId);
        await client.query(`insert into organizations (id, name, slug) values ($1, 'An organization', $2)`, [
          id,
          `o-${index}`,
        ]);
        await client.query(`insert into projects (id, organization_id, name, slug) values ($1, $1, 'A project', 'p')`, [
          id,
        ]);
        await end(client, id, actId);
        await client.query('commit');
      }
    });
  });
  afterAll(() => server.close());

  it('belongs to a role that nobody logs in as and that is no superuser', async () => {
    const rows = await ask(
      root,
      `select distinct pg_get_userbyid(relowner) as owner from pg_class
       where relnamespace = 'public'::regnamespace and relkind in ('r', 'p')`,
    );
    expect(rows).toEqual([{ owner: 'gpuaas_owner' }]);
    const roles = await ask(
      root,
      `select rolname, rolcanlogin, rolsuper or rolbypassrls or rolcreaterole or rolcreatedb as mighty
       from pg_roles where rolname like 'gpuaas\\_%' order by rolname`,
    );
    expect(roles).toEqual([
      { rolname: 'gpuaas_api', rolcanlogin: true, mighty: false },
      { rolname: 'gpuaas_authority', rolcanlogin: true, mighty: false },
      { rolname: 'gpuaas_billing', rolcanlogin: true, mighty: false },
      { rolname: 'gpuaas_bus', rolcanlogin: true, mighty: false },
      { rolname: 'gpuaas_cache', rolcanlogin: true, mighty: false },
      { rolname: 'gpuaas_inbox', rolcanlogin: true, mighty: false },
      { rolname: 'gpuaas_issuer', rolcanlogin: true, mighty: false },
      { rolname: 'gpuaas_mailer', rolcanlogin: true, mighty: false },
      { rolname: 'gpuaas_notifier', rolcanlogin: true, mighty: false },
      { rolname: 'gpuaas_owner', rolcanlogin: false, mighty: false },
      { rolname: 'gpuaas_payments', rolcanlogin: true, mighty: false },
      { rolname: 'gpuaas_relay', rolcanlogin: true, mighty: false },
      { rolname: 'gpuaas_sagas', rolcanlogin: true, mighty: false },
      { rolname: 'gpuaas_webhooks', rolcanlogin: true, mighty: false },
      { rolname: 'gpuaas_worker', rolcanlogin: true, mighty: false },
    ]);
  });

  it('lets a family leave audit, event and reply through act_commit, although it may insert none of them', async () => {
    const rows = await ask(
      root,
      `select (select count(*) from audit_logs)::int as audits, (select count(*) from outbox_events)::int as events,
         (select count(*) from idempotency_records)::int as replies`,
    );
    expect(rows).toEqual([{ audits: 2, events: 2, replies: 2 }]);
  });

  it.each(
    families.flatMap((family) =>
      ['audit_logs', 'outbox_events', 'idempotency_records'].map((table) => [family, table] as const),
    ),
  )('refuses %s a direct insert into %s', async (family, table) => {
    await expect(ask(server.urlFor(family), `insert into ${table} default values`)).rejects.toMatchObject({
      code: '42501',
    });
  });

  it('shows a family the rows of one organization, and none without one', async () => {
    for (const family of ['gpuaas_api', 'gpuaas_worker'] as const) {
      const seen = (organization: string | null) =>
        withClient(server.urlFor(family), async (client) => {
          await client.query('begin');
          await client.query(`select act_view('tester', 'organization', $1, null, now()::text)`, [organization]);
          const tables = ['organizations', 'projects', 'audit_logs', 'outbox_events'];
          const counts: unknown[] = [];
          for (const table of tables) {
            const column = table === 'organizations' ? 'id' : 'organization_id';
            counts.push((await client.query(`select array_agg(${column}::text) as ids from ${table}`)).rows[0].ids);
          }
          return counts;
        });
      expect(await seen(alpha)).toEqual([[alpha], [alpha], [alpha], [alpha]]);
      expect(await seen(beta)).toEqual([[beta], [beta], [beta], [beta]]);
      expect(await seen(null)).toEqual([null, null, null, null]);
    }
  });

  it('forgets the organization with the transaction, so the next one on the connection sees nothing', async () => {
    await withClient(server.urlFor('gpuaas_api'), async (client) => {
      await client.query('begin');
      await client.query(`select act_view('tester', 'platform', null, null, now()::text)`);
      expect((await client.query('select from projects')).rowCount).toBe(2);
      await client.query('commit');
      expect((await client.query('select from projects')).rowCount).toBe(0);
    });
  });

  it('writes where its functions mean to write, whatever tables of the same name a caller has made', async () => {
    const probe = '01900000-0000-7000-8000-0000000002aa';
    await withClient(root, async (client) => {
      // Families may not make temporary tables at all; here somebody gave them that right.
      await client.query('grant temporary on database gpuaas to gpuaas_api');
    });
    try {
      await withClient(server.urlFor('gpuaas_api'), async (client) => {
        await client.query('create temporary table audit_logs (like public.audit_logs)');
        await client.query('create temporary table machine_edges (like public.machine_edges)');
        await client.query(`insert into machine_edges values ('project', 'active', 'deleted')`);
        await client.query('begin');
        await begin(client, 'platform', null, probe);
        await expect(
          client.query(`update public.projects set state = 'deleted', version = version + 1 where id = $1`, [alpha]),
        ).rejects.toMatchObject({ code: 'GP005' });
        await client.query('rollback');
        await client.query('begin');
        await begin(client, 'platform', null, probe);
        await end(client, alpha, probe);
        await client.query('commit');
        expect((await client.query('select from pg_temp.audit_logs')).rowCount).toBe(0);
      });
      expect(await ask(root, 'select id from audit_logs where id = $1', [probe])).toEqual([{ id: probe }]);
    } finally {
      await ask(root, 'revoke temporary on database gpuaas from gpuaas_api');
    }
  });

  it('does what its functions mean to do, whatever functions and operators stand first in the path of a caller', async () => {
    const probe = '01900000-0000-7000-8000-0000000002ab';
    await ask(
      root,
      `create schema evil;
       create function evil.lure() returns void language plpgsql as 'begin raise exception $m$ lured as % $m$, current_user; end';
       create function evil.set_config(text, text, boolean) returns text language sql as 'select evil.lure()::text';
       create function evil.current_setting(text, boolean) returns text language sql as 'select evil.lure()::text';
       create function evil.same(text, text) returns boolean language sql as 'select evil.lure() is null';
       create operator evil.= (function = evil.same, leftarg = text, rightarg = text);
       create domain evil.uuid as text check (value = 'lured');
       grant usage on schema evil to gpuaas_api; grant execute on all functions in schema evil to gpuaas_api`,
    );
    try {
      await withClient(server.urlFor('gpuaas_api'), async (client) => {
        await client.query('set search_path = evil, pg_catalog, public');
        await expect(client.query(`select 'a'::text = 'b'::text`)).rejects.toThrow('lured as gpuaas_api');
        await client.query('begin');
        await begin(client, 'platform', null, probe);
        await end(client, alpha, probe);
        await client.query('commit');
      });
      expect(await ask(root, 'select id from audit_logs where id = $1', [probe])).toEqual([{ id: probe }]);
    } finally {
      await ask(root, 'drop schema evil cascade');
    }
  });

  it.each(families)('lets %s make neither tables nor schemas', async (family) => {
    for (const attempt of ['create table public.x ()', 'create temporary table x ()', 'create schema x']) {
      await expect(ask(server.urlFor(family), attempt)).rejects.toMatchObject({ code: '42501' });
    }
  });

  it.each(keepers)('gives %s its own schema and nothing of ours', async (keeper) => {
    const url = server.urlFor(keeper);
    await ask(url, `create table ${keptSchemas[keeper]}.things (id int)`);
    for (const table of ['projects', 'audit_logs', 'schema_migrations', 'machine_edges', 'users']) {
      await expect(ask(url, `select from public.${table}`)).rejects.toMatchObject({ code: '42501' });
    }
    await expect(ask(url, `select public.act_view('a', 'platform', null, null, now()::text)`)).rejects.toMatchObject({
      code: '42501',
    });
    await expect(ask(url, 'create table public.x ()')).rejects.toMatchObject({ code: '42501' });
  });

  it.each(keepers)('keeps what %s has from the other keepers and from every family', async (keeper) => {
    const schema = keptSchemas[keeper];
    await ask(server.urlFor(keeper), `create table ${schema}.kept (id int)`);
    for (const other of logins.filter((login) => login !== keeper)) {
      for (const attempt of [`select from ${schema}.kept`, `create table ${schema}.planted ()`]) {
        await expect(ask(server.urlFor(other), attempt), `${other}: ${attempt}`).rejects.toMatchObject({
          code: '42501',
        });
      }
    }
  });

  it.each(keepers)('runs no function of another keeper as %s', async (keeper) => {
    const [thief] = keepers.filter((other) => other !== keeper);
    const planted = server.urlFor(thief ?? keeper);
    // The usual search path begins with a schema that is named like the role.
    if (keptSchemas[keeper] !== keeper) {
      await ask(planted, `create schema ${keeper}; grant usage on schema ${keeper} to public`);
      await ask(
        planted,
        `create function ${keeper}.array_position(bytea[], bytea) returns int language sql as 'select 666'`,
      );
    } else
      await expect(
        ask(planted, `create function ${keeper}.f() returns int language sql as 'select 1'`),
      ).rejects.toMatchObject({ code: '42501' });
    const [found] = await ask(
      server.urlFor(keeper),
      `select array_position(array['\\x01']::bytea[], '\\x01'::bytea) as at`,
    );
    expect(found).toEqual({ at: 1 });
  });

  it('takes no table of a keeper for one of ours, even in a schema named like the role', async () => {
    const url = server.urlFor('gpuaas_bus');
    await ask(url, 'create schema gpuaas_api');
    await ask(url, 'create table gpuaas_api.projects (id int); grant usage on schema gpuaas_api to gpuaas_api');
    const [found] = await ask(
      server.urlFor('gpuaas_api'),
      `select 'projects'::regclass = 'public.projects'::regclass as ours`,
    );
    expect(found).toEqual({ ours: true });
  });

  it('gives the schemas of the former common role to their keepers, and closes its login', async () => {
    await ask(
      root,
      `create role gpuaas_plumbing login password 'x'; grant create on database gpuaas to gpuaas_plumbing`,
    );
    await ask(root, 'drop schema bus cascade; set role gpuaas_plumbing; create schema bus; reset role');
    const made = `create type bus.colour as enum ('red'); create table bus.job (id serial, state bus.colour)
      partition by list (state); create table bus.job_red partition of bus.job for values in ('red');
      create view bus.shown as select 1 as one; create function bus.f() returns int language sql as 'select 1'`;
    await ask(root, `set role gpuaas_plumbing; ${made}; reset role`);
    const admin = new Client({ connectionString: root });
    await admin.connect();
    try {
      await handOver(admin, 'gpuaas', Object.fromEntries(logins.map((login) => [login, 'x'])) as unknown as Passwords);
    } finally {
      await admin.end();
    }
    await ask(
      server.urlFor('gpuaas_bus'),
      `insert into bus.job (state) values ('red'); drop function bus.f();
      drop view bus.shown; drop table bus.job; drop type bus.colour`,
    );
    expect(await ask(root, `select rolcanlogin from pg_roles where rolname = 'gpuaas_plumbing'`)).toEqual([
      { rolcanlogin: false },
    ]);
  });
});
