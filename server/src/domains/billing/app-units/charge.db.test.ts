import type { UsageProof } from '@gpuaas/contract';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { verifyProof } from '../../../../../cli/src/proof/verify.ts';
import { actsOf } from '../../../kernel/act.ts';
import { systemIds } from '../../../kernel/id.ts';
import { hourMs } from '../../../kernel/units.ts';
import type { DatabasePort } from '../../../ports/database/port.ts';
import { asSystem, openWorld, type Tenant, type World } from '../../../testing/world.ts';
import { makeTakeUse } from '../../app-instances/index.ts';
import { putInstance } from '../../app-instances/testing.ts';
import { putVersion, testManifest } from '../../apps/testing.ts';
import { openAs } from '../testing.ts';
import { makeChargeUnits } from './charge.ts';

vi.setConfig({ testTimeout: 240_000, hookTimeout: 120_000 });
let world: World;
let billing: DatabasePort;
beforeAll(async () => {
  world = await openWorld();
  billing = await openAs(world.schema, 'gpuaas_billing');
});
afterAll(async () => {
  await billing?.close();
  await world?.close();
});

const seconds = 300;
const base = Math.ceil(Date.now() / (seconds * 1_000)) * seconds * 1_000;
/** Charges as it would at the end of the nth window from now on. */
const chargeAt = (n: number) =>
  makeChargeUnits({
    ...{ db: billing.database, begin: actsOf('billing-worker', systemIds), ids: systemIds },
    time: async () => new Date(base + n * seconds * 1_000 + 1_000),
  })(seconds);
type Price = NonNullable<NonNullable<ReturnType<typeof testManifest>['metering']>[number]['price']>;
/** A running instance of a version that asks this for its tokens. */
async function running(tenant: Tenant, price: Price | undefined, version = '2.0.0') {
  const made = await putInstance(world, tenant, { state: 'running' });
  return { ...made, ...(await moveTo(tenant, made, price, version)) };
}
async function moveTo(tenant: Tenant, made: { id: string; appId: string }, price: Price | undefined, version: string) {
  const [calls, tokens] = testManifest().metering ?? [];
  const metering = [calls, { ...tokens, ...(price && { price }) }] as NonNullable<
    ReturnType<typeof testManifest>['metering']
  >;
  const next = await putVersion(world, tenant, { appId: made.appId, version, trust: 'verified', change: { metering } });
  await asSystem(
    world.root,
    'update app_instances set app_version_id = $2, app_version = $3, version = version + 1 where id = $1',
    [made.id, next.versionId, version],
  );
  return { newVersionId: next.versionId };
}
/** What one copy of the app-proxy has counted in one hour, so far. */
async function report(id: string, of: { copy: string; tokens: number; requests: number; hour?: number }) {
  const { rows } = await world.root.query(
    `select id from app_routes where app_instance_id = $1 and endpoint_name = 'api'`,
    [id],
  );
  const hour = new Date(Math.floor(Date.now() / hourMs) * hourMs - (of.hour ?? 0) * hourMs);
  const { copy, requests, tokens } = of;
  return makeTakeUse({ db: world.database.database, begin: actsOf('app-use', systemIds) })(
    {
      copy_id: copy,
      uses: [
        {
          ...{ route_id: rows[0].id, instance_id: id, hour: hour.toISOString(), last_at: new Date().toISOString() },
          ...{ requests, failures: 0, bytes_in: requests, bytes_out: requests, units: { tokens, calls: requests } },
        },
      ],
    },
    { correlationId: systemIds.next() },
  );
}
const charged = async (id: string) =>
  (
    await world.root.query(
      `select coalesce(sum(amount_minor), 0)::text as windows, coalesce(sum(quantity_ms), 0)::text as units, count(*)::int as n,
         (select coalesce(sum(amount_minor), 0)::text from usage_days where resource_id = $1) as days,
         (select coalesce(sum(l.amounts[2]), 0)::text from ledger_entries l join usage_windows u on u.id = l.id
          where u.resource_id = $1) as ledger
       from usage_windows where resource_id = $1`,
      [id],
    )
  ).rows[0] as { windows: string; units: string; n: number; days: string; ledger: string };
const see = async (tenant: Tenant, rest: string) =>
  (await world.call('GET', `/api/v1/organizations/${tenant.organizationId}/billing/${rest}`, { as: tenant.token }))
    .body;

describe('units that apps count', () => {
  it('are charged once for all reports of all copies, also for those that come twice or late', async () => {
    let at = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.record({
          amount_minor: fc.integer({ min: 1, max: 5_000 }).map(String),
          per: fc.constantFrom(1 as const, 1_000 as const, 1_000_000 as const),
        }),
        fc.array(
          fc.record({
            copy: fc.integer({ min: 0, max: 2 }),
            hour: fc.integer({ min: 0, max: 30 }),
            more: fc.integer({ min: 0, max: 3_000_000 }),
            isTwice: fc.boolean(),
            charge: fc.boolean(),
          }),
          { minLength: 1, maxLength: 12 },
        ),
        async (price, reports) => {
          const tenant = await world.found(`t${systemIds.next().slice(-10)}`);
          const { id } = await running(tenant, { ...price, currency: 'USD' });
          const copies = [systemIds.next(), systemIds.next(), systemIds.next()];
          const sums = new Map<string, { tokens: number; requests: number }>();
          for (const { copy, hour, more, isTwice, charge } of reports) {
            const key = `${copy} ${hour}`;
            const last = sums.get(key) ?? { tokens: 0, requests: 0 };
            const next = { tokens: last.tokens + more, requests: last.requests + 1 };
            sums.set(key, next);
            await report(id, { copy: copies[copy] as string, hour, ...next });
            if (isTwice) await report(id, { copy: copies[copy] as string, hour, ...last });
            if (charge) await chargeAt(at++);
          }
          await chargeAt(at++);
          const total = [...sums.values()].reduce((sum, { tokens }) => sum + BigInt(tokens), 0n);
          const [amount, per] = [BigInt(price.amount_minor), BigInt(price.per)];
          const cost = ((total * amount * 2n + per) / (2n * per)).toString();
          expect(await charged(id)).toMatchObject({ windows: cost, days: cost, ledger: cost, units: total.toString() });
          expect(await see(tenant, 'ledger/verify')).toMatchObject({ ok: true, problem: null });
        },
      ),
      { numRuns: 12 },
    );
  });

  it('are charged once when several workers charge at a time', async () => {
    const tenant = await world.found('many-workers');
    const { id } = await running(tenant, { amount_minor: '7', per: 1, currency: 'USD' });
    await report(id, { copy: systemIds.next(), requests: 1, tokens: 3 });
    await Promise.all([chargeAt(9_000), chargeAt(9_000), chargeAt(9_001)]);
    expect(await charged(id)).toMatchObject({ windows: '21', ledger: '21', n: 1 });
  });

  it('that are absurd cost no more than a meter may, and keep no other app from being charged', async () => {
    const [absurd, other] = [await world.found('absurd'), await world.found('beside-absurd')];
    const made = await running(absurd, { amount_minor: '999999999', per: 1, currency: 'USD' });
    const cheap = await running(absurd, { amount_minor: '1', per: 1_000_000, currency: 'USD' });
    const plain = await running(other, { amount_minor: '7', per: 1, currency: 'USD' });
    const copy = systemIds.next();
    for (const hour of [1, 2]) {
      await report(made.id, { copy, requests: 1, tokens: Number.MAX_SAFE_INTEGER, hour });
      await report(cheap.id, { copy, requests: 1, tokens: Number.MAX_SAFE_INTEGER, hour });
    }
    await report(plain.id, { copy, requests: 1, tokens: 3 });
    await chargeAt(9_050);
    expect(await charged(plain.id)).toMatchObject({ windows: '21', ledger: '21' });
    // As many whole units as cost 10^12 at that price, and 10^15 units.
    expect(await charged(made.id)).toMatchObject({ windows: '999999999000', units: '1000' });
    expect(await charged(cheap.id)).toMatchObject({ windows: '1000000000', units: '1000000000000000' });
    await report(made.id, { copy, requests: 1, tokens: 5, hour: 0 });
    await chargeAt(9_051);
    expect(await charged(made.id)).toMatchObject({ windows: '999999999000', n: 1 });
    const use = await world.call('GET', `/api/v1/app-instances/${made.id}/use`, {
      ...{ as: absurd.token, headers: { 'x-project-id': absurd.projectId } },
    });
    expect(use.status, use.text).toBe(200);
    expect(await see(absurd, 'ledger/verify')).toMatchObject({ ok: true, problem: null });
  });

  it('cost what the version asked that counted them, and nothing where it asked nothing', async () => {
    const tenant = await world.found('versions');
    const made = await running(tenant, { amount_minor: '10', per: 1, currency: 'USD' });
    await report(made.id, { copy: systemIds.next(), requests: 1, tokens: 2, hour: 3 });
    await moveTo(tenant, made, { amount_minor: '100', per: 1, currency: 'USD' }, '3.0.0');
    await report(made.id, { copy: systemIds.next(), requests: 1, tokens: 2, hour: 2 });
    await moveTo(tenant, made, undefined, '4.0.0');
    await report(made.id, { copy: systemIds.next(), requests: 1, tokens: 2, hour: 1 });
    await chargeAt(9_100);
    expect(await charged(made.id)).toMatchObject({ windows: '220', units: '4', n: 2 });
  });

  it('cost what each version asked also in the hour of a move to another version and back', async () => {
    const tenant = await world.found('moved-within-the-hour');
    const made = await running(tenant, undefined);
    const copy = systemIds.next();
    await report(made.id, { copy, requests: 1, tokens: 1 });
    await moveTo(tenant, made, { amount_minor: '10', per: 1, currency: 'USD' }, '3.0.0');
    await report(made.id, { copy, requests: 3, tokens: 5 });
    // What was counted before the move comes once more.
    await report(made.id, { copy, requests: 1, tokens: 1 });
    await chargeAt(9_110);
    expect(await charged(made.id)).toMatchObject({ windows: '40', units: '4' });
    await asSystem(
      world.root,
      "update app_instances set app_version_id = $2, app_version = '2.0.0', version = version + 1 where id = $1",
      [made.id, made.newVersionId],
    );
    await report(made.id, { copy, requests: 4, tokens: 105 });
    await chargeAt(9_111);
    expect(await charged(made.id)).toMatchObject({ windows: '40', units: '4' });
    const use = await world.call('GET', `/api/v1/app-instances/${made.id}/use`, {
      ...{ as: tenant.token, headers: { 'x-project-id': tenant.projectId } },
    });
    expect(use.body.data).toMatchObject([{ requests: 4, bytes_in: 4, units: { tokens: 105, calls: 4 } }]);
  });

  it('are a meter of their own in ledger, usage by app and cost of the instance, and are recomputed from readings', async () => {
    const tenant = await world.found('shown');
    const { id, reference } = await running(tenant, { amount_minor: '250', per: 1_000, currency: 'USD' });
    const copy = systemIds.next();
    await report(id, { copy, requests: 1, tokens: 1_001 });
    await chargeAt(9_200);
    await report(id, { copy, requests: 2, tokens: 4_002 });
    await chargeAt(9_201);
    const { data } = await see(tenant, 'ledger');
    expect(data).toMatchObject([
      {
        ...{ kind: 'usage', meter: 'app_units', sku: reference, app_instance_id: id, app_meter: 'tokens@2.0.0' },
        ...{ allocation_id: null, quantity_ms: '4002', amount: { amount_minor: '-1001', currency: 'USD' } },
      },
    ]);
    const use = await world.call('GET', `/api/v1/app-instances/${id}/use`, {
      ...{ as: tenant.token, headers: { 'x-project-id': tenant.projectId } },
    });
    expect(use.body.data[0].cost).toEqual({ amount_minor: '1001', currency: 'USD' });
    const far = new Date(base + 9_201 * seconds * 1_000).toISOString().slice(0, 10);
    const series = await see(tenant, `usage/series?group_by=app&to=${far}`);
    expect(series.data.map(({ key, meter, amount }: Record<string, unknown>) => ({ key, meter, amount }))).toEqual([
      { key: reference, meter: 'app_units', amount: { amount_minor: '1001', currency: 'USD' } },
    ]);
    const proof: UsageProof = await see(tenant, `ledger/${data[0].id}/proof?limit=100`);
    const verdict = verifyProof([proof]);
    expect(verdict).toMatchObject({ problems: [], meter: 'app_units', amountMinor: 1_001n, readings: 2 });
    const forged = proof.readings?.map((text) => `${text}0`) ?? [];
    expect(verifyProof([{ ...proof, readings: forged }]).problems.length).toBeGreaterThan(0);
    await world.root.query('alter table app_use_readings disable trigger user');
    await world.root.query('update app_use_readings set count = count + 1 where app_instance_id = $1', [id]);
    await world.root.query('alter table app_use_readings enable trigger user');
    expect(await see(tenant, 'ledger/verify')).toMatchObject({ ok: false });
  });

  it('belong to the project that runs the app, and its publisher learns nothing of the bill', async () => {
    const [consumer, publisher] = [await world.found('consumer'), await world.found('publisher')];
    const { id } = await running(consumer, { amount_minor: '5', per: 1, currency: 'USD' });
    await report(id, { copy: systemIds.next(), requests: 1, tokens: 4 });
    await chargeAt(9_300);
    expect((await see(consumer, 'ledger')).data).toMatchObject([{ amount: { amount_minor: '-20' } }]);
    expect((await see(publisher, 'ledger')).data).toEqual([]);
    const seen = await world.call('GET', `/api/v1/organizations/${consumer.organizationId}/billing/ledger`, {
      as: publisher.token,
    });
    expect(seen.status).toBe(404);
  });
});
