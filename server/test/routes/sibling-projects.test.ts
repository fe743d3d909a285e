import { type Route, routes } from '@gpuaas/contract';
import { decodeJwt } from 'jose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemIds } from '../../src/kernel/id.ts';
import { asSystem, openWorld, type Tenant, type World } from '../../src/testing/world.ts';
import { exampleOf, urlOf } from './examples.ts';
import { createdBy } from './people-examples.ts';

/**
 * Two projects of one organization, both filled. Row-level security tells organizations apart, so between projects the
 * predicate of each statement is the only wall: whatever is read for one project holds nothing of the other.
 */
let world: World;
let home: Tenant;
let sibling: Tenant;
/** Ids that occur only in the sibling. */
const hidden: string[] = [];
const correlationId = 'of-the-sibling';

const reads = routes.filter(({ method, tenancy }) => method === 'GET' && tenancy.kind === 'header');
/** Left out here, each with the reason. */
const leftOut: Readonly<Record<string, string>> = {
  catalog_version_list: 'it is about one app; publishing.db.test.ts asks for one of a sibling',
  storage_download_get: 'what it is about is sealed into the address; storage.db.test.ts asks for files of a sibling',
  storage_upload_part: 'what it is about is sealed into the address; storage.db.test.ts asks for uploads of a sibling',
  policy_list: 'it is about the caller, and the same in every project',
  event_stream: 'tail.test.ts has two projects of one organization: a stream begins with what happens later',
};
/** Answers in figures: they have no ids, so what is compared is that the figures differ. */
const inFigures = new Set([
  'allocation_counts',
  'app_use_list',
  'overview_get',
  'project_usage_get',
  'project_usage_list',
]);
const route = (id: string): Route => {
  const found = routes.find((each) => each.id === id);
  if (!found) throw new Error(`there is no route ${id}`);
  return found;
};

beforeAll(async () => {
  world = await openWorld();
  home = await world.found('home');
  const made = await world.call('POST', `/api/v1/organizations/${home.organizationId}/projects`, {
    ...{ as: home.token, key: systemIds.next(), body: { name: 'The other one', slug: 'the-other-one' } },
  });
  sibling = { ...home, projectId: made.body.id };
  hidden.push(sibling.projectId);
  // The examples of these routes make what they are about.
  for (const id of [
    'allocation_get',
    'allocation_group_get',
    'app_get',
    'app_instance_get',
    'project_ssh_key_remove',
  ]) {
    const { params = {} } = await exampleOf(route(id), world, sibling);
    hidden.push(...Object.values(params));
  }
  // One that runs and one that waits, both launched by the caller: figures have something to add up.
  const me = await world.call('GET', '/api/v1/me', { as: home.token });
  for (const id of ['allocation_extend', 'allocation_get']) {
    const { params = {} } = await exampleOf(route(id), world, sibling);
    const [allocation = ''] = Object.values(params);
    await createdBy(world, allocation, me.body.id);
    hidden.push(allocation);
    if (id === 'allocation_get') {
      await asSystem(
        world.root,
        `update allocations set placement_status = 'queued', queue_deadline_at = now() + interval '1 hour',
           version = version + 1 where id = $1`,
        [allocation],
      );
    }
  }
  await asSystem(
    world.root,
    `insert into usage_days (id, organization_id, day, resource_id, meter, project_id, sku, currency, requested_by,
       quantity_ms, amount_minor, windows)
     values ($1, $2, (now() at time zone 'UTC')::date, $1, 'gpu_time', $3, 'x', 'USD', 'x', 1, 1, 1)`,
    [systemIds.next(), sibling.organizationId, sibling.projectId],
  );
  await asSystem(
    world.root,
    `insert into app_use (id, organization_id, project_id, app_instance_id, route_id, app_version_id, app_reference, app_version,
       endpoint_name, operating_mode, copy_id, hour, requests, failures, bytes_in, bytes_out, last_at, correlation_id)
     select gen_random_uuid(), r.organization_id, r.project_id, r.app_instance_id, r.id, i.app_version_id, i.app_reference, i.app_version,
       r.endpoint_name, 'tenant_dedicated', gen_random_uuid(), date_trunc('hour', now(), 'UTC'), 1, 0, 1, 1, now(), 'a test'
     from app_routes r join app_instances i on i.id = r.app_instance_id where r.project_id = $1 limit 1`,
    [sibling.projectId],
  );
  const key = await exampleOf(route('project_ssh_key_add'), world, sibling);
  const added = await world.call('POST', '/api/v1/ssh-keys', {
    ...{ as: home.token, key: systemIds.next(), body: key.body ?? {} },
    headers: { 'x-project-id': sibling.projectId, 'x-request-id': correlationId },
  });
  hidden.push(added.body.id);
  // A change of a role is worth a notice.
  const member = decodeJwt(await world.join('member', home, 'member')).sub;
  const { rows } = await world.root.query('select id from users where oidc_subject = $1', [member]);
  await world.call('PUT', `/api/v1/projects/${sibling.projectId}/members/${rows[0].id}`, {
    ...{ as: home.token, key: systemIds.next(), body: { role: 'viewer' } },
  });
});
afterAll(() => world.close());

const read = async (of: Route, tenant: Tenant) => {
  const example = await exampleOf(of, world, tenant);
  const params = of.id === 'correlation_get' ? { params: { correlation_id: correlationId } } : {};
  const url = urlOf(of, { ...example, ...params });
  return world.call('GET', url, { as: home.token, headers: { 'x-project-id': tenant.projectId } });
};

describe('what is read for a project', () => {
  it('is every read that the project header is for', () => {
    expect(reads.length - Object.keys(leftOut).length).toBeGreaterThan(6);
  });

  it.each(reads.filter(({ id }) => leftOut[id] === undefined).map((each): [string, Route] => [each.path, each]))(
    '%s holds nothing of another project of the same organization',
    async (_, of) => {
      const [here, there] = [await read(of, home), await read(of, sibling)];
      for (const id of hidden) expect(here.text, `${of.path} shows ${id}`).not.toContain(id);
      // The sibling has something to show, or the comparison would prove nothing.
      expect(there.status, there.text).toBe(200);
      if (inFigures.has(of.id)) expect(here.text).not.toBe(there.text);
      else
        expect(
          hidden.some((id) => there.text.includes(id)),
          there.text,
        ).toBe(true);
    },
  );

  it('adds up what belongs to the project alone: a project beside a busy one has only zeros', async () => {
    const idle = await world.call('POST', `/api/v1/organizations/${home.organizationId}/projects`, {
      ...{ as: home.token, key: systemIds.next(), body: { name: 'An idle one', slug: 'an-idle-one' } },
    });
    const figures = async (projectId: string) => {
      const { body } = await world.call('GET', '/api/v1/overview', {
        ...{ as: home.token, headers: { 'x-project-id': projectId } },
      });
      const counts = await world.call('GET', '/api/v1/allocations/counts', {
        ...{ as: home.token, headers: { 'x-project-id': projectId } },
      });
      const { running, states, queued, current, launch_again, getting_started } = body;
      return {
        running,
        states,
        queued,
        current,
        launch_again,
        launched: getting_started.has_launched,
        counts: counts.body,
      };
    };
    const none = { requested: 0, provisioning: 0, active: 0, releasing: 0, released: 0, failed: 0, release_failed: 0 };
    expect(await figures(idle.body.id)).toMatchObject({
      ...{ running: { allocations: 0, gpus: 0, per_hour: [] }, states: none, queued: 0, current: [], launch_again: [] },
      launched: false,
    });
    const busy = await figures(sibling.projectId);
    const { rows } = await world.root.query(
      `select count(*) filter (where state = 'active')::int as active,
         count(*) filter (where placement_status = 'queued')::int as queued from allocations where project_id = $1`,
      [sibling.projectId],
    );
    expect(rows[0].active).toBeGreaterThan(0);
    expect(rows[0].queued).toBeGreaterThan(0);
    expect(busy).toMatchObject({ running: { allocations: rows[0].active }, queued: rows[0].queued, launched: true });
  });
});
