import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { actsOf } from '../../../kernel/act.ts';
import { systemIds } from '../../../kernel/id.ts';
import { silentLog } from '../../../kernel/telemetry/log.ts';
import { makeMetrics } from '../../../kernel/telemetry/metrics.ts';
import { asSystem, openWorld, type Tenant, type World } from '../../../testing/world.ts';
import { startTries } from '../facts.ts';
import { putAllocation } from '../testing.ts';
import { makeStops } from './reconcile.ts';

let world: World;
let tenant: Tenant;
let asked: { readonly type: string; readonly params: Record<string, unknown> }[] = [];
beforeAll(async () => {
  world = await openWorld();
  tenant = await world.found('stopped');
});
beforeEach(() => {
  asked = [];
});
afterAll(() => world.close());

interface QueuedTask {
  readonly nodeId: string;
  readonly type: string;
  readonly generation: number;
  readonly allocation: { readonly id: string; readonly organizationId: string };
}
const queued: (readonly [id: string, order: QueuedTask])[] = [];
const metrics = makeMetrics('test', '0.0.0');
const stops = () =>
  makeStops({
    db: world.database.database,
    begin: actsOf('allocation-stops', systemIds),
    ids: systemIds,
    tasks: {
      async queueTask(_, order) {
        const id = systemIds.next();
        asked.push(order as never);
        queued.push([id, order as never]);
        return id;
      },
    },
    ...{ taskSeconds: () => 60, graceSeconds: () => 5, log: silentLog, metrics },
  });
/** One round; what it queued is in the table afterwards. */
async function round() {
  await stops().round(new AbortController().signal);
  for (const [id, order] of queued.splice(0)) await insertTask(id, order);
}
const insertTask = (id: string, order: QueuedTask) =>
  asSystem(
    world.root,
    `insert into node_tasks (id, node_id, organization_id, allocation_id, task_type, generation, envelope, correlation_id, issued_at, expires_at)
     values ($1, $2, $3, $4, $5, $6, '{}', 'test', now(), now() + interval '1 hour')`,
    [id, order.nodeId, order.allocation.organizationId, order.allocation.id, order.type, order.generation],
  );
/** The node of the last task answers. */
async function answer(state: 'succeeded' | 'failed', allocationId: string) {
  for (const next of ['dispatched', state]) {
    await asSystem(
      world.root,
      `update node_tasks set state = $2, version = version + 1, dispatched_at = now(),
         finished_at = case when $2 <> 'dispatched' then now() end where id = (
         select id from node_tasks where allocation_id = $1 order by id desc limit 1)`,
      [allocationId, next],
    );
  }
}
/** The last task of a machine ended so many seconds ago. */
const ago = (allocationId: string, seconds: number) =>
  asSystem(
    world.root,
    `update node_tasks set version = version + 1, finished_at = now() - make_interval(secs => $2) where id = (
       select id from node_tasks where allocation_id = $1 order by id desc limit 1)`,
    [allocationId, seconds],
  );
/** What the ladder of the organization wants. */
const want = (stopped: boolean) =>
  asSystem(
    world.root,
    `update account_ladders set state = $2, version = version + 1, stopped_at = case when $3 then now() end,
       releases_at = case when $3 then now() + interval '1 hour' end where organization_id = $1`,
    [tenant.organizationId, stopped ? 'depleted' : 'healthy', stopped],
  );
const show = async (id: string) =>
  (await world.call('GET', `/api/v1/allocations/${id}`, { as: tenant.token })).body as Record<string, never>;
const eventsOf = async (id: string) =>
  (
    await world.root.query<{ subject: string }>(
      `select subject from outbox_events where envelope -> 'payload' ->> 'allocation_id' = $1
         and subject in ('provisioning.stopped', 'provisioning.started') order by position`,
      [id],
    )
  ).rows.map(({ subject }) => subject);

describe('machines of an organization whose balance is spent', () => {
  it('are stopped by their nodes, say so, refuse work, and start again with their keys after a top-up', async () => {
    const id = await putAllocation(world.root, tenant, 'active');
    const waiting = await putAllocation(world.root, tenant, 'provisioning');
    await round();
    expect(asked).toEqual([]);
    await want(true);
    await round();
    await round();
    expect(asked).toMatchObject([{ type: 'allocation.stop', params: { allocation_id: id, grace_seconds: 5 } }]);
    expect(await show(id)).toMatchObject({ state: 'active', stop: { phase: 'stopping', reason: 'balance_depleted' } });
    await answer('succeeded', id);
    await round();
    const stopped = await show(id);
    expect(stopped['stop']).toMatchObject({ phase: 'stopped', kept_until: expect.any(String) });
    const actions = stopped['actions'] as unknown as { action: string; allowed: boolean; why_not: string | null }[];
    const refused = actions.filter(({ allowed }) => !allowed).map(({ action }) => action);
    expect(refused).toEqual(expect.arrayContaining(['restart', 'open_terminal']));
    expect(actions.find(({ action }) => action === 'release')).toMatchObject({ allowed: true });
    const restart = await world.call('POST', `/api/v1/allocations/${id}/restart`, {
      ...{ as: tenant.token, key: systemIds.next() },
    });
    expect(restart).toMatchObject({ status: 409, body: { code: 'allocation_not_active' } });
    await round();
    expect(asked).toHaveLength(1);
    expect(await metrics.scrape()).toMatch(/gpuaas_allocations_stopped\{.*phase="stopped".*\} 1/);
    await want(false);
    await round();
    expect(asked[1]).toMatchObject({ type: 'allocation.start', params: { allocation_id: id, authorized_keys: [] } });
    expect((await show(id))['stop']).toMatchObject({ phase: 'starting', kept_until: null });
    await answer('succeeded', id);
    await round();
    expect(await show(id)).toMatchObject({ state: 'active', stop: null });
    expect(await eventsOf(id)).toEqual(['provisioning.stopped', 'provisioning.started']);
    expect((await show(waiting))['stop']).toBeNull();
  });

  it('start again when the top-up comes in the middle of the stop, after the node has ended it', async () => {
    const id = await putAllocation(world.root, tenant, 'active');
    await want(true);
    await round();
    await want(false);
    await round();
    expect(asked.filter(({ params }) => params['allocation_id'] === id).map(({ type }) => type)).toEqual([
      'allocation.stop',
    ]);
    await answer('failed', id);
    await round();
    expect(asked.at(-1)).toMatchObject({ type: 'allocation.start', params: { allocation_id: id } });
    await answer('succeeded', id);
    await round();
    expect((await show(id))['stop']).toBeNull();
  });

  it('get the keys of the moment once they have started, also those that changed while they did', async () => {
    const id = await putAllocation(world.root, tenant, 'active');
    await want(true);
    await round();
    await answer('succeeded', id);
    await round();
    await want(false);
    await asSystem(
      world.root,
      `insert into allocation_ssh_keys (allocation_id, organization_id, ssh_key_id, fingerprint, public_key)
       select a.id, a.organization_id, gen_random_uuid(), 'SHA256:' || k, 'ssh-ed25519 ' || k from allocations a, unnest('{gone,kept}'::text[]) k
       where a.id = $1`,
      [id],
    );
    await round();
    const of = () => asked.filter(({ params }) => params['allocation_id'] === id);
    expect(of().at(-1)).toMatchObject({
      type: 'allocation.start',
      params: { authorized_keys: expect.arrayContaining(['ssh-ed25519 gone', 'ssh-ed25519 kept']) },
    });
    // It is revoked while the machine starts.
    await asSystem(
      world.root,
      `delete from allocation_ssh_keys where allocation_id = $1 and fingerprint = 'SHA256:gone'`,
      [id],
    );
    await asSystem(
      world.root,
      `update nodes set version = version + 1, topology = coalesce(topology, '{}') ||
         '{"capabilities": [{"ability": "ssh_certificates", "able": true}]}' where id = (select node_id from allocations where id = $1)`,
      [id],
    );
    await answer('succeeded', id);
    await round();
    expect((await show(id))['stop']).toBeNull();
    expect(of().at(-1)).toMatchObject({
      type: 'allocation.install_authorized_keys',
      params: { authorized_keys: ['ssh-ed25519 kept'], trusted_authorities: expect.any(Array) },
    });
  });

  it('stay stopped when they failed to start too often, say why, alert operators, and get new tries later', async () => {
    const id = await putAllocation(world.root, tenant, 'active');
    await want(true);
    await round();
    await answer('succeeded', id);
    await round();
    await want(false);
    const typesOf = () => asked.filter(({ params }) => params['allocation_id'] === id).map(({ type }) => type);
    for (let tries = 1; tries <= startTries; tries += 1) {
      await round();
      await answer('failed', id);
      if (tries === startTries) break;
      await round();
      expect(typesOf().filter((type) => type === 'allocation.start')).toHaveLength(tries);
      await ago(id, 2 ** (tries - 1) * 60);
    }
    await asSystem(
      world.root,
      `update allocations set stop_since = now() - interval '1 hour', version = version + 1 where id = $1`,
      [id],
    );
    await round();
    expect(typesOf().at(-1)).toBe('allocation.stop');
    await answer('succeeded', id);
    await round();
    const shown = await show(id);
    expect(shown).toMatchObject({ state: 'active', stop: { phase: 'stopped' }, failure: { code: 'start_failed' } });
    expect((shown['failure'] as unknown as { reason: string }).reason).toMatch(/did not start/);
    const count = typesOf().length;
    await round();
    expect(typesOf()).toHaveLength(count);
    expect(await metrics.scrape()).toMatch(/gpuaas_allocations_stop_oldest_seconds\{.*phase="starting".*\} 3[67]\d\d/);
    await want(true);
    await round();
    expect((await show(id))['failure']).toBeNull();
    await want(false);
    await round();
    expect(typesOf().at(-1)).toBe('allocation.start');
    await answer('succeeded', id);
    await round();
    expect(await show(id)).toMatchObject({ stop: null, failure: null });
  });

  it('are released like all others, and are left alone from then on', async () => {
    const id = await putAllocation(world.root, tenant, 'active');
    await want(true);
    await round();
    await asSystem(
      world.root,
      `update allocations set state = 'releasing', version = version + 1, releasing_at = now() where id = $1`,
      [id],
    );
    await answer('succeeded', id);
    asked = [];
    await want(false);
    await round();
    expect(asked.filter(({ params }) => params['allocation_id'] === id)).toEqual([]);
    expect((await show(id))['stop']).toBeNull();
  });
});
