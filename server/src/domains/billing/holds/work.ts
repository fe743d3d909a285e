import { provisioningForceReleaseRequested } from '@gpuaas/contract';
import { type BeginAct, type Database, systemViewer } from '../../../kernel/act.ts';
import type { Clock } from '../../../kernel/clock.ts';
import { Fault } from '../../../kernel/fault.ts';
import type { Ids } from '../../../kernel/id.ts';
import { makeApart, type Reconciler } from '../../../kernel/process/reconciler.ts';
import type { Log } from '../../../kernel/telemetry/log.ts';
import type { Metrics } from '../../../kernel/telemetry/metrics.ts';
import { capLateMs, holdParts, holdsAtOnce, releaseAgainMs } from '../facts.ts';
import { type CappedRow, listCapped, releaseHolds } from './store.ts';

interface Parts {
  readonly db: Database;
  readonly begin: BeginAct;
  readonly ids: Ids;
}

/** Gives back what is held for allocations that ended, or whose usage was charged meanwhile. Answers how many holds it changed. */
export const makeReleaseHolds =
  ({ db, begin, ids }: Parts) =>
  async (): Promise<number> => {
    const act = begin('billing.release_holds', { correlationId: ids.next() });
    const written = await db.write(act, async (tx) => {
      const holds = await releaseHolds(tx, { limit: holdsAtOnce, parts: holdParts }, act);
      if (holds === 0) return tx.abandon(new Fault('resource_not_found', 'Nothing was due.'));
      return tx.commit(holds, { target: { type: 'ledger', id: 'holds' }, change: { holds }, events: 'none' });
    });
    return written instanceof Fault ? 0 : written.value;
  };

export const makeHolds = (parts: Parts): Reconciler => {
  const release = makeReleaseHolds(parts);
  return {
    name: 'billing-holds',
    round: async () => ((await release()) === holdsAtOnce ? 'more' : 'idle'),
  };
};

/**
 * Ends allocations that spent their cap. Their host ends them by itself at the deadline of their lease, and the guard of expiry
 * does; this one looks at what was charged, in case neither could.
 */
export function makeCaps(
  parts: Parts & { readonly clock: Clock; readonly log: Log; readonly metrics: Metrics },
): Reconciler {
  const { db, begin, ids, clock } = parts;
  const apart = makeApart('billing-caps', parts);
  const reached = parts.metrics.counter(
    'gpuaas_billing_caps_reached_total',
    'Allocations whose release was asked for because their cap was spent.',
    [],
  );
  // Not asked for again at once: the release takes its time.
  const asked = new Map<string, number>();
  const ask = (row: CappedRow) =>
    db.write(begin('billing.cap', { correlationId: ids.next() }), async (tx) =>
      tx.commit(undefined, {
        target: { type: 'allocation', id: row.id },
        ...{ organizationId: row.organization_id, projectId: row.project_id, change: { reason: 'max_spend' } },
        events: [
          provisioningForceReleaseRequested.of(row.id, {
            ...{ allocation_id: row.id, organization_id: row.organization_id, project_id: row.project_id },
            ...{ version: Number(row.version), reason: 'max_spend' },
            ...(row.simulated !== null && { simulated: row.simulated }),
          }),
        ],
      }),
    );
  return {
    name: 'billing-caps',
    async round() {
      const now = clock.now().getTime();
      for (const [id, at] of asked) if (now - at > releaseAgainMs) asked.delete(id);
      const viewer = systemViewer('billing-worker', { correlationId: ids.next() });
      const rows = await db.read(viewer, (tx) => listCapped(tx, capLateMs, [...asked.keys()], holdsAtOnce));
      for (const row of rows) {
        await apart({ allocation: row.id }, async () => {
          await ask(row);
          asked.set(row.id, now);
          reached.inc();
        });
      }
      return 'idle';
    },
  };
}
