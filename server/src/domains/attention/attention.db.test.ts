import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { actsOf } from '../../kernel/act.ts';
import { systemIds } from '../../kernel/id.ts';
import { silentLog } from '../../kernel/telemetry/log.ts';
import { makeMetrics } from '../../kernel/telemetry/metrics.ts';
import { asSystem, openWorld, type Tenant, type World } from '../../testing/world.ts';
import { type Fleet, sliceSku, stockFleet, testRegion } from '../allocations/testing.ts';
import { makeAlertReconciler, makeSilenceCheck } from './index.ts';

let world: World;
let fleet: Fleet;
let home: Tenant;
let operator: string;
beforeAll(async () => {
  world = await openWorld();
  fleet = await stockFleet(world.root);
  home = await world.found('home');
  operator = await world.operator();
});
afterAll(() => world.close());
beforeEach(async () => {
  await asSystem(world.root, 'delete from alerts', []);
  // The breaker has tests of its own: here automation may take every host.
  await asSystem(
    world.root,
    `insert into policy_values (id, key, level, subject_id, value, hard, reason)
     values ($1, 'automation.breaker_percent', 'global', '', '100', false, 'a test') on conflict do nothing`,
    [systemIds.next()],
  );
  await fleet.removeNodes();
});

const never = new AbortController().signal;
const metrics = makeMetrics('test', '0.0.0');
const parts = () => ({
  ...{ db: world.database.database, begin: actsOf('attention', systemIds), ids: systemIds },
  ...{ log: silentLog, metrics },
});
const look = () => makeAlertReconciler(parts()).round(never);
const admin = (method: string, path: string, body?: object) =>
  world.call(method, `/api/v1/admin/${path}`, {
    as: operator,
    ...(method !== 'GET' && { key: systemIds.next() }),
    ...(body && { body }),
  });
const tenant = (method: string, path: string, body?: object) =>
  world.call(method, `/api/v1/allocations${path}`, {
    as: home.token,
    ...(method !== 'GET' && { key: systemIds.next() }),
    ...(body && { body }),
    headers: { 'x-project-id': home.projectId },
  });
const launch = (gpus = 1) => tenant('POST', '', { sku: sliceSku, gpus, region: testRegion });
const report = (node: string, conditions: readonly object[]) =>
  world.root.query('update node_reports set conditions = $2, reported_at = now() where node_id = $1', [
    node,
    JSON.stringify(conditions),
  ]);
const xid = (slot: number) => ({
  ...{ type: 'GpusHealthy', status: 'False', reason: 'Xid79', message: `Slot ${slot}: xid_79.` },
  since: new Date().toISOString(),
});
const slotsOf = async (node: string) =>
  (await world.root.query('select id, state, health_state from slots where node_id = $1 order by slot_index', [node]))
    .rows as { id: string; state: string; health_state: string }[];

describe('a GPU with Xid 79', () => {
  it('is not sold while it is free, is shown to operators, and is sold again when it has healed', async () => {
    const node = await fleet.addNode({ groups: [1] });
    await report(node.id, [xid(0)]);
    await look();
    expect(await slotsOf(node.id)).toMatchObject([{ state: 'available', health_state: 'failed' }]);
    expect(await launch()).toMatchObject({ status: 409 });
    expect((await admin('GET', `nodes/${node.id}`)).body).toMatchObject({
      sellable_slots: 0,
      alerts: [{ source: 'health', effect: 'blocks_sale', slot_index: 0, message: expect.stringContaining('Xid79') }],
    });
    expect((await admin('GET', 'alerts?effect=blocks_sale')).body.data).toMatchObject([{ node_id: node.id }]);
    expect((await admin('GET', 'fleet/health')).body).toMatchObject({ sellable_slots: 0, alerts: { blocks_sale: 1 } });
    const found = (await admin('GET', 'health')).body.findings;
    expect(found.find(({ name }: { name: string }) => name === 'alerts_blocking')).toMatchObject({ status: 'warn' });
    await report(node.id, []);
    await look();
    expect((await admin('GET', 'alerts')).body.data).toEqual([]);
    expect((await launch()).status).toBe(201);
  });

  it('is told to whoever rents it, and to no neighbour', async () => {
    const node = await fleet.addNode({ groups: [2] });
    const [one, other] = [await launch(), await launch()];
    const { rows } = await world.root.query('select slot_index from slots where allocation_id = $1', [one.body.id]);
    await report(node.id, [xid(rows[0].slot_index)]);
    await look();
    expect((await tenant('GET', `/${one.body.id}`)).body).toMatchObject({
      reachable: true,
      concerns: [{ kind: 'gpu_fault', message: expect.stringContaining('Xid 79') }],
    });
    expect((await tenant('GET', `/${other.body.id}`)).body.concerns).toEqual([]);
  });

  it('is held before it could be sold: in the transaction in which it comes back', async () => {
    const node = await fleet.addNode({ groups: [1] });
    const made = await launch();
    // Nobody has judged the report when the slot becomes free.
    await report(node.id, [xid(0)]);
    expect((await tenant('POST', `/${made.body.id}/release`, {})).status).toBeLessThan(300);
    expect(await slotsOf(node.id)).toMatchObject([{ state: 'available', health_state: 'failed' }]);
    expect(await launch()).toMatchObject({ status: 409 });
  });
});

describe('a node whose report is faulty', () => {
  /** Two nodes in the order in which a round takes them. */
  const twoNodes = async () => {
    const nodes = [await fleet.addNode({ groups: [1] }), await fleet.addNode({ groups: [1] })];
    const [first, second] = nodes.map(({ id }) => id).sort();
    return { first: first as string, second: second as string };
  };
  it('may say the same twice: it is kept once, and the nodes after it are judged', async () => {
    const { first, second } = await twoNodes();
    const informs = { ...xid(0), reason: 'Said', message: 'twice' };
    await report(first, [informs, { ...informs, message: 'again' }, xid(0), xid(0)]);
    await report(second, [xid(0)]);
    await look();
    expect(await slotsOf(first)).toMatchObject([{ health_state: 'failed' }]);
    expect(await slotsOf(second)).toMatchObject([{ health_state: 'failed' }]);
    const { rows } = await world.root.query('select message from alerts where node_id = $1 order by slot_id', [first]);
    expect(rows).toEqual([{ message: 'Xid79: Slot 0: xid_79.' }, { message: 'Said: twice' }]);
  });

  it('is skipped when it cannot be judged; that is counted, and the nodes after it are judged', async () => {
    const { first, second } = await twoNodes();
    await report(first, [{ ...xid(0), type: 'no kind of alert' }]);
    await report(second, [xid(0)]);
    await look();
    expect(await slotsOf(second)).toMatchObject([{ health_state: 'failed' }]);
    expect(await metrics.scrape()).toMatch(/gpuaas_reconciler_skipped_total\{[^}]*reconciler="attention"[^}]*\} 1/);
  });
});

describe('a silent node', () => {
  const ago = (minutes: number) => new Date(Date.now() - minutes * 60_000);
  const go = async (node: string, ...states: string[]) => {
    for (const state of states) {
      await asSystem(world.root, 'update nodes set state = $2, version = version + 1 where id = $1', [node, state]);
    }
  };
  it.each([['active'], ['draining'], ['quarantined'], ['offline']])(
    'is seen when it is %s; who rents there is told, and nothing ends',
    async (state) => {
      const node = await fleet.addNode({ groups: [2] });
      const made = await launch();
      if (state !== 'active') await go(node.id, state);
      await world.root.query('update node_reports set reported_at = $2 where node_id = $1', [node.id, ago(30)]);
      const silence = makeSilenceCheck(parts());
      await silence(undefined, ago(1));
      expect((await tenant('GET', `/${made.body.id}`)).body.reachable).toBe(true);
      await silence(ago(10), ago(1));
      const shown = (await tenant('GET', `/${made.body.id}`)).body;
      expect(shown).toMatchObject({ reachable: false, state: 'provisioning', over: false });
      expect(shown.concerns.map(({ kind }: { kind: string }) => kind)).toContain('unreachable');
      expect((await slotsOf(node.id)).map((slot) => slot.health_state)).toEqual(['degraded', 'degraded']);
      await world.root.query('update node_reports set reported_at = now() where node_id = $1', [node.id]);
      await silence(ago(10), ago(1));
      expect((await tenant('GET', `/${made.body.id}`)).body).toMatchObject({ reachable: true });
      expect((await admin('GET', `alerts?node=${node.id}`)).body.data).toEqual([]);
    },
  );

  it('that is drained is shown to those who rent there, with the deadline', async () => {
    const node = await fleet.addNode({ groups: [1] });
    const made = await launch();
    const drained = await admin('POST', `nodes/${node.id}/drain`, { reason: 'a test', notice_minutes: 90 });
    expect((await tenant('GET', `/${made.body.id}`)).body.concerns).toMatchObject([
      { kind: 'draining', deadline_at: drained.body.drain_deadline_at },
    ]);
  });
});

describe('an operator', () => {
  it('holds a node back from sale, and lets it go', async () => {
    const node = await fleet.addNode({ groups: [1] });
    const raised = await admin('POST', 'alerts', {
      ...{ node_id: node.id, effect: 'blocks_sale', message: 'fan 2 is loud' },
    });
    expect(raised.status, raised.text).toBe(201);
    expect(await launch()).toMatchObject({ status: 409 });
    // A look of another source leaves it alone.
    await look();
    expect((await admin('GET', 'alerts')).body.data).toHaveLength(1);
    expect((await admin('DELETE', `alerts/${raised.body.id}`, { reason: 'it was changed' })).status).toBe(200);
    expect((await launch()).status).toBe(201);
  });

  it('blocks transitions of a node, except those that only take trust away', async () => {
    const node = await fleet.addNode({ groups: [1] });
    await admin('POST', 'alerts', {
      node_id: node.id,
      effect: 'blocks_transition',
      message: 'somebody is in the rack',
    });
    const refused = await admin('POST', `nodes/${node.id}/drain`, { reason: 'a test' });
    expect(refused.body).toMatchObject({
      code: 'illegal_transition',
      message: 'An alert blocks it: somebody is in the rack',
    });
    const drain = (await admin('GET', `nodes/${node.id}`)).body.actions.find(
      ({ action }: { action: string }) => action === 'drain',
    );
    expect(drain).toEqual({ action: 'drain', allowed: false, why_not: refused.body.message });
    expect((await admin('POST', `nodes/${node.id}/quarantine`, { reason: 'a test' })).status).toBe(200);
    // A node that is set aside has nothing to sell.
    expect((await admin('GET', `nodes/${node.id}`)).body).toMatchObject({ slots: { available: 1 }, sellable_slots: 0 });
    expect((await admin('GET', 'fleet/health')).body.sellable_slots).toBe(0);
  });

  it('does not clear what a program raised', async () => {
    const node = await fleet.addNode({ groups: [1] });
    await report(node.id, [xid(0)]);
    await look();
    const [alert] = (await admin('GET', 'alerts')).body.data;
    expect((await admin('DELETE', `alerts/${alert.id}`, { reason: 'a test' })).body.code).toBe('illegal_transition');
  });
});
