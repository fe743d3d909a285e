import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeAct, systemViewer } from '../../../kernel/act.ts';
import { makeTestClock } from '../../../kernel/clock.ts';
import { Fault } from '../../../kernel/fault.ts';
import { systemIds } from '../../../kernel/id.ts';
import { makeMetrics } from '../../../kernel/telemetry/metrics.ts';
import { asSystem, openWorld, type Tenant, type World } from '../../../testing/world.ts';
import { reserveSlots } from '../../allocations/slots/slots.ts';
import { cacheImages, discover, passProbe, placeNode, topologyOf } from '../../inventory/testing.ts';
import { showFleet } from './fleet-metrics.ts';
import { countWaitingForGuest } from './fleet-routes.ts';

let world: World;
let operator: string;
let home: Tenant;
const clock = makeTestClock(new Date('2026-03-01T12:00:00Z'));
beforeAll(async () => {
  world = await openWorld({ clock });
  operator = await world.operator();
  home = await world.found('home');
  const loaded = await admin('POST', 'catalog/defaults', { reason: 'a test' });
  expect(loaded.status, loaded.text).toBe(200);
});
afterAll(() => world.close());

const admin = (method: string, path: string, body?: object) =>
  world.call(method, `/api/v1/admin/${path}`, {
    as: operator,
    ...(method !== 'GET' && { key: systemIds.next() }),
    ...(body && { body }),
  });
const region = 'test';
const create = (over: object = {}) =>
  admin('POST', 'nodes', { name: `n-${systemIds.next()}`, region, sku: 'h200-sxm-slice', ...over });
const place = (over: Partial<Parameters<typeof placeNode>[1]> = {}) =>
  placeNode(world.root, { sku: 'h200-sxm-slice', region, slots: [{}, {}], ...over });
const stored = async (id: string) => (await world.root.query('select * from nodes where id = $1', [id])).rows[0];
const because = { reason: 'a test' };
const allocation = async (node: string, over: { state?: string; slot?: string } = {}) => {
  const id = systemIds.next();
  await world.root.query('set session_replication_role = replica');
  await world.root.query(
    `insert into allocations (id, organization_id, project_id, name, requested_by, state, placement_status, sku,
       capacity_shape, gpu_count, region, unit_price_minor, currency, node_id, generation, isolation_model, created_at,
       updated_at)
     values ($1, $2, $3, 'a', 'u', $4, 'reserved', 'h200-sxm-slice', 'gpu_slice', 1, $5, 450, 'USD', $6, 1, 'user-revoke',
       $7, $7)`,
    [id, home.organizationId, home.projectId, over.state ?? 'active', region, node, clock.now()],
  );
  await world.root.query('set session_replication_role = origin');
  return id;
};

describe('looking at the fleet', () => {
  it('finds hosts by region, kind, state and whether they take work', async () => {
    const [one, two] = [
      await place({ state: 'quarantined' }),
      await place({ state: 'quarantined', schedulable: false }),
    ];
    const ids = async (query: string) =>
      (await admin('GET', `nodes?limit=200&${query}`)).body.data.map(({ id }: { id: string }) => id);
    expect(await ids('state=quarantined')).toEqual(expect.arrayContaining([one, two]));
    expect(await ids('state=quarantined&schedulable=false')).toContain(two);
    expect(await ids('state=quarantined&schedulable=false')).not.toContain(one);
    expect(await ids('sku=h100')).toEqual([]);
    expect(await ids('region=elsewhere')).toEqual([]);
  });

  it('shows what a host said, what it is made of and who it is', async () => {
    const id = await place();
    await discover(world.root, id, topologyOf(8));
    const since = clock.now().toISOString();
    await asSystem(
      world.root,
      `insert into node_certificates (serial, node_id, not_before, not_after) values ($1, $2, $3, $4)`,
      ['ab'.repeat(8) + id.slice(-4), id, clock.now(), new Date(clock.now().getTime() + 3_600_000)],
    );
    await world.root.query(
      `insert into node_reports (node_id, reported_at, boot_id, agent_version, clock_skew_ms, conditions, leases, running_tasks)
       values ($1, $2, $3, '1.2.3', -40, $4, '[]', '[]')`,
      [
        id,
        clock.now(),
        systemIds.next(),
        JSON.stringify([{ type: 'GpuHealthy', status: 'True', reason: 'Ok', message: 'fine', since }]),
      ],
    );
    const { body, text } = await admin('GET', `nodes/${id}`);
    expect(body, text).toMatchObject({
      agent_version: '1.2.3',
      slots: { available: 2 },
      report: { clock_skew_ms: -40, running_tasks: [] },
      topology: { cpu_count: 224 },
    });
    expect(body.resource_slots).toHaveLength(2);
    const status = Object.fromEntries(
      body.conditions.map((each: { type: string; status: string }) => [each.type, each.status]),
    );
    expect(status).toEqual({ Reporting: 'True', Schedulable: 'True', Certified: 'True', GpuHealthy: 'True' });
    await clock.advance(2 * 3_600_000);
    const later = await admin('GET', `nodes/${id}`);
    expect(later.body.conditions).toMatchObject([
      { type: 'Reporting', status: 'False', reason: 'Silent' },
      { type: 'Schedulable' },
      { type: 'Certified', status: 'False', reason: 'Expired' },
      {},
    ]);
  });

  it('changes labels and address, and refuses somebody who saw an older version', async () => {
    const id = await place();
    const { body } = await admin('PATCH', `nodes/${id}`, { labels: { ring: 'canary' }, address: '2001:db8::7' });
    expect(body).toMatchObject({ labels: { ring: 'canary' }, address: '2001:db8::7' });
    expect((await admin('PATCH', `nodes/${id}`, { labels: {}, version: 1 })).body.code).toBe('version_conflict');
    expect((await admin('PATCH', `nodes/${id}`, { address: null })).body).toMatchObject({
      address: null,
      labels: { ring: 'canary' },
    });
    expect((await admin('PATCH', `nodes/${systemIds.next()}`, { labels: {} })).body.code).toBe('node_not_found');
  });
});

describe('slots', () => {
  const approve = (id: string, body: object = {}) => admin('POST', `nodes/${id}/slots/approve`, body);

  it('come from the last discovery, once an operator approves it', async () => {
    const id = await place({ slots: [] });
    expect((await approve(id)).body.code).toBe('topology_missing');
    await discover(world.root, id, topologyOf(8));
    const { body, text } = await approve(id);
    expect(body, text).toMatchObject({ created: 8, changed: 0, enabled: 0, missing: [] });
    expect(body.slots.map(({ state }: { state: string }) => state)).toEqual(Array(8).fill('available'));
    expect((await approve(id)).body).toMatchObject({ created: 0, changed: 0, enabled: 0 });
  });

  it('follow GPUs that changed places', async () => {
    const id = await place({ slots: [] });
    const before = topologyOf(4);
    await discover(world.root, id, before);
    await approve(id);
    const swapped = before.slots.map((slot, index) => ({
      ...slot,
      gpu_uuid: before.slots[3 - index]?.gpu_uuid ?? '',
    }));
    await discover(world.root, id, { ...before, slots: swapped });
    const { body, text } = await approve(id);
    expect(body, text).toMatchObject({ created: 0, changed: 4 });
    expect(body.slots.map(({ gpu_uuid }: { gpu_uuid: string }) => gpu_uuid)).toEqual(
      swapped.map(({ gpu_uuid }) => gpu_uuid),
    );
    expect(body.slots.every(({ state }: { state: string }) => state === 'available')).toBe(true);
  });

  it('are refused with every reason while something blocks them', async () => {
    const id = await place({ slots: [] });
    await discover(world.root, id, topologyOf(8, { blockers: ['the IOMMU is off'] }));
    expect(await approve(id)).toMatchObject({
      status: 409,
      body: { code: 'slots_blocked', details: { reasons: ['The host: the IOMMU is off'] } },
    });
    expect((await admin('GET', `nodes/${id}/resource-slots`)).body.data).toEqual([]);
  });

  it('are disabled, enabled, quarantined and cleared with a reason', async () => {
    const id = await place({ slots: [{}] });
    const [{ id: slot }] = (await admin('GET', `nodes/${id}/resource-slots`)).body.data;
    const move = async (how: string) => (await admin('POST', `nodes/${id}/slots/${slot}/${how}`, because)).body;
    expect(await move('disable')).toMatchObject({ state: 'disabled', state_reason: 'a test' });
    expect(await move('quarantine')).toMatchObject({ code: 'illegal_transition' });
    expect(await move('enable')).toMatchObject({ state: 'available' });
    expect(await move('quarantine')).toMatchObject({ state: 'quarantined', state_reason: 'a test' });
    expect(await move('clear')).toMatchObject({ code: 'probe_required' });
    await passProbe(world.root, id, new Date(clock.now().getTime() + 1_000));
    expect(await move('clear')).toMatchObject({ state: 'available' });
    expect(await admin('POST', `nodes/${id}/slots/${systemIds.next()}/disable`, because)).toMatchObject({
      status: 404,
      body: { code: 'slot_not_found' },
    });
  });

  it.each(['quarantined', 'cleanup_blocked'])(
    'that are %s are neither disabled nor enabled by hand, and the database refuses it too',
    async (state) => {
      const id = await place({ slots: [{ state }] });
      const [{ id: slot }] = (await admin('GET', `nodes/${id}/resource-slots`)).body.data;
      for (const how of ['disable', 'enable'] as const) {
        expect((await admin('POST', `nodes/${id}/slots/${slot}/${how}`, because)).body.code, how).toBe(
          'illegal_transition',
        );
      }
      expect((await admin('GET', `nodes/${id}/resource-slots`)).body.data).toMatchObject([{ state }]);
      // The database refuses it too, whoever asks.
      const past = asSystem(world.root, `update slots set state = 'disabled', version = version + 1 where id = $1`, [
        slot,
      ]);
      await expect(past).rejects.toThrow(/slot/);
      await world.root.query('rollback');
    },
  );

  it('that somebody holds stay theirs', async () => {
    const id = await place({ slots: [{ state: 'in_use' }] });
    const [{ id: slot }] = (await admin('GET', `nodes/${id}/resource-slots`)).body.data;
    for (const how of ['disable', 'quarantine', 'clear', 'enable']) {
      expect((await admin('POST', `nodes/${id}/slots/${slot}/${how}`, because)).body.code, how).toBe('slot_in_use');
    }
  });

  it('of another node are not there', async () => {
    const [one, two] = [await place(), await place()];
    const [{ id: slot }] = (await admin('GET', `nodes/${one}/resource-slots`)).body.data;
    expect((await admin('POST', `nodes/${two}/slots/${slot}/disable`, because)).body.code).toBe('slot_not_found');
  });
});

describe('the life of a host', () => {
  const go = (id: string, how: string, body: object = because) => admin('POST', `nodes/${id}/${how}`, body);
  const ask = (id: string, what: string) => admin('POST', `nodes/${id}/${what}`);

  it('takes work only once it is active, has slots and has the images', async () => {
    const id = await place({ schedulable: false, slots: [], state: 'enrolling' });
    const { rows } = await world.root.query(`select slug from os_images where 'h200-sxm-slice' = any (skus)`);
    await asSystem(world.root, `update os_images set active = true where 'h200-sxm-slice' = any (skus)`, []);
    try {
      const early = await go(id, 'publish', {});
      expect(early).toMatchObject({ status: 409, body: { code: 'node_not_ready' } });
      expect(early.body.details.missing).toHaveLength(3);
      const ready = await place({ schedulable: false });
      expect((await go(ready, 'publish', {})).body.details.missing[0]).toContain(rows[0].slug);
      await cacheImages(world.root, ready);
      expect((await go(ready, 'publish', {})).body).toMatchObject({ schedulable: true });
      expect((await go(ready, 'cordon')).body).toMatchObject({ schedulable: false, cordon_reason: 'a test' });
      expect((await go(ready, 'uncordon', {})).body).toMatchObject({ schedulable: true, cordon_reason: null });
    } finally {
      await asSystem(world.root, 'update os_images set active = false', []);
    }
  });

  it('is drained with notice, or called back', async () => {
    const id = await place();
    const { body, status } = await go(id, 'drain', { ...because, notice_minutes: 30 });
    const deadline = new Date(clock.now().getTime() + 30 * 60_000).toISOString();
    expect({ status, body }).toMatchObject({ status: 202, body: { state: 'draining', drain_deadline_at: deadline } });
    const { rows } = await world.root.query(
      `select envelope -> 'payload' as payload from outbox_events
       where key = $1 and subject = 'provisioning.node.drain_requested'`,
      [id],
    );
    expect(rows).toMatchObject([{ payload: { node_id: id, deadline_at: deadline, reason: 'operator' } }]);
    expect((await go(id, 'resume', {})).body).toMatchObject({ state: 'active', drain_deadline_at: null });
    const usual = await go(id, 'drain');
    expect(usual.body.drain_deadline_at).toBe(new Date(clock.now().getTime() + 60 * 60_000).toISOString());
  });

  it('is quarantined with a reason and cleared', async () => {
    const id = await place();
    expect((await go(id, 'quarantine', { reason: 'Xid 79 twice' })).body).toMatchObject({
      state: 'quarantined',
      state_reason: 'Xid 79 twice',
    });
    expect((await go(id, 'drain')).body.code).toBe('illegal_transition');
    // A probe from before says nothing about what was found since.
    await passProbe(world.root, id, new Date(clock.now().getTime() - 1_000));
    const early = await go(id, 'clear');
    expect(early).toMatchObject({ status: 409, body: { code: 'probe_required' } });
    const clearing = async () =>
      (await admin('GET', `nodes/${id}`)).body.actions.find(({ action }: { action: string }) => action === 'clear');
    expect(await clearing()).toMatchObject({ allowed: false, why_not: early.body.message });
    await passProbe(world.root, id, new Date(clock.now().getTime() + 1_000));
    expect(await clearing()).toMatchObject({ allowed: true });
    expect((await go(id, 'clear')).body).toMatchObject({ state: 'active' });
  });

  it('is neither retired nor removed while it serves somebody', async () => {
    const id = await place();
    const held = await allocation(id);
    expect(await go(id, 'retire')).toMatchObject({
      status: 409,
      body: { code: 'node_in_use', details: { allocations: [held], count: 1 } },
    });
    expect(await stored(id)).toMatchObject({ state: 'active' });
    await go(id, 'quarantine');
    expect((await admin('DELETE', `nodes/${id}`, because)).body.code).toBe('node_in_use');
  });

  it('is retired empty, comes back cordoned, and is removed', async () => {
    const id = await place();
    expect((await go(id, 'retire')).body).toMatchObject({ state: 'retired', slots: { disabled: 2 } });
    expect((await go(id, 'readmit')).body.code).toBe('probe_required');
    await passProbe(world.root, id, new Date(clock.now().getTime() + 1_000));
    expect((await go(id, 'readmit')).body).toMatchObject({ state: 'active', schedulable: false });
    await go(id, 'retire');
    const removed = await admin('DELETE', `nodes/${id}`, because);
    expect({ status: removed.status, state: removed.body.state }).toEqual({ status: 202, state: 'removing' });
  });

  it('that is retired while somebody reaches for its last slot has one winner', async () => {
    const actor = systemViewer('tester', { correlationId: 'c', organizationId: home.organizationId });
    const reach = (slotId: string, allocationId: string) =>
      world.database.database.write(makeAct(actor, 'slot.reserve', systemIds.next()), async (tx) => {
        const how = { wait: true, lostAfterSeconds: 3_600, newcomer: undefined };
        const taken = await reserveSlots(tx, { slotIds: [slotId], allocationId, ...how });
        if (!taken) return tx.abandon(new Fault('sku_unavailable', 'gone'));
        return tx.commit(taken, { target: { type: 'slot', id: slotId }, events: 'none' });
      });
    for (let round = 0; round < 10; round += 1) {
      const id = await place({ slots: [{}] });
      const elsewhere = await allocation(await place({ slots: [] }), { state: 'provisioning' });
      const [{ id: slot }] = (await admin('GET', `nodes/${id}/resource-slots`)).body.data;
      const [retired, reserved] = await Promise.all([go(id, 'retire'), reach(slot, elsewhere)]);
      const { state } = await stored(id);
      expect([retired.status, state, reserved instanceof Fault]).toEqual(
        retired.status === 200 ? [200, 'retired', true] : [409, 'active', false],
      );
    }
  });

  it('that never enrolled is gone at once, with its token, and its name is free', async () => {
    const name = `n-${systemIds.next()}`;
    const { body } = await create({ name });
    expect((await admin('DELETE', `nodes/${body.node.id}`, because)).body.state).toBe('deleted');
    const { rows } = await world.root.query('select revoked_at from node_enrolments where node_id = $1', [
      body.node.id,
    ]);
    expect(rows[0].revoked_at).not.toBeNull();
    expect((await create({ name })).status).toBe(201);
    const found = await admin('GET', 'nodes?limit=200');
    expect(found.body.data.map(({ id }: { id: string }) => id)).not.toContain(body.node.id);
  });

  it('is asked what it is made of and how it is, when it listens', async () => {
    const id = await place();
    const asked = await ask(id, 'topology/discover');
    expect(asked.status, asked.text).toBe(202);
    await ask(id, 'health-probe');
    const { body } = await admin('GET', `nodes/${id}/tasks`);
    expect(body.data).toMatchObject([
      { task_type: 'diag.health_probe', state: 'queued', allocation_id: null },
      { id: asked.body.task_id, task_type: 'slice.topology_discover', state: 'queued' },
    ]);
    const lost = await place({ state: 'offline' });
    expect((await ask(lost, 'health-probe')).body.code).toBe('node_offline');
  });
});

describe('what is stuck', () => {
  /** One allocation that was provisioning for so long, then active. */
  const ran = async (seconds: number) => {
    const id = await allocation(await place(), { state: 'active' });
    await moment(id, 'transition', 'provisioning', -seconds - 60);
    await moment(id, 'transition', 'active', -60);
  };
  const moment = async (id: string, kind: string, name: string, afterSeconds: number) => {
    await asSystem(
      world.root,
      `insert into allocation_timeline (id, allocation_id, organization_id, at, kind, name, to_state, version, detail)
       values ($1, $2, $3, $4, $5, $6, $7, $8, '{}')`,
      [
        systemIds.next(),
        id,
        home.organizationId,
        new Date(clock.now().getTime() + afterSeconds * 1_000),
        kind,
        name,
        kind === 'transition' ? name : null,
        kind === 'transition' ? Math.abs(afterSeconds) : null,
      ],
    );
  };
  const stuck = async () => (await admin('GET', 'allocations/stuck')).body.data;
  const found = async (id: string) =>
    (await stuck()).find((each: { allocation_id: string }) => each.allocation_id === id);

  it('is what stays in a phase longer than others did, and longer than the floor', async () => {
    const id = await allocation(await place(), { state: 'provisioning' });
    await moment(id, 'transition', 'provisioning', -299);
    expect(await found(id)).toBeUndefined();
    await clock.advance(2_000);
    expect(await found(id)).toMatchObject({ phase: 'provisioning', usual_seconds: null, limit_seconds: 300 });
    for (let n = 0; n < 5; n += 1) await ran(1_000);
    expect(await found(id)).toBeUndefined();
    await clock.advance(700_000);
    expect(await found(id)).toMatchObject({ usual_seconds: 1_000, limit_seconds: 1_000, seconds: 1_001 });
    await moment(id, 'phase', 'image', 0);
    expect(await found(id)).toBeUndefined();
    await clock.advance(301_000);
    expect(await found(id)).toMatchObject({ phase: 'image', usual_seconds: null });
  });

  it('is not what waits in the queue or runs', async () => {
    const [active, queued] = [await allocation(await place()), await allocation(await place(), { state: 'requested' })];
    await asSystem(
      world.root,
      `update allocations set placement_status = 'queued', queue_deadline_at = now() + interval '1 day',
         version = version + 1 where id = $1`,
      [queued],
    );
    await clock.advance(3_600_000);
    expect(await found(active)).toBeUndefined();
    expect(await found(queued)).toBeUndefined();
  });

  it('shows in the health of the fleet, with everything else', async () => {
    const { body } = await admin('GET', 'fleet/health');
    const count = async (text: string) => (await world.root.query(text)).rows[0].n;
    expect(body).toMatchObject({
      nodes: { active: await count(`select count(*)::int as n from nodes where state = 'active'`) },
      slots: { in_use: await count(`select count(*)::int as n from slots where state = 'in_use'`) },
      lost_nodes: await count(`select count(*)::int as n from nodes where state = 'offline'`),
      queued_allocations: 1,
      stuck_allocations: (await stuck()).length,
    });
    expect(body.stuck_allocations).toBeGreaterThan(0);
  });

  it('counts releases that wait for their machine beyond its time and the time of the policy', async () => {
    const at = await place();
    const id = await allocation(at, { state: 'releasing' });
    const taskId = systemIds.next();
    const begunAt = clock.now();
    await asSystem(
      world.root,
      `insert into node_tasks (id, node_id, organization_id, allocation_id, task_type, generation, envelope, correlation_id,
         issued_at, expires_at)
       values ($1, $2, $3, $4, 'slice.vm_release', 1, $5, 'test', $6, $6::timestamptz + interval '1 day')`,
      [taskId, at, home.organizationId, id, JSON.stringify({ params: { grace_seconds: 30 } }), begunAt],
    );
    await asSystem(
      world.root,
      `update node_tasks set state = 'dispatched', version = version + 1, dispatched_at = $2 where id = $1`,
      [taskId, begunAt],
    );
    const begins = (name: string) =>
      asSystem(
        world.root,
        `insert into allocation_timeline (id, allocation_id, organization_id, at, kind, name, detail)
         values ($1, $2, $3, $4, 'phase', $5, $6)`,
        [systemIds.next(), id, home.organizationId, clock.now(), name, JSON.stringify({ task_id: taskId })],
      );
    const waiting = () =>
      world.database.database.read(systemViewer('test', { correlationId: 'test' }), (tx) =>
        countWaitingForGuest(tx, { clock, policies: { number: () => 120 } }),
      );
    await begins('shutdown');
    await clock.advance(149_000);
    expect(await waiting()).toBe(0);
    await begins('destroy');
    await clock.advance(2_000);
    expect(await waiting()).toBe(1);
    // The machine has ended: what follows is not a wait for it.
    await begins('wipe');
    expect(await waiting()).toBe(0);
  });

  it('shows on the page of metrics, state by state', async () => {
    const metrics = makeMetrics('test', '0.0.0');
    const policies = { number: () => 1 };
    showFleet({ db: world.database.database, ids: systemIds, clock, policies, metrics });
    const text = await metrics.scrape();
    const { body } = await admin('GET', 'fleet/health');
    for (const [state, many] of Object.entries(body.nodes)) {
      expect(text).toContain(`gpuaas_nodes{state="${state}",process="test"} ${many}`);
    }
    for (const [state, many] of Object.entries(body.slots)) {
      expect(text).toContain(`gpuaas_slots{state="${state}",process="test"} ${many}`);
    }
    expect(text).toMatch(/gpuaas_allocations_stuck\{process="test"\} [1-9]/);
    expect(text).toContain('gpuaas_releases_waiting_for_guest{process="test"} 0');
    expect(text).toMatch(/gpuaas_nodes_oldest_report_age_seconds\{process="test"\} [1-9]/);
  });
});
