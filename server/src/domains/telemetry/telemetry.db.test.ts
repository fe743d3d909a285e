import type { NodeSample } from '@gpuaas/contract/node';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { makeTestClock } from '../../kernel/clock.ts';
import { systemIds } from '../../kernel/id.ts';
import { silentLog } from '../../kernel/telemetry/log.ts';
import { makeMetrics } from '../../kernel/telemetry/metrics.ts';
import type { DatabasePort } from '../../ports/database/port.ts';
import { openPostgres } from '../../ports/database/postgres.ts';
import { asSystem, openWorld, type Tenant, type World } from '../../testing/world.ts';
import { putAllocation } from '../allocations/testing.ts';
import { makeTakeSamples, makeTelemetryPoints, makeTelemetryUpkeep } from './index.ts';

/** A moment at which a coarse point begins. */
const start = new Date(Math.ceil(Date.now() / 300_000) * 300_000 + 3_600_000);
const clock = makeTestClock(start);
const signal = new AbortController().signal;
const uuids = [1, 2].map((at) => `GPU-00000000-1111-2222-3333-${String(at).padStart(12, '0')}`);
const numbers = { 'telemetry.fine_hours': 24, 'telemetry.coarse_days': 2 } as const;
const policies = { number: (key: string) => numbers[key as keyof typeof numbers] };

let world: World;
let api: DatabasePort;
let worker: DatabasePort;
let home: Tenant;
let other: Tenant;
let take: ReturnType<typeof makeTakeSamples>;
let upkeep: () => Promise<string>;
beforeAll(async () => {
  world = await openWorld({ clock });
  const open = (role: 'gpuaas_api' | 'gpuaas_worker') =>
    openPostgres({ url: world.schema.as(role), clock, ids: systemIds, log: silentLog, name: 'test', poolSize: 4 });
  [api, worker] = await Promise.all([open('gpuaas_api'), open('gpuaas_worker')]);
  [home, other] = [await world.found('home'), await world.found('other')];
  await world.operator('operator');
  take = makeTakeSamples({
    points: makeTelemetryPoints(api.unaudited),
    policies,
    clock,
    metrics: makeMetrics('test', '0.0.0'),
  });
  upkeep = () => makeTelemetryUpkeep({ points: makeTelemetryPoints(worker.unaudited), policies, clock }).round(signal);
});
afterAll(async () => {
  await api?.close();
  await worker?.close();
  await world?.close();
});

/** An allocation that became active at the start, in one of the shapes. */
async function rented(tenant: Tenant, shape: 'baremetal' | 'gpu_slice') {
  const id = await putAllocation(world.root, tenant, 'active');
  await asSystem(
    world.root,
    'update allocations set capacity_shape = $2, active_at = $3, version = version + 1 where id = $1',
    [id, shape, start],
  );
  const { rows } = await world.root.query('select node_id from allocations where id = $1', [id]);
  return { id, node: rows[0].node_id as string };
}
const release = (id: string, at: Date) =>
  asSystem(
    world.root,
    `update allocations set state = 'releasing', releasing_at = $2, version = version + 1 where id = $1`,
    [id, at],
  );
const after = (seconds: number) => new Date(start.getTime() + seconds * 1_000);
const sampleAt = (seconds: number, more: Partial<NodeSample> = {}, load = 50): NodeSample => ({
  at: after(seconds).toISOString(),
  source: 'host',
  gpus: uuids,
  host: { cpu_percent: 10 },
  gpu: {
    utilization: [load, null],
    ecc_corrected_total: [Math.max(0, seconds), 0],
    throttle: [seconds % 20 === 0 ? 4 : 0x40, 0],
  },
  ...more,
});
interface Series {
  readonly source: string;
  readonly unavailable: string | null;
  readonly resolution_seconds: number;
  readonly data: readonly { readonly at: string; readonly gpu: Readonly<Record<string, readonly (number | null)[]>> }[];
}
/** Time passes faster than tokens live: each call has a new one. */
const call = async (path: string, { subject, projectId }: Pick<Tenant, 'subject'> & Partial<Tenant>) =>
  world.call('GET', path, {
    as: await world.token(subject),
    ...(projectId !== undefined && { headers: { 'x-project-id': projectId } }),
  });
const operator = { subject: 'operator' };
const get = async (path: string, who: Pick<Tenant, 'subject'>): Promise<Series> => (await call(path, who)).body;
const ofAllocation = (id: string, tenant: Tenant, query = '') =>
  get(`/api/v1/allocations/${id}/metrics${query}`, { subject: tenant.subject });
const ofNode = (id: string, query = '') => get(`/api/v1/admin/nodes/${id}/metrics${query}`, operator);
const range = (from: number, to: number, resolution?: number) =>
  `?from=${after(from).toISOString()}&to=${after(to).toISOString()}${resolution === undefined ? '' : `&resolution=${resolution}`}`;

describe('what hosts measure', () => {
  beforeEach(async () => {
    const behind = start.getTime() + 3_600_000 - clock.now().getTime();
    if (behind > 0) await clock.advance(behind);
  });

  it('belongs to the one who had the whole node at that time, by our rows and not by the node’s word', async () => {
    const { id, node } = await rented(home, 'baremetal');
    await release(id, after(100));
    expect(
      await take(
        node,
        [-20, 10, 40, 100, 130].map((at) => sampleAt(at)),
      ),
    ).toEqual({ stored: 5, refused: 0 });
    const mine = await ofAllocation(id, home, range(-60, 600));
    expect(mine).toMatchObject({ source: 'host_local_probe', unavailable: null, resolution_seconds: 10 });
    expect(mine.data.map(({ at }) => at)).toEqual([after(10).toISOString(), after(40).toISOString()]);
    expect(mine.data[0]).toMatchObject({ host: { cpu_percent: 10 }, gpu: { utilization: [50, null] } });
    expect((await ofNode(node, range(-60, 600))).data).toHaveLength(5);
    const foreign = await call(`/api/v1/allocations/${id}/metrics`, { subject: other.subject });
    const nowhere = await call(`/api/v1/allocations/${systemIds.next()}/metrics`, { subject: other.subject });
    expect([foreign.status, foreign.body.code]).toEqual([404, nowhere.body.code]);
  });

  it('of a guest is stored only for a slice that this node holds', async () => {
    const [slice, elsewhere, whole] = [
      await rented(home, 'gpu_slice'),
      await rented(other, 'gpu_slice'),
      await rented(other, 'baremetal'),
    ];
    const guest = (allocation: string) => sampleAt(10, { source: 'guest', allocation_id: allocation });
    expect(await take(slice.node, [guest(slice.id)])).toEqual({ stored: 1, refused: 0 });
    for (const foreign of [elsewhere.id, whole.id, systemIds.next()]) {
      expect(await take(slice.node, [guest(foreign)])).toEqual({ stored: 0, refused: 1 });
    }
    // The values of the host are the operator's: a slice never shows them.
    await take(slice.node, [sampleAt(10, {}, 99)]);
    const shown = await ofAllocation(slice.id, home, range(0, 60));
    expect(shown).toMatchObject({ source: 'slice_guest', data: [{ gpu: { utilization: [50, null] } }] });
    expect((await ofNode(slice.node, range(0, 60))).data).toMatchObject([{ gpu: { utilization: [99, null] } }]);
    expect(await ofAllocation(elsewhere.id, other, range(0, 60))).toMatchObject({
      source: 'unavailable',
      unavailable: expect.stringContaining('reports no measurements'),
      data: [],
    });
  });

  it('of a guest informs its tenant and decides nothing: no alert, no held slot, no charge, no end of one', async () => {
    const slice = await rented(home, 'gpu_slice');
    const broken = sampleAt(10, {
      source: 'guest',
      allocation_id: slice.id,
      gpu: { utilization: [0, 0], xid: [79, 79], ecc_uncorrected_total: [9, 9], temperature_celsius: [120, 120] },
    });
    const everything = async () => {
      const { rows } = await world.root.query(
        `select (select jsonb_agg(to_jsonb(a) order by a.id) from allocations a where a.id = $1) as allocation,
           (select jsonb_agg(to_jsonb(s) order by s.id) from slots s where s.node_id = $2) as slots,
           (select to_jsonb(n) from nodes n where n.id = $2) as node,
           (select count(*)::int from alerts) as alerts, (select count(*)::int from usage_windows) as usage,
           (select count(*)::int from ledger_entries) as ledger, (select count(*)::int from outbox_events) as events`,
        [slice.id, slice.node],
      );
      return rows[0];
    };
    const before = await everything();
    expect(await take(slice.node, [broken])).toEqual({ stored: 1, refused: 0 });
    expect(await ofAllocation(slice.id, home, range(0, 60))).toMatchObject({ data: [{ gpu: { xid: [79, 79] } }] });
    expect(await everything()).toEqual(before);
  });

  it('comes twice and is kept once; from the future or too old it is refused', async () => {
    const { id, node } = await rented(home, 'baremetal');
    const batch = [sampleAt(10), sampleAt(20)];
    await take(node, batch);
    await take(node, batch);
    expect((await ofAllocation(id, home, range(0, 60))).data).toHaveLength(2);
    expect(await take(node, [sampleAt(3_600 + 61), sampleAt(3_600 - 86_401)])).toEqual({ stored: 0, refused: 2 });
    expect(await take(systemIds.next(), batch)).toEqual({ stored: 0, refused: 2 });
  });

  it('is kept as averages of five minutes, made anew when late samples come, and removed when its time is over', async () => {
    const { id, node } = await rented(home, 'baremetal');
    await take(node, [sampleAt(0, {}, 20), sampleAt(10, {}, 40)]);
    await upkeep();
    const coarse = () => ofAllocation(id, home, range(-300, 900, 300));
    expect((await coarse()).data).toMatchObject([
      { at: start.toISOString(), gpu: { utilization: [30, null], ecc_corrected_total: [10, 0], throttle: [0x44, 0] } },
    ]);
    await take(node, [sampleAt(290, {}, 90), sampleAt(300, {}, 70)]);
    await upkeep();
    expect((await coarse()).data.map(({ gpu }) => gpu['utilization']?.[0])).toEqual([50, 70]);
    await clock.advance(25 * 3_600_000);
    await upkeep();
    expect((await ofAllocation(id, home, range(-300, 900, 10))).data).toEqual([]);
    expect((await coarse()).data).toHaveLength(2);
    // Without a wish for it, the coarse points answer for a time that the fine ones no longer cover.
    expect(await ofAllocation(id, home, range(0, 900))).toMatchObject({ resolution_seconds: 300 });
    await clock.advance(48 * 3_600_000);
    await upkeep();
    expect((await coarse()).data).toEqual([]);
    const { rows } = await world.root.query('select count(*)::int as n from telemetry_points');
    expect(rows).toEqual([{ n: 0 }]);
  });

  it('has a range that ends after it begins and fits into one answer', async () => {
    const { id } = await rented(home, 'baremetal');
    const ask = (query: string) => call(`/api/v1/allocations/${id}/metrics${query}`, { subject: home.subject });
    for (const query of [range(10, 0), range(0, 0), range(0, 20_161, 10), range(0, 700_000)]) {
      expect((await ask(query)).body).toMatchObject({ code: 'metrics_range_invalid', status: 422 });
    }
    expect((await ask(range(0, 20_160, 10))).status).toBe(200);
  });
});

describe('the last values', () => {
  it('are those of the last minute, of the caller’s project or of every node, also for Prometheus', async () => {
    const { id, node } = await rented(home, 'baremetal');
    const now = (clock.now().getTime() - start.getTime()) / 1_000;
    await take(node, [sampleAt(now - 15, {}, 11), sampleAt(now - 5, {}, 22)]);
    const listed = await call('/api/v1/metrics', home);
    const data = listed.body.data as { allocation_id: string; latest: unknown }[];
    expect(data.find(({ allocation_id }) => allocation_id === id)?.latest).toMatchObject({
      gpu: { utilization: [22, null] },
    });
    const foreign = await call('/api/v1/metrics', other);
    expect(JSON.stringify(foreign.body)).not.toContain(id);
    const text = await call('/api/v1/metrics/prometheus', home);
    expect(text.headers['content-type']).toContain('text/plain; version=0.0.4');
    expect(text.text).toContain(`gpuaas_allocation_gpu_utilization_ratio{allocation_id="${id}",name="A test"`);
    const fleet = await call('/api/v1/admin/fleet/metrics/prometheus', operator);
    expect(fleet.text).toMatch(
      new RegExp(`gpuaas_node_gpu_utilization_ratio\\{node_id="${node}"[^}]*gpu="0"[^}]*\\} 0\\.22`),
    );
    await clock.advance(120_000);
    const later = await call('/api/v1/admin/fleet/metrics', operator);
    const shown = later.body.data as { node_id: string }[];
    expect(shown.find(({ node_id }) => node_id === node)).toMatchObject({
      latest: null,
      unavailable: expect.stringContaining('no measurements'),
    });
  });
});
