import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { systemIds } from '../../kernel/id.ts';
import { asSystem, openWorld, type Reply, type Tenant, type World } from '../../testing/world.ts';
import { passProbe } from '../inventory/testing.ts';
import { type Fleet, metalSku, otherRegion, putAllocation, sliceSku, stockFleet, testRegion } from './testing.ts';

let world: World;
let fleet: Fleet;
let home: Tenant;
let operator: string;
beforeAll(async () => {
  world = await openWorld({
    policies: { 'allocation.max_concurrent_per_user': 40, 'allocation.force_release_max_attempts': 2 },
  });
  fleet = await stockFleet(world.root);
  home = await world.found('home');
  operator = await world.operator();
});
afterAll(() => world.close());
beforeEach(() => fleet.removeNodes());

const send = (method: string, path: string, body?: object, as = home.token): Promise<Reply> =>
  world.call(method, path.startsWith('/') ? path : `/api/v1/allocations${path && `/${path}`}`, {
    as,
    ...(method !== 'GET' && { key: systemIds.next() }),
    ...(body && { body }),
    headers: { 'x-project-id': home.projectId },
  });
const wish = (changes: object = {}) => ({ sku: sliceSku, gpus: 1, region: testRegion, ...changes });
const create = (changes: object = {}) => send('POST', '', wish(changes));
const slotsOf = async (id: string) =>
  (
    await world.root.query(
      'select node_id, numa_node, state, generation::int from slots where allocation_id = $1 order by slot_index',
      [id],
    )
  ).rows as { node_id: string; numa_node: number; state: string; generation: number }[];
const eventsOf = async (id: string) =>
  (
    await world.root.query(
      `select envelope ->> 'event_type' as type from outbox_events where key = $1 order by event_id`,
      [id],
    )
  ).rows.map(({ type }) => type as string);
const free = async () =>
  (await world.root.query(`select count(*)::int as n from slots where state = 'available'`)).rows[0].n as number;
const walk = async (id: string, ...states: string[]) => {
  for (const state of states) {
    await asSystem(
      world.root,
      `update allocations set state = $2, version = version + 1, active_at = now(),
         failure_code = case when $2 = 'failed' then 'launch_failed' else failure_code end,
         placement_status = case when $2 = 'active' then 'leased' else placement_status end,
         expires_at = now() + interval '1 hour' where id = $1`,
      [id, state],
    );
  }
};

describe('asking for capacity', () => {
  it('reserves slots, writes down why, and says so in the same transaction', async () => {
    const node = await fleet.addNode();
    const made = await create({ gpus: 2, name: 'training; rm -rf $HOME', tags: { team: 'a' } });
    expect(made.status, made.text).toBe(201);
    expect(made.body).toMatchObject({
      ...{
        state: 'provisioning',
        placement_status: 'reserved',
        gpu_count: 2,
        version: 2,
        name: 'training; rm -rf $HOME',
      },
      price: { unit: 'gpu_hour', per_hour: { amount_minor: '900', currency: 'USD' } },
      profile: { name: 'test_2g', vcpus: 48 },
      login: { username: expect.stringMatching(/^[a-z]/), uid: expect.any(Number) },
    });
    expect(made.text).not.toContain(node.id);
    // Pages and programs learn from the catalog which image a launch without one takes.
    const { body: offered } = await world.call('GET', `/api/v1/catalog/${made.body.sku}`);
    expect(offered.default_image).toBe(made.body.image);
    const slots = await slotsOf(made.body.id);
    expect(slots).toMatchObject([
      { node_id: node.id, state: 'reserved', generation: 1 },
      { node_id: node.id, state: 'reserved', generation: 1 },
    ]);
    expect(new Set(slots.map(({ numa_node }) => numa_node)).size).toBe(1);
    expect(await eventsOf(made.body.id)).toEqual(['provisioning.requested']);
    const timeline = await send('GET', `${made.body.id}/timeline`);
    expect(timeline.body.data.map(({ name }: { name: string }) => name)).toEqual([
      ...['request', 'placement_reserved', 'provision', 'slice.vm_provision'],
    ]);
    const placement = await send('GET', `${made.body.id}/placement`);
    expect(placement.body).toMatchObject({ outcome: 'placed', chosen: { gpus: 2, numa_groups: 1 } });
    const whole = await send('GET', `/api/v1/admin/allocations/${made.body.id}/placement`, undefined, operator);
    expect(whole.body.document.chosen).toMatchObject({ node_id: node.id });
  });

  it('takes the whole host for bare metal, and only when all of it is free', async () => {
    const node = await fleet.addNode({ sku: metalSku });
    const made = await create({ sku: metalSku, gpus: 8 });
    expect(made.body).toMatchObject({ capacity_shape: 'baremetal', profile: null });
    expect(await slotsOf(made.body.id)).toHaveLength(8);
    const { rows } = await world.root.query('select distinct kind from allocation_claims where node_id = $1', [
      node.id,
    ]);
    expect(rows).toEqual([{ kind: 'node_exclusive' }]);
    expect(await create({ sku: metalSku, gpus: 8 })).toMatchObject({ status: 409 });
  });

  it.each([
    ['a count that is not sold', { gpus: 3 }, 422, 'gpu_count_invalid'],
    ['an unknown SKU', { sku: 'no-such' }, 404, 'sku_not_found'],
    ['an unknown region', { region: 'nowhere' }, 404, 'region_not_found'],
    ['an unknown image', { image: 'no-such' }, 404, 'os_image_not_found'],
    ['a key of nobody', { ssh_key_ids: [systemIds.next()] }, 404, 'ssh_key_not_found'],
    ['a life that is too long', { max_duration_seconds: 300_000_000 }, 422, 'duration_invalid'],
    ['a name with a line break', { name: 'a\nb' }, 400, 'validation_error'],
  ])('refuses %s and reserves nothing', async (_, changes, status, code) => {
    await fleet.addNode();
    const refused = await create(changes);
    expect(refused, refused.text).toMatchObject({ status, body: { code } });
    expect(await free()).toBe(8);
  });

  it('refuses with reasons and a way out when nothing fits, without naming hosts', async () => {
    await fleet.addNode({ name: 'secret-host', groups: [2, 2] });
    await fleet.addNode({ name: 'secret-far', region: otherRegion });
    const refused = await create({ gpus: 4 });
    expect(refused).toMatchObject({
      status: 409,
      body: {
        code: 'sku_unavailable',
        details: {
          reasons: [
            { constraint: 'region', nodes: 1 },
            { constraint: 'single_numa', nodes: 1 },
          ],
          would_fit: [
            { change: 'fewer_gpus', gpus: 2 },
            { change: 'other_region', region: otherRegion },
          ],
        },
      },
    });
    expect(refused.text).not.toContain('secret');
    expect(await free()).toBe(12);
  });

  it('goes by hosts that report and take work', async () => {
    await fleet.addNode({ reportedAt: 'never' });
    await fleet.addNode({ schedulable: false });
    const refused = await create();
    expect(refused.body.details.reasons).toMatchObject([{ constraint: 'schedulable' }, { constraint: 'reporting' }]);
  });

  it('plans without reserving, with the price of the whole time', async () => {
    await fleet.addNode();
    const plan = await send('POST', 'plan', wish({ gpus: 4, max_duration_seconds: 5_400 }));
    expect(plan.body).toMatchObject({
      feasible: true,
      price: { per_hour: { amount_minor: '1800' } },
      projected: { amount_minor: '2700', currency: 'USD' },
    });
    expect(await free()).toBe(8);
    const not = await send('POST', 'plan', wish({ gpus: 4, region: otherRegion }));
    expect(not.body).toMatchObject({ feasible: false, decision: { outcome: 'refused' } });
  });

  it('stops at the number of allocations that one may hold, also when many ask at once', async () => {
    await fleet.addNode();
    const strict = await openWorld({ beside: world, policies: { 'allocation.max_concurrent_per_user': 2 } });
    try {
      const ask = () =>
        strict.call('POST', '/api/v1/allocations', {
          ...{ as: home.token, key: systemIds.next(), body: wish(), headers: { 'x-project-id': home.projectId } },
        });
      const replies = await Promise.all(Array.from({ length: 5 }, ask));
      expect(replies.filter(({ status }) => status === 201)).toHaveLength(2);
      const refused = replies.filter(({ status }) => status !== 201);
      for (const { body } of refused) {
        expect(body).toMatchObject({
          code: 'allocation_concurrency_limit',
          details: { held: 2, limit: 2, policy: 'allocation.max_concurrent_per_user' },
        });
        expect(body.details.counted).toHaveLength(2);
        expect(body.details.counted[0]).toMatchObject({ id: expect.any(String), gpu_count: expect.any(Number) });
        expect(body.message).toContain(body.details.counted[0].name);
      }
      expect(await free()).toBe(6);
    } finally {
      await strict.close();
    }
  });
});

describe('giving it back', () => {
  it('cancels what was not provisioned yet and frees its slots at once', async () => {
    await fleet.addNode();
    const { id } = (await create({ gpus: 4 })).body;
    const released = await send('POST', `${id}/release`, {});
    expect(released).toMatchObject({ status: 202, body: { state: 'released', placement_status: 'freed' } });
    expect(await free()).toBe(8);
    expect(await eventsOf(id)).toEqual(['provisioning.requested', 'provisioning.releasing.completed']);
    const { data } = (await send('GET', `${id}/timeline`)).body;
    expect(data.at(-1)).toMatchObject({
      to_state: 'released',
      detail: { reason: 'user', released_by: expect.any(String) },
    });
    expect(await send('POST', `${id}/release`, {})).toMatchObject({
      status: 409,
      body: { code: 'illegal_transition' },
    });
  });

  it('begins a release that its node has to prove', async () => {
    await fleet.addNode();
    const { id } = (await create()).body;
    await walk(id, 'provisioning', 'active');
    expect(await send('POST', `${id}/release`, { reason: 'done' })).toMatchObject({
      body: { state: 'releasing', release_reason: 'done' },
    });
    expect(await send('POST', `${id}/release`, {})).toMatchObject({ body: { code: 'allocation_already_releasing' } });
    expect(await free()).toBe(7);
    expect((await eventsOf(id)).at(-1)).toBe('provisioning.releasing.requested');
  });

  it('is found among those of its node that have not ended, however many newer ones have', async () => {
    const node = await fleet.addNode();
    const { id } = (await create()).body;
    await walk(id, 'provisioning', 'active');
    const ended: string[] = [];
    for (const state of ['released', 'failed']) {
      const later = (await create()).body.id as string;
      ended.unshift(later);
      await walk(later, 'provisioning', ...(state === 'released' ? ['active', 'releasing', state] : [state]));
    }
    const listed = async (query: string) => {
      const reply = await send('GET', `/api/v1/admin/allocations?node=${node.id}&${query}`, undefined, operator);
      return reply.body.data.map((each: { id: string }) => each.id);
    };
    expect(await listed('limit=2')).toEqual(ended);
    expect(await listed('limit=2&ended=false')).toEqual([id]);
    expect(await listed('ended=true')).toEqual(ended);
  });

  it('is forced as often as the policy allows, and then settled by an operator who has looked', async () => {
    await fleet.addNode();
    const { id } = (await create()).body;
    const force = () => send('POST', `/api/v1/admin/allocations/${id}/force-release`, { reason: 'stuck' }, operator);
    const clean = (absent: boolean) =>
      send(
        'POST',
        `/api/v1/admin/allocations/${id}/force-cleanup`,
        { runtime_verified_absent: absent, reason: 'looked' },
        operator,
      );
    await walk(id, 'provisioning', 'active');
    expect(await clean(true)).toMatchObject({ status: 409, body: { code: 'illegal_transition' } });
    expect(await force()).toMatchObject({ status: 202, body: { state: 'releasing', release_attempts: 1 } });
    await walk(id, 'release_failed');
    expect(await force()).toMatchObject({ status: 202, body: { release_attempts: 2 } });
    await walk(id, 'release_failed');
    expect(await force()).toMatchObject({ status: 409, body: { code: 'illegal_transition' } });
    const shown = await send('GET', id);
    expect(shown.body.actions[0]).toMatchObject({
      action: 'release',
      allowed: false,
      why_not: expect.stringContaining('operator'),
    });
  });

  /** An allocation whose release failed, and how an operator settles it. */
  const stuck = async () => {
    const node = await fleet.addNode({ groups: [1] });
    const { id } = (await create()).body;
    await walk(id, 'provisioning', 'active', 'releasing', 'release_failed');
    const clean = (absent: boolean) =>
      send(
        'POST',
        `/api/v1/admin/allocations/${id}/force-cleanup`,
        { runtime_verified_absent: absent, reason: 'looked' },
        operator,
      );
    return { node: node.id, id, clean };
  };

  it('keeps slots blocked until an operator has looked', async () => {
    const { clean } = await stuck();
    const settled = await clean(false);
    expect(settled, settled.text).toMatchObject({
      status: 200,
      body: { state: 'failed', slots: { cleanup_blocked: 1 } },
    });
    expect(await free()).toBe(0);
    expect(await clean(true)).toMatchObject({ status: 409 });
  });

  it('brings slots back when an operator has looked and a probe has passed since they were blocked', async () => {
    const { id, node, clean } = await stuck();
    // The word of an operator alone is not enough, and changes nothing.
    expect(await clean(true)).toMatchObject({ status: 409, body: { code: 'probe_required' } });
    expect(await send('GET', id)).toMatchObject({ body: { state: 'release_failed' } });
    await asSystem(
      world.root,
      `update slots set state = 'cleanup_blocked', version = version + 1, updated_at = now() where node_id = $1`,
      [node],
    );
    const { rows } = await world.root.query(
      `select updated_at - interval '1 second' as at from slots where node_id = $1`,
      [node],
    );
    await passProbe(world.root, node, rows[0].at);
    expect(await clean(true)).toMatchObject({ status: 409, body: { code: 'probe_required' } });
    expect(await free()).toBe(0);
    await passProbe(world.root, node);
    expect((await clean(true)).body).toMatchObject({
      ...{ state: 'failed', failure: { code: 'force_cleanup' }, slots: {} },
    });
    expect(await free()).toBe(1);
  });
});

describe('an active allocation', () => {
  it('is extended, restarted, renamed and opened with other keys; its node is told', async () => {
    const id = await putAllocation(world.root, home, 'active');
    const extended = await send('POST', `${id}/extend`, { seconds: 600 });
    expect(extended, extended.text).toMatchObject({ status: 200, body: { max_duration_seconds: 4_200 } });
    expect((await send('GET', `${id}/timeline`)).body.data).toContainEqual(
      expect.objectContaining({
        name: 'allocation.extend_lease',
        detail: expect.objectContaining({ expires_at: extended.body.expires_at }),
      }),
    );
    expect(await send('POST', `${id}/restart`)).toMatchObject({ status: 202, body: { state: 'active' } });
    expect(await eventsOf(id)).toEqual(['provisioning.restart.requested']);
    const renamed = await send('PATCH', id, { name: 'b', tags: { k: 'v' }, idle: { minutes: 5, action: 'warn' } });
    expect(renamed.body).toMatchObject({ name: 'b', tags: { k: 'v' }, idle: { minutes: 5 } });
    expect(await send('PATCH', id, { name: 'c', version: 1 })).toMatchObject({ body: { code: 'version_conflict' } });
    const key = await world.call('POST', '/api/v1/me/ssh-keys', {
      as: home.token,
      key: systemIds.next(),
      body: {
        public_key: `ssh-ed25519 ${Buffer.concat([Buffer.from('0000000b7373682d65643235353139', 'hex'), Buffer.from([0, 0, 0, 32]), Buffer.alloc(32, 7)]).toString('base64')} me`,
      },
    });
    expect(key.status, key.text).toBe(201);
    const opened = await send('PUT', `${id}/ssh-keys`, { ssh_key_ids: [key.body.id] });
    expect(opened, opened.text).toMatchObject({ status: 200, body: { ssh_keys: [{ ssh_key_id: key.body.id }] } });
    const { rows } = await world.root.query(
      `select task_type from node_tasks where allocation_id = $1 order by task_type`,
      [id],
    );
    expect(rows.map(({ task_type }) => task_type)).toEqual([
      'allocation.extend_lease',
      'allocation.install_authorized_keys',
    ]);
    const stranger = await world.join('colleague', home, 'member');
    await send('PUT', `${id}/ssh-keys`, { ssh_key_ids: [] });
    expect(await send('PUT', `${id}/ssh-keys`, { ssh_key_ids: [key.body.id] }, stranger)).toMatchObject({
      status: 403,
      body: { code: 'insufficient_permissions' },
    });
  });

  it('is found by state, SKU, tag and group', async () => {
    await fleet.addNode();
    const { id } = (await create({ tags: { team: 'blue' } })).body;
    const ids = async (query: string) => {
      const { body } = await send('GET', `/api/v1/allocations?${query}`);
      return body.data.map((row: { id: string }) => row.id) as string[];
    };
    expect(await ids('tag=team')).toEqual([id]);
    expect(await ids('tag=team%3Dblue')).toEqual([id]);
    expect(await ids('tag=team%3Dred')).toEqual([]);
    expect(await ids(`state=provisioning&sku=${sliceSku}`)).toContain(id);
    expect(await ids('state=active')).toEqual([]);
  });
});

describe('a group', () => {
  const group = (members: object[]) => send('POST', '/api/v1/allocation-groups', { name: 'cluster', members });

  it('is reserved as a whole, or not at all', async () => {
    await fleet.addNode();
    const refused = await group([wish({ gpus: 4 }), wish({ gpus: 4 }), wish()]);
    expect(refused).toMatchObject({ status: 409, body: { code: 'sku_unavailable' } });
    expect(await free()).toBe(8);
    expect((await world.root.query('select count(*)::int as n from allocations')).rows[0].n).toBe(0);
    const made = await group([wish({ gpus: 1 }), wish({ gpus: 4 }), wish({ gpus: 2 }), wish({ gpus: 1 })]);
    expect(made, made.text).toMatchObject({
      status: 201,
      body: { status: 'provisioning', members: { provisioning: 4 } },
    });
    expect(await free()).toBe(0);
  });

  it('is released as a whole, again and again without harm', async () => {
    await fleet.addNode();
    const { id, allocations } = (await group([wish(), wish()])).body;
    await walk(allocations[0].id, 'provisioning', 'active');
    const first = await send('POST', `/api/v1/allocation-groups/${id}/release`);
    expect(first.body).toMatchObject({ status: 'releasing', members: { releasing: 1, released: 1 } });
    const again = await send('POST', `/api/v1/allocation-groups/${id}/release`);
    expect(again).toMatchObject({ status: 202, body: { status: 'releasing' } });
    expect((await eventsOf(allocations[0].id)).filter((type) => type.includes('releasing'))).toHaveLength(1);
  });
});
