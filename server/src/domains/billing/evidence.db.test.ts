import { createPrivateKey, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { type NodeUsageRecord, signedText } from '@gpuaas/contract/node';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { actsOf } from '../../kernel/act.ts';
import { type Clock, systemClock } from '../../kernel/clock.ts';
import { systemIds } from '../../kernel/id.ts';
import { silentLog } from '../../kernel/telemetry/log.ts';
import { makeMetrics } from '../../kernel/telemetry/metrics.ts';
import { minuteMs } from '../../kernel/units.ts';
import type { DatabasePort } from '../../ports/database/port.ts';
import { openTestSchema, type TestSchema } from '../../testing/schema.ts';
import { asSystem } from '../../testing/world.ts';
import { makeAccrue } from './accrual.ts';
import { type EvidenceDesk, openEvidenceDesk } from './evidence.ts';
import { foundOrganization, type Lease, makeLeases, openAs } from './testing.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });
let schema: TestSchema;
let root: pg.Client;
let api: DatabasePort;
let billing: DatabasePort;
let desk: EvidenceDesk;
let leases: Awaited<ReturnType<typeof makeLeases>>;
let accrue: ReturnType<typeof makeAccrue>;
/** How fast GPU time may pass on simulated hosts. */
let speed = 1;
const { privateKey } = generateKeyPairSync('ed25519');
const stranger = generateKeyPairSync('ed25519').privateKey;
const base = Date.parse('2026-02-01T12:00:00.000Z');
const at = (ms: number) => new Date(base + ms).toISOString();

beforeAll(async () => {
  schema = await openTestSchema();
  root = new pg.Client({ connectionString: schema.url });
  await root.connect();
  [api, billing] = [await openAs(schema, 'gpuaas_api'), await openAs(schema, 'gpuaas_billing')];
  leases = await makeLeases(root);
  const { x } = createPrivateKey(privateKey.export({ type: 'pkcs8', format: 'pem' })).export({ format: 'jwk' });
  await asSystem(root, 'update nodes set result_key = $2, version = version + 1 where id = $1', [leases.nodeId, x]);
  desk = openDesk({ ...systemClock, sleep: async () => undefined });
  accrue = makeAccrue({ db: billing.database, begin: actsOf('billing-worker', systemIds), ids: systemIds });
});
afterAll(async () => {
  await desk.close();
  await Promise.all([api.close(), billing.close()]);
  await root.end();
  await schema.close();
});

/** A desk waits a second between two writes; one with a clock that does not sleep writes at once. */
const openDesk = (clock: Clock): EvidenceDesk =>
  openEvidenceDesk({
    ...{ db: api.database, begin: actsOf('billing', systemIds), ids: systemIds, clock, log: silentLog },
    metrics: makeMetrics('test', '0.0.0'),
    speed: () => speed,
  });
const signed = (lease: Lease, of: Partial<NodeUsageRecord> = {}, key: KeyObject = privateKey): NodeUsageRecord => {
  const record = {
    ...{ kind: 'usage' as const, node_id: lease.nodeId, allocation_id: lease.allocationId, generation: 1, sequence: 1 },
    ...{ from: at(0), to: at(10 * minuteMs), gpus: [...lease.gpus], final: false },
    ...of,
  };
  return { ...record, signature: sign(null, Buffer.from(signedText(record)), key).toString('base64url') };
};
const take = async (...records: NodeUsageRecord[]) => (await desk.take(leases.nodeId, records)).outcomes;
const lease = async (how: Partial<Parameters<typeof leases.lease>[1]> = {}) =>
  leases.lease(await foundOrganization(root), { takenAt: new Date(base), unitPriceMinor: 360n, ...how });
const charged = async ({ allocationId }: Lease) => {
  while (await accrue(60));
  const { rows } = await root.query(
    'select coalesce(sum(amount_minor), 0)::int as minor from usage_windows where resource_id = $1',
    [allocationId],
  );
  return rows[0].minor as number;
};

describe('evidence of usage', () => {
  it('is stored as it was signed, once however often it is handed in, and charged', async () => {
    const mine = await lease();
    const record = signed(mine);
    expect(await take(record)).toEqual(['stored']);
    expect(await take(record)).toEqual(['stored']);
    const { rows } = await root.query('select record from usage_evidence where allocation_id = $1', [
      mine.allocationId,
    ]);
    expect(rows.map((row) => JSON.parse(row.record))).toEqual([record]);
    expect(await charged(mine)).toBe(60);
  });

  it('is refused when the node did not sign exactly this', async () => {
    const mine = await lease();
    const record = signed(mine);
    expect(await take(signed(mine, {}, stranger))).toEqual(['refused']);
    for (const change of [
      { to: at(11 * minuteMs) },
      { from: at(-1) },
      { gpus: [] },
      { generation: 2 },
      { sequence: 2 },
      { final: true },
      { allocation_id: systemIds.next() },
      { node_id: systemIds.next() },
    ]) {
      expect(await take({ ...record, ...change }), JSON.stringify(change)).toEqual(['refused']);
    }
    expect(await charged(mine)).toBe(0);
  });

  it('is refused for a lease that this node never proved ready, and awaited while it is being made', async () => {
    const never = await lease({ proven: false });
    expect(await take(signed(never))).toEqual(['refused']);
    const making = await lease({ proven: false });
    await asSystem(root, `update allocations set state = 'provisioning', version = version + 1 where id = $1`, [
      making.allocationId,
    ]);
    expect(await take(signed(making))).toEqual(['later']);
    const other = await lease();
    expect(await take(signed(other, { generation: 7 }))).toEqual(['refused']);
  });

  it('counts from the proof that the machine was ready to the moment its release was accepted', async () => {
    const mine = await lease({ takenAt: new Date(base + 2 * minuteMs) });
    await asSystem(root, 'update allocations set releasing_at = $2, version = version + 1 where id = $1', [
      mine.allocationId,
      at(7 * minuteMs),
    ]);
    expect(await take(signed(mine))).toEqual(['stored']);
    expect(await charged(mine)).toBe(30);
  });

  it('says that GPU time passed faster on simulated hosts alone, and only as fast as the installation does', async () => {
    const faster = signed(await lease(), { speed: 3_600, to: at(10) });
    expect(await take(faster)).toEqual(['refused']);
    speed = 3_600;
    try {
      expect(await take(signed(await lease(), { speed: 3_600, to: at(10) }))).toEqual(['refused']);
      await asSystem(root, `update nodes set topology = '{"simulated": true}', version = version + 1 where id = $1`, [
        leases.nodeId,
      ]);
      expect(await take(signed(await lease(), { speed: 60, to: at(10) }))).toEqual(['refused']);
      const [hour, capped, usual] = [await lease(), await lease(), await lease()];
      await asSystem(
        root,
        'update allocations set max_spend_minor = 100, max_duration_seconds = 1000, version = version + 1 where id = $1',
        [capped.allocationId],
      );
      const second = { speed: 3_600, to: at(1_000) };
      expect(await take(signed(hour, second), signed(capped, second), signed(usual, { to: at(1_000) }))).toEqual([
        ...['stored', 'stored', 'stored'],
      ]);
      expect([await charged(hour), await charged(capped), await charged(usual)]).toEqual([360, 100, 0]);
    } finally {
      speed = 1;
      await asSystem(root, 'update nodes set topology = null, version = version + 1 where id = $1', [leases.nodeId]);
    }
  });

  it('is refused where it overlaps what is there, and where it comes behind what was settled', async () => {
    const mine = await lease();
    expect(await take(signed(mine))).toEqual(['stored']);
    expect(await take(signed(mine, { sequence: 2, from: at(9 * minuteMs), to: at(12 * minuteMs) }))).toEqual([
      'refused',
    ]);
    expect(
      await take(
        signed(mine, { sequence: 2, from: at(10 * minuteMs), to: at(11 * minuteMs) }),
        signed(mine, { sequence: 3, from: at(10 * minuteMs), to: at(12 * minuteMs) }),
      ),
    ).toEqual(['stored', 'refused']);
    expect(await charged(mine)).toBe(66);
    expect(await take(signed(mine, { sequence: 4, from: at(-5 * minuteMs), to: at(-1) }))).toEqual(['refused']);
  });

  it('waits on its node while it is from the future', async () => {
    const mine = await lease({ takenAt: systemClock.now() });
    const soon = (ms: number) => new Date(systemClock.now().getTime() + ms).toISOString();
    expect(await take(signed(mine, { from: soon(0), to: soon(60 * minuteMs) }))).toEqual(['later']);
    expect(await take(signed(mine, { from: at(0), to: at(25 * 60 * minuteMs) }))).toEqual(['refused']);
  });

  it('names GPUs of the attestation or none', async () => {
    const mine = await lease({ gpus: 2 });
    const foreign = Array.from({ length: 5 }, () => `GPU-${systemIds.next()}`);
    expect(await take(signed(mine, { gpus: [mine.gpus[0] as string, ...foreign] }))).toEqual(['stored']);
    expect(await charged(mine)).toBe(60);
  });

  it('keeps the price that the allocation was launched with, whatever the catalogue says later', async () => {
    const mine = await lease();
    expect(await take(signed(mine))).toEqual(['stored']);
    await asSystem(
      root,
      `insert into sku_prices (id, sku, currency, unit_price_minor, effective_from)
       select $1, a.sku, a.currency, 9999, $3 from allocations a where a.id = $2`,
      [systemIds.next(), mine.allocationId, at(10 * minuteMs + 30_000)],
    );
    const next = { sequence: 2, from: at(10 * minuteMs), to: at(20 * minuteMs) };
    expect(await take(signed(mine, next))).toEqual(['stored']);
    expect(await charged(mine)).toBe(120);
  });

  it('of many nodes is one transaction, with one row of the audit log', async () => {
    const many = [await lease(), await lease(), await lease()];
    const count = async () =>
      (await root.query(`select count(*)::int as n from audit_logs where action = 'usage.record'`)).rows[0].n;
    const before = await count();
    const waiting = openDesk(systemClock);
    const answers = await Promise.all(many.map((one) => waiting.take(leases.nodeId, [signed(one)])));
    const outcomes = answers.map((answer) => answer.outcomes);
    await waiting.close();
    expect(outcomes.flat()).toEqual(['stored', 'stored', 'stored']);
    expect((await count()) - before).toBeLessThanOrEqual(2);
  });
});
