import { budgetThresholdReached, type DeclaredEvent } from '@gpuaas/contract';
import { type BeginAct, type Database, systemViewer } from '../../../kernel/act.ts';
import { Fault } from '../../../kernel/fault.ts';
import type { Ids } from '../../../kernel/id.ts';
import { makeApart, type Reconciler } from '../../../kernel/process/reconciler.ts';
import type { Log } from '../../../kernel/telemetry/log.ts';
import type { Metrics } from '../../../kernel/telemetry/metrics.ts';
import { mostBudgets } from '../facts.ts';
import { type BudgetRow, listCrossed, markReached } from './store.ts';

/** Announces, once a month for each threshold, that the spending of a month reached it. */
export function makeBudgets(parts: {
  readonly db: Database;
  readonly begin: BeginAct;
  readonly ids: Ids;
  readonly log: Log;
  readonly metrics: Metrics;
}): Reconciler {
  const { db, begin, ids } = parts;
  const apart = makeApart('billing-budgets', parts);
  const reached = parts.metrics.counter(
    'gpuaas_billing_budget_thresholds_total',
    'Thresholds of budgets that were reached, by kind.',
    ['threshold'],
  );
  const announce = async (row: BudgetRow): Promise<void> => {
    const crossed = crossedBy(row);
    const written = await db.write(begin('budget.reached', { correlationId: ids.next() }), async (tx) => {
      if (!(await markReached(tx, row))) return tx.abandon(new Fault('version_conflict', 'It was changed meanwhile.'));
      return tx.commit(undefined, {
        target: { type: 'budget', id: row.id },
        organizationId: row.organization_id,
        change: { spent_minor: row.spent.toString(), thresholds: crossed.map(({ threshold }) => threshold) },
        events: crossed.map(({ event }) => event),
      });
    });
    if (written instanceof Fault) return;
    for (const { threshold } of crossed) reached.inc({ threshold });
  };
  return {
    name: 'billing-budgets',
    async round() {
      const viewer = systemViewer('billing-worker', { correlationId: ids.next() });
      const rows = await db.read(viewer, (tx) => listCrossed(tx, mostBudgets));
      for (const row of rows) await apart({ budget: row.id }, () => announce(row));
      return 'idle';
    },
  };
}

/** The thresholds that were reached and not announced yet, each with its event. */
function crossedBy(row: BudgetRow): { readonly threshold: 'soft' | 'hard'; readonly event: DeclaredEvent }[] {
  const hasId = row.scope === 'project' || row.scope === 'user';
  const one = (threshold: 'soft' | 'hard', minor: bigint | null, wasAnnounced: boolean) =>
    minor === null || wasAnnounced || row.spent < minor
      ? []
      : [
          {
            threshold,
            event: budgetThresholdReached.of(row.organization_id, {
              ...{ organization_id: row.organization_id, budget_id: row.id, name: row.name, scope: row.scope },
              ...{ subject_id: hasId ? row.subject : null, period: row.period, threshold },
              ...{ threshold_minor: minor.toString(), spent_minor: row.spent.toString(), currency: row.currency },
            }),
          },
        ];
  return [...one('soft', row.soft_minor, row.soft_sent), ...one('hard', row.hard_minor, row.hard_sent)];
}
