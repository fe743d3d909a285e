import { isWrite, type Route, routes } from '@gpuaas/contract';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Owned, Tenants } from '../../src/edge/http/admission/tenancy.ts';
import { systemIds } from '../../src/kernel/id.ts';
import { openWorld, type Tenant, type World } from '../../src/testing/world.ts';
import { type Example, exampleOf, urlOf } from './examples.ts';

/**
 * Three walls stand between tenants: the mount resolves whose an object is, each statement carries its own predicate,
 * and the database has row-level security. One that is never alone is never tested. So the mount is lied to here (it is
 * told that everything belongs to the caller), and of the other two only one is left standing at a time.
 */
const owned = routes.filter(({ tenancy }) => ['path', 'owner-of', 'header'].includes(tenancy.kind));

const predicatesDown = `
  create or replace function mine(organization uuid) returns boolean language sql stable return true;
  create or replace function is_me(person uuid) returns boolean language sql stable return true;`;
const policiesDown = `
  do $$ begin
    create role wallless_for_tests nologin bypassrls;
  exception when duplicate_object or unique_violation then null;
  end $$;
  grant gpuaas_api to wallless_for_tests;`;

describe.each([
  { left: 'row-level security', prepare: predicatesDown, role: 'gpuaas_api' },
  { left: 'the predicates of the statements', prepare: policiesDown, role: 'wallless_for_tests' },
])('with nothing but $left', ({ prepare, role }) => {
  let world: World;
  let home: Tenant;
  let foreign: Tenant;
  const examples = new Map<string, Example>();

  /** Says of everything that it is the caller's. */
  const liar: Tenants = {
    role: async () => 'owner',
    owners: {
      organization_id: {
        absent: 'organization_not_found',
        find: async () => ({ organizationId: home.organizationId, projectId: undefined }),
      },
      project_id: {
        absent: 'project_not_found',
        find: async (id) => ({ organizationId: home.organizationId, projectId: id }),
      },
      service_account_id: {
        absent: 'service_account_not_found',
        find: async () => ({ organizationId: home.organizationId, projectId: home.projectId }),
      },
      allocation_id: {
        absent: 'allocation_not_found',
        find: async () => ({ organizationId: home.organizationId, projectId: home.projectId }),
      },
      allocation_group_id: {
        absent: 'allocation_group_not_found',
        find: async () => ({ organizationId: home.organizationId, projectId: home.projectId }),
      },
      terminal_recording_id: {
        absent: 'terminal_recording_not_found',
        find: async () => ({ organizationId: home.organizationId, projectId: home.projectId }),
      },
      app_id: {
        absent: 'app_not_found',
        find: async () => ({ organizationId: home.organizationId, projectId: home.projectId }),
      },
      app_version_id: {
        absent: 'app_version_not_found',
        find: async () => ({ organizationId: home.organizationId, projectId: home.projectId }),
      },
      app_instance_id: {
        absent: 'app_instance_not_found',
        find: async () => ({ organizationId: home.organizationId, projectId: home.projectId }),
      },
      terminal_session_id: {
        absent: 'terminal_session_not_found',
        find: async () => ({ organizationId: home.organizationId, projectId: home.projectId }),
      },
    },
  };

  beforeAll(async () => {
    // The tenants and all examples are made by an honest api; from then on it is lied to.
    const lied = { on: false };
    const honest: Record<string, (id: string) => Promise<Owned | undefined>> = {
      organization_id: async (id) => ({ organizationId: id, projectId: undefined }),
      project_id: async (id) =>
        whose((await world.root.query('select organization_id, id from projects where id = $1', [id])).rows[0]),
      service_account_id: async (id) =>
        whose(
          (await world.root.query('select organization_id, project_id as id from service_accounts where id = $1', [id]))
            .rows[0],
        ),
      allocation_id: async (id) =>
        whose(
          (await world.root.query('select organization_id, project_id as id from allocations where id = $1', [id]))
            .rows[0],
        ),
      app_id: async (id) =>
        whose(
          (await world.root.query('select organization_id, project_id as id from apps where id = $1', [id])).rows[0],
        ),
      app_version_id: async (id) =>
        whose(
          (
            await world.root.query(
              `select a.organization_id, a.project_id as id from app_versions v join apps a on a.id = v.app_id where v.id = $1`,
              [id],
            )
          ).rows[0],
        ),
      app_instance_id: async (id) =>
        whose(
          (await world.root.query('select organization_id, project_id as id from app_instances where id = $1', [id]))
            .rows[0],
        ),
      terminal_recording_id: async (id) =>
        whose(
          (
            await world.root.query('select organization_id, project_id as id from terminal_recordings where id = $1', [
              id,
            ])
          ).rows[0],
        ),
      terminal_session_id: async (id) =>
        whose(
          (
            await world.root.query('select organization_id, project_id as id from terminal_sessions where id = $1', [
              id,
            ])
          ).rows[0],
        ),
      allocation_group_id: async (id) =>
        whose(
          (
            await world.root.query('select organization_id, project_id as id from allocation_groups where id = $1', [
              id,
            ])
          ).rows[0],
        ),
    };
    const whose = (row: { organization_id: string; id: string } | undefined) =>
      row && { organizationId: row.organization_id, projectId: row.id };
    const switched: Tenants = {
      role: liar.role,
      owners: Object.fromEntries(
        Object.entries(liar.owners).map(([param, { absent, find }]) => [
          param,
          { absent, find: async (id: string) => (lied.on ? find(id) : honest[param]?.(id)) },
        ]),
      ),
    };
    world = await openWorld({
      tenants: switched,
      prepare: async (root) => {
        await root.query(prepare);
      },
      apiUrl: (schema) => {
        const address = new URL(schema.url);
        address.searchParams.set('options', `-c role=${role}`);
        return address.href;
      },
    });
    home = await world.found('home');
    foreign = await world.found('foreign');
    for (const route of owned) examples.set(route.id, await exampleOf(route, world, foreign));
    lied.on = true;
  });
  afterAll(() => world.close());

  const belongings = async (tenant: Tenant) => {
    const { rows } = await world.root.query(
      `select (select json_agg(o order by o.id) from organizations o where o.id = $1) as organization,
         (select json_agg(p order by p.id) from projects p where p.organization_id = $1) as projects,
         (select json_agg(s order by s.id) from service_accounts s where s.organization_id = $1) as accounts,
         (select json_agg(k order by k.id) from service_account_keys k where k.organization_id = $1) as keys,
         (select json_agg(l order by l.id) from allocations l where l.organization_id = $1) as allocations,
         (select json_agg(i order by i.id) from app_instances i where i.organization_id = $1) as instances,
         (select json_agg(g order by g.id) from allocation_access_grants g where g.organization_id = $1) as grants,
         (select json_agg(c order by c.id) from ssh_certificates c where c.organization_id = $1) as certificates,
         (select count(*)::int from audit_logs a where a.organization_id = $1) as audit,
         (select count(*)::int from outbox_events e where e.organization_id = $1) as events`,
      [tenant.organizationId],
    );
    return rows[0];
  };

  it.each(owned.map((route): [string, Route] => [`${route.method} ${route.path}`, route]))(
    '%s neither shows nor changes anything of another tenant',
    async (_, route) => {
      const { body, ...rest } = examples.get(route.id) ?? {};
      const before = await belongings(foreign);
      const reply = await world.call(route.method, urlOf(route, rest), {
        as: home.token,
        ...(isWrite(route) && { key: systemIds.next() }),
        ...(body && { body }),
        headers: route.tenancy.kind === 'header' ? { 'x-project-id': foreign.projectId } : {},
      });
      expect(await belongings(foreign)).toEqual(before);
      const advice =
        'another tenant shows through: the statement needs mine(...), the table a policy with within_wall(...)';
      if (reply.status === 404) return;
      expect(reply.status, reply.text).toBeLessThan(300);
      // What answers at all answers with nothing, or with something of the caller's own.
      const { chain, ...facts } = reply.body ?? {};
      const shown = chain ? JSON.stringify({ ...facts, rows: 0, unsealed: 0 }) : reply.text;
      expect(shown, advice).not.toContain(foreign.organizationId);
      expect(shown, advice).not.toContain(foreign.projectId);
      if (chain) expect(facts, advice).toMatchObject({ rows: 0, unsealed: 0, broken: null });
    },
  );
});

describe("the caller's own list", () => {
  it('holds with row-level security alone', async () => {
    const world = await openWorld({
      prepare: async (root) => {
        await root.query(predicatesDown);
      },
    });
    try {
      const [home] = [await world.found('home'), await world.found('foreign')];
      const { body } = await world.call('GET', '/api/v1/organizations', { as: home.token });
      expect(body.data.map((organization: { id: string }) => organization.id)).toEqual([home.organizationId]);
    } finally {
      await world.close();
    }
  });
});
