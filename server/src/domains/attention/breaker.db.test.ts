import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { actsOf } from '../../kernel/act.ts';
import { systemClock } from '../../kernel/clock.ts';
import { systemIds } from '../../kernel/id.ts';
import { silentLog } from '../../kernel/telemetry/log.ts';
import { makeMetrics } from '../../kernel/telemetry/metrics.ts';
import type { DatabasePort } from '../../ports/database/port.ts';
import { openPostgres } from '../../ports/database/postgres.ts';
import { asSystem, openWorld, type World } from '../../testing/world.ts';
import { makeDriftGuard } from '../allocations/guards/drift-guard.ts';
import { type Fleet, stockFleet } from '../allocations/testing.ts';
import { makeAlertPublisher, makeAlertReconciler, mayTake, showAlerts } from './index.ts';

let world: World;
let fleet: Fleet;
let operator: string;
let worker: DatabasePort;
beforeAll(async () => {
  world = await openWorld();
  fleet = await stockFleet(world.root);
  operator = await world.operator();
  worker = await openPostgres({
    ...{ url: world.schema.as('gpuaas_worker'), clock: systemClock, ids: systemIds, log: silentLog, name: 'worker' },
    poolSize: 8,
  });
});
afterAll(async () => {
  await worker.close();
  await world.close();
});
const forget = async () => {
  await asSystem(world.root, 'delete from alerts', []);
  for (const table of ['automation_held_back', 'automation_takes', 'automation_breakers', 'policy_values']) {
    await asSystem(world.root, `delete from ${table}`, []);
  }
};
beforeEach(async () => {
  await forget();
  await fleet.removeNodes();
});

const never = new AbortController().signal;
const db = () => worker.database;
const begin = actsOf('attention', systemIds);
const metrics = makeMetrics('test', '0.0.0');
const look = () => makeAlertReconciler({ db: db(), begin, ids: systemIds, log: silentLog, metrics }).round(never);
const tell = () => makeAlertPublisher({ db: db(), begin, ids: systemIds }).round(never);
const admin = (method: string, path: string, body?: object) =>
  world.call(method, `/api/v1/admin/${path}`, {
    as: operator,
    ...(method !== 'GET' && { key: systemIds.next() }),
    ...(body && { body }),
  });
const report = (node: string, conditions: readonly object[]) =>
  world.root.query('update node_reports set conditions = $2, reported_at = now() where node_id = $1', [
    node,
    JSON.stringify(conditions),
  ]);
const xid = {
  ...{ type: 'GpusHealthy', status: 'False', reason: 'Xid79', message: 'Slot 0: xid_79.' },
  since: new Date().toISOString(),
};
const addHosts = (many: number) => Promise.all(Array.from({ length: many }, () => fleet.addNode({ groups: [1] })));
const take = async (nodeId: string) => {
  const act = begin('alert.settle', { correlationId: systemIds.next() });
  const asked = await db().write(act, async (tx) =>
    tx.commit(await mayTake(tx, { kind: 'quarantine', nodeId, source: 'health', reason: 'a test' }), {
      target: { type: 'node', id: nodeId },
      events: 'none',
    }),
  );
  return asked.value.granted;
};
const setPercent = (percent: number) =>
  asSystem(
    world.root,
    `insert into policy_values (id, key, level, subject_id, value, hard, reason)
     values ($1, 'automation.breaker_percent', 'global', '', $2, false, 'a test')
     on conflict (key, level, subject_id) do update set value = excluded.value`,
    [systemIds.next(), JSON.stringify(percent)],
  );
const blockedHosts = async () =>
  (await world.root.query(`select count(distinct node_id)::int as n from slots where health_state <> 'healthy'`))
    .rows[0].n as number;
const eventsOf = async (type: string, about: string) =>
  (
    await world.root.query('select envelope from outbox_events where subject = $1 and key = $2 order by position', [
      ...[type, about],
    ])
  ).rows;

describe('a detector that finds fault with every host of a pool', () => {
  it('takes the share of its policy; the rest is still sold, and an alert names what is held back', async () => {
    const nodes = await addHosts(8);
    for (const { id } of nodes) await report(id, [xid]);
    await look();
    expect(await blockedHosts()).toBe(2);
    const alerts = (await admin('GET', 'alerts')).body.data;
    expect(alerts.filter(({ effect }: { effect: string }) => effect === 'blocks_sale')).toHaveLength(2);
    const [said] = alerts.filter(({ source }: { source: string }) => source === 'breaker');
    expect(said).toMatchObject({ effect: 'informs', node_id: null });
    expect(said.message).toMatch(
      /quarantines no more hosts .*2 of 8 hosts within 60 minutes, 2 allowed.*Held back: node-/,
    );
    const [breaker] = (await admin('GET', 'breakers?tripped=true')).body.data;
    expect(breaker).toMatchObject({ kind: 'quarantine', hosts: 8, allowed: 2, taken: 2, window_minutes: 60 });
    expect(breaker.held_back).toHaveLength(6);
    expect(Date.parse(breaker.resumes_at)).toBeGreaterThan(Date.now());
    // Another look writes nothing: it is held back already.
    const audits = async () => (await world.root.query('select count(*)::int as n from audit_logs')).rows[0].n;
    const before = await audits();
    await look();
    expect(await audits()).toBe(before);
  });

  it('still sees what has healed, and nothing that a person does is refused', async () => {
    const nodes = await addHosts(4);
    for (const { id } of nodes) await report(id, [xid]);
    await look();
    expect(await blockedHosts()).toBe(1);
    for (const { id } of nodes) {
      expect((await admin('POST', `nodes/${id}/quarantine`, { reason: 'a person wants it' })).status).toBe(200);
    }
    for (const { id } of nodes) await report(id, []);
    await look();
    expect(await blockedHosts()).toBe(0);
  });

  it('goes on when a person has reset the breaker and the window has room', async () => {
    const nodes = await addHosts(4);
    for (const { id } of nodes) await report(id, [xid]);
    await look();
    const [breaker] = (await admin('GET', 'breakers')).body.data;
    // Within the window a reset lets nothing more through: the breaker trips again.
    const reset = await admin('POST', `breakers/${breaker.id}/reset`, { reason: 'looked at it' });
    expect(reset.body).toMatchObject({ tripped_at: null, held_back: [], taken: 1, allowed: 1 });
    expect((await admin('GET', 'alerts?source=breaker')).body.data).toEqual([]);
    await look();
    expect(await blockedHosts()).toBe(1);
    expect((await admin('GET', 'breakers?tripped=true')).body.data).toHaveLength(1);
    await asSystem(world.root, `update automation_takes set taken_at = taken_at - interval '61 minutes'`, []);
    expect((await admin('POST', `breakers/${breaker.id}/reset`, { reason: 'looked at it' })).status).toBe(200);
    await look();
    expect(await blockedHosts()).toBe(2);
    expect((await admin('POST', `breakers/${systemIds.next()}/reset`, { reason: 'a test' })).body.code).toBe(
      'breaker_not_found',
    );
  });

  it('is published once, counted in metrics, and the reset is published too', async () => {
    const nodes = await addHosts(2);
    for (const { id } of nodes) await report(id, [xid]);
    await look();
    await tell();
    await tell();
    const [breaker] = (await admin('GET', 'breakers')).body.data;
    const told = await eventsOf('provisioning.breaker.tripped', breaker.id);
    expect(told).toHaveLength(1);
    expect(told[0].envelope).not.toHaveProperty('organization_id');
    const counted = makeMetrics('test', '0.0.0');
    showAlerts({ db: db(), ids: systemIds, metrics: counted });
    expect(await counted.scrape()).toMatch(/gpuaas_breakers_tripped\{[^}]*kind="quarantine"[^}]*\} 1/);
    expect(await counted.scrape()).toMatch(/gpuaas_breaker_held_back_hosts(\{[^}]*\})? 1/);
    await admin('POST', `breakers/${breaker.id}/reset`, { reason: 'looked at it' });
    expect(await eventsOf('provisioning.breaker.reset', breaker.id)).toHaveLength(1);
    expect((await admin('POST', `breakers/${breaker.id}/reset`, { reason: 'again' })).body.code).toBe(
      'illegal_transition',
    );
  });
});

describe('hosts of a pool that hold what nobody wants', () => {
  it('are quarantined up to the share; the others stay unsold by their alerts, and the breaker names them', async () => {
    const nodes = await addHosts(4);
    const lease = { generation: 1, slot_ids: [], state: 'running', deadline_at: null };
    for (const { id } of nodes) {
      await world.root.query('update node_reports set leases = $2, reported_at = now() where node_id = $1', [
        id,
        JSON.stringify([{ ...lease, allocation_id: systemIds.next() }]),
      ]);
    }
    const guard = makeDriftGuard(
      {
        ...{
          db: db(),
          begin: actsOf('guards', systemIds),
          ids: systemIds,
          clock: systemClock,
          log: silentLog,
          metrics,
        },
        // This guard sends no task to a node.
        tasks: undefined as never,
        policies: {
          ...{ maxReleaseAttempts: () => 3, lostAfterSeconds: () => 0, reportSeconds: () => 3_600 },
          ...{ idlePercent: () => 5, idleGraceMinutes: () => 15 },
        },
      },
      async () => false,
    );
    const quarantined = async () =>
      (await world.root.query(`select count(distinct node_id)::int as n from slots where state = 'quarantined'`))
        .rows[0].n as number;
    for (const _ of ['first', 'again']) await guard.round(never);
    expect(await quarantined()).toBe(1);
    expect(await blockedHosts()).toBe(4);
    const [breaker] = (await admin('GET', 'breakers?tripped=true')).body.data;
    expect(breaker).toMatchObject({ kind: 'quarantine', taken: 1, allowed: 1 });
    expect(breaker.held_back).toHaveLength(3);
    expect(breaker.held_back[0]).toMatchObject({ source: 'drift', reason: expect.stringContaining('still holds') });
  });
});

describe('an alert', () => {
  it.each([true, false])(
    'is published when it opens, changes and closes, and says of its host: simulated %s',
    async (simulated) => {
      const node = await fleet.addNode({ groups: [1] });
      await asSystem(
        world.root,
        `update nodes set topology = coalesce(topology, '{}') || jsonb_build_object('simulated', $2::boolean), version = version + 1 where id = $1`,
        [node.id, simulated],
      );
      await tell();
      const count = async () =>
        (
          await world.root.query(
            `select subject as type, envelope -> 'payload' ->> 'effect' as effect,
             envelope -> 'payload' -> 'simulated' as simulated from outbox_events
           where subject like 'provisioning.alert.%' and envelope -> 'payload' ->> 'node_id' = $1 order by position`,
            [node.id],
          )
        ).rows;
      await report(node.id, [xid]);
      await look();
      await asSystem(world.root, `update alerts set effect = 'informs' where node_id = $1`, [node.id]);
      await report(node.id, []);
      await look();
      await tell();
      expect(await count()).toEqual([
        { type: 'provisioning.alert.opened', effect: 'blocks_sale', simulated },
        { type: 'provisioning.alert.changed', effect: 'informs', simulated },
        { type: 'provisioning.alert.closed', effect: 'informs', simulated },
      ]);
    },
  );
});

describe('the share that automation may take', () => {
  it('is not exceeded by many who ask at the same time', async () => {
    const nodes = await addHosts(8);
    const granted = await Promise.all(nodes.map(({ id }) => take(id)));
    expect(granted.filter(Boolean)).toHaveLength(2);
  });

  it('is not exceeded in any window, whatever is triggered and reset in whatever order', async () => {
    const windowMinutes = 60;
    const nodes = await addHosts(6);
    const step = fc.oneof(
      { weight: 6, arbitrary: fc.record({ do: fc.constant('take' as const), host: fc.nat(nodes.length - 1) }) },
      { weight: 2, arbitrary: fc.record({ do: fc.constant('reset' as const) }) },
      {
        weight: 3,
        arbitrary: fc.record({ do: fc.constant('wait' as const), minutes: fc.integer({ min: 1, max: 90 }) }),
      },
    );
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(0, 10, 34, 50, 100),
        fc.array(step, { minLength: 1, maxLength: 25 }),
        async (percent, steps) => {
          await forget();
          await setPercent(percent);
          const allowed = percent === 0 ? 0 : Math.max(1, Math.floor((nodes.length * percent) / 100));
          let minute = 0;
          const taken: { readonly host: number; readonly minute: number }[] = [];
          for (const each of steps) {
            if (each.do === 'wait') {
              minute += each.minutes;
              // Time that passes is the same as everything being older.
              await asSystem(
                world.root,
                'update automation_takes set taken_at = taken_at - make_interval(mins => $1)',
                [each.minutes],
              );
            } else if (each.do === 'reset') {
              await asSystem(world.root, 'update automation_breakers set tripped_at = null', []);
              await asSystem(world.root, 'delete from automation_held_back', []);
            } else if (await take(nodes[each.host]?.id as string)) {
              taken.push({ host: each.host, minute });
            }
          }
          for (const { minute: end } of taken) {
            const within = taken.filter((one) => one.minute <= end && one.minute > end - windowMinutes);
            expect(new Set(within.map(({ host }) => host)).size).toBeLessThanOrEqual(allowed);
          }
        },
      ),
      { numRuns: 25 },
    );
  }, 120_000);
});
