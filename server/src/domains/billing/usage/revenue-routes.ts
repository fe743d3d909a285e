import { adminBillingRevenueGet, type RevenueTotal } from '@gpuaas/contract';
import { type Database, handlers, type Mounted } from '../../../kernel/act.ts';
import type { Clock } from '../../../kernel/clock.ts';
import { Fault } from '../../../kernel/fault.ts';
import { mostRevenueRows } from '../facts.ts';
import { money } from '../money.ts';
import { periodOf } from '../period.ts';
import { revenueSql, totalsSql } from './revenue-store.ts';

const on = handlers<{ readonly db: Database; readonly clock: Clock }>();

interface TotalLine {
  readonly sku: string;
  readonly currency: string;
  readonly amount_minor: bigint;
  readonly quantity_ms: bigint;
  readonly total_minor: bigint;
}
interface RevenueLine {
  readonly day: string;
  readonly sku: string;
  readonly currency: string;
  readonly amount_minor: bigint;
  readonly quantity_ms: bigint;
  readonly organizations: number;
}

const showTotals = (lines: readonly TotalLine[]): RevenueTotal[] =>
  [...Map.groupBy(lines, ({ currency }) => currency)].map(([currency, skus]) => ({
    total: money(skus[0]?.total_minor ?? 0n, currency),
    skus: skus.map(({ sku, amount_minor, quantity_ms }) => ({
      ...{ sku, amount: money(amount_minor, currency), quantity_ms: quantity_ms.toString() },
    })),
  }));

const revenue = on(adminBillingRevenueGet, async ({ db, clock }, who, { query }) => {
  const now = clock.now();
  const period = periodOf(query, now);
  if (period instanceof Fault) return period;
  const [rows, totals] = await db.read(who, (tx) =>
    Promise.all([
      tx.rows<RevenueLine>(revenueSql, [period.from, period.to, mostRevenueRows]),
      tx.rows<TotalLine>(totalsSql, [period.from, period.to]),
    ]),
  );
  return {
    ...period,
    rows: rows.map((row) => ({
      ...{ day: row.day, sku: row.sku, amount: money(row.amount_minor, row.currency) },
      ...{ quantity_ms: row.quantity_ms.toString(), organizations: row.organizations },
    })),
    totals: showTotals(totals),
    made_at: now.toISOString(),
  };
});

export const revenueRoutes = (parts: { readonly db: Database; readonly clock: Clock }): Mounted[] => [revenue(parts)];
