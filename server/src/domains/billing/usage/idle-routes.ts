import { type BillingIdle, billingIdleGet } from '@gpuaas/contract';
import { type Database, handlers, type Mounted, type ReadTx } from '../../../kernel/act.ts';
import type { Clock } from '../../../kernel/clock.ts';
import { Fault } from '../../../kernel/fault.ts';
import { idleRows, wholePercent } from '../facts.ts';
import { findAccount } from '../ledger-store.ts';
import { money } from '../money.ts';
import { periodOf } from '../period.ts';
import { idleSql } from './idle-store.ts';

const on = handlers<{ readonly db: Database; readonly clock: Clock }>();

interface IdleRow {
  readonly allocation_id: string;
  readonly name: string | null;
  readonly amount_minor: bigint;
  readonly idle_ms: bigint;
  readonly observed_ms: bigint;
  readonly total_minor: bigint | null;
  readonly observed_total: bigint;
  readonly charged_total: bigint;
}
const readIdle = (tx: ReadTx, organizationId: string, period: { readonly from: string; readonly to: string }) =>
  tx.rows<IdleRow>(idleSql, [organizationId, period.from, period.to, idleRows]);

const idle = on(billingIdleGet, async ({ db, clock }, who, { params, query }) => {
  const period = periodOf(query, clock.now());
  if (period instanceof Fault) return period;
  const { account, rows } = await db.read(who, async (tx) => ({
    account: await findAccount(tx, params.organization_id),
    rows: await readIdle(tx, params.organization_id, period),
  }));
  if (!account) return new Fault('organization_not_found', 'There is no such object.');
  const [first] = rows;
  const isKnown = first !== undefined && first.observed_total > 0n;
  return {
    ...period,
    state: isKnown ? 'available' : 'unavailable',
    amount: isKnown ? money(first.total_minor ?? 0n, account.currency) : null,
    observed_percent: isKnown ? Number((first.observed_total * wholePercent) / (first.charged_total || 1n)) : 0,
    rows: rows
      .filter(({ amount_minor }) => amount_minor > 0n)
      .map((row) => ({
        ...{ allocation_id: row.allocation_id, name: row.name, amount: money(row.amount_minor, account.currency) },
        ...{ idle_ms: row.idle_ms.toString(), observed_ms: row.observed_ms.toString() },
      })),
  } satisfies BillingIdle;
});

export const idleRoutes = (parts: { readonly db: Database; readonly clock: Clock }): Mounted[] => [idle(parts)];
