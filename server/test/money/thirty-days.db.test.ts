import { afterEach, describe, expect, it, vi } from 'vitest';
import { openWorld, type World } from '../../src/testing/world.ts';
import { findBroken } from './invariants.ts';
import { liveThrough } from './month.ts';
import { balanceOf, costOf, quantityWithin } from './oracle.ts';

/** As many and as long as every run has time for; `npm run prove` asks for twenty seeds of thirty days. */
const seeds = Number(process.env['GPUAAS_BILLING_SEEDS'] ?? 2);
const days = Number(process.env['GPUAAS_BILLING_DAYS'] ?? 2);
const firstSeed = Number(process.env['GPUAAS_BILLING_FIRST_SEED'] ?? 1);
const most = 1_000_000_000;
vi.setConfig({ testTimeout: 3_600_000, hookTimeout: 120_000 });

let world: World | undefined;
afterEach(async () => {
  await world?.close();
  world = undefined;
});

describe('days of random rentals, payments, deaths of workers and steps of clocks', () => {
  it.each(Array.from({ length: seeds }, (_, at) => firstSeed + at))(
    'end with the balance of an independent oracle, to the minor unit (seed %i)',
    async (seed) => {
      // A month is lived within minutes: what is paid in it is paid on one day, by the clock of the limits.
      world = await openWorld({
        policies: {
          ...{
            'rate_limit.financial_requests_per_minute': 1_000,
            'billing.grant_limit_minor': most,
            'billing.grant_total_limit_minor': 1_000_000_000_000,
          },
          ...{ 'payments.new_payer_day_minor': most, 'payments.new_payer_month_minor': most },
          ...{ 'payments.maximum_day_minor': most, 'payments.maximum_month_minor': most },
        },
      });
      const { tenant, lives, moved, counts } = await liveThrough(world, seed, days);
      expect(await findBroken(world, tenant.organizationId, lives)).toEqual([]);
      const path = `/api/v1/organizations/${tenant.organizationId}/billing`;
      const balance = await world.call('GET', `${path}/balance`, { as: tenant.token });
      expect(balance.body.balance.amount_minor).toBe(balanceOf(lives, moved).toString());
      const verified = await world.call('GET', `${path}/ledger/verify`, { as: tenant.token });
      expect(verified.body).toMatchObject({ ok: true, problem: null });
      // A month in which nothing went wrong would show nothing.
      expect(lives.some((life) => costOf(life) > 0n)).toBe(true);
      expect(counts.together).toBeGreaterThan(0);
      if (days >= 5) expect(counts.deaths).toBeGreaterThan(0);
    },
  );
});

describe('the oracle', () => {
  const life = {
    ...{ pricePerHour: 450n, gpus: 2, attestedMs: 1_000, releasedMs: 3_601_000 },
    records: [
      { fromMs: 0, toMs: 1_801_000, gpus: 2 },
      { fromMs: 1_801_000, toMs: 7_200_000, gpus: 1 },
    ],
  };
  it('rounds once, counts from attestation to release, and only GPUs that were seen', () => {
    expect(costOf(life)).toBe(675n);
    expect(quantityWithin(life, 0, 61_000)).toBe(120_000n);
    expect(balanceOf([life], { paid: 1_000n, refunded: 100n, granted: 5n })).toBe(230n);
  });
});
