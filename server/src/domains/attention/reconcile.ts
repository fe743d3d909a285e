import { type BeginAct, type Database, type ReadTx, systemViewer } from '../../kernel/act.ts';
import { Fault } from '../../kernel/fault.ts';
import type { Ids } from '../../kernel/id.ts';
import { makeApart, type Reconciler } from '../../kernel/process/reconciler.ts';
import type { Log } from '../../kernel/telemetry/log.ts';
import type { Metrics } from '../../kernel/telemetry/metrics.ts';
import { heldBack } from './breaker.ts';
import { evaluateReport, type Finding, isSame } from './evaluate-report.ts';
import { evaluatedAtOnce } from './facts.ts';
import { type Replaced, replaceAlerts } from './replace.ts';
import { silentSql } from './silence-store.ts';
import { listOver, listReports } from './store.ts';

interface Parts {
  readonly db: Database;
  readonly begin: BeginAct;
  readonly ids: Ids;
}
interface RoundParts extends Parts {
  readonly log: Log;
  readonly metrics: Metrics;
}

/** Writes what a source says of a node in an act of its own; nothing is written when nothing changed. */
export const makeAlertWriter =
  ({ db, begin, ids }: Parts) =>
  async (of: Parameters<typeof replaceAlerts>[1], findings: readonly Finding[]): Promise<Replaced | undefined> => {
    const written = await db.write(begin('alert.settle', { correlationId: ids.next() }), async (tx) => {
      const changed = await replaceAlerts(tx, of, findings);
      if (changed.raised.length + changed.cleared.length === 0 && !changed.isBreakerChange) {
        return tx.abandon(new Fault('alert_not_found', 'It is as it was.'));
      }
      return tx.commit(changed, {
        target: { type: 'node', id: of.nodeId },
        change: {
          ...{ source: of.source, raised: changed.raised, cleared: changed.cleared },
          ...(changed.heldBack && { held_back: true }),
        },
        events: 'none',
      });
    });
    return written instanceof Fault ? undefined : written.value;
  };

/** Evaluates what nodes report, and removes alerts about allocations that have ended. */
export function makeAlertReconciler(parts: RoundParts): Reconciler {
  const { db, ids } = parts;
  const writeAlerts = makeAlertWriter(parts);
  const apart = makeApart('attention', parts);
  const read = <T>(work: (tx: ReadTx) => Promise<T>) =>
    db.read(systemViewer('attention', { correlationId: ids.next() }), work);
  return {
    name: 'attention',
    async round() {
      for (const { node_id, allocation_id, source } of await read((tx) => listOver(tx, evaluatedAtOnce))) {
        await apart({ node: node_id }, () => writeAlerts({ source, nodeId: node_id, allocationId: allocation_id }, []));
      }
      for (let after: string | undefined; ; ) {
        const rows = await read((tx) => listReports(tx, undefined, after, evaluatedAtOnce));
        for (const row of rows) {
          await apart({ node: row.id }, async () => {
            const findings = evaluateReport(row);
            if (isSame(findings, row.alerts)) return;
            // Held back already: there is nothing to write until an operator resets the breaker.
            if (row.tripped && isSame(heldBack(findings, row.alerts), row.alerts)) return;
            await writeAlerts({ source: 'health', nodeId: row.id }, findings);
          });
        }
        after = rows.at(-1)?.id;
        if (rows.length < evaluatedAtOnce) return 'idle';
      }
    },
  };
}

/**
 * Raises alerts for silent nodes, in any state: a drained or quarantined one can be lost as well. Silence stops new
 * work and ends nothing; tenants see the alert until the node reports again.
 */
export function makeSilenceCheck(parts: RoundParts) {
  const { db, ids } = parts;
  const writeAlerts = makeAlertWriter(parts);
  const apart = makeApart('node-presence', parts);
  /** A node that last reported before `silentBefore` is silent; one that reported after `heardAfter` is not. */
  return async (silentBefore: Date | undefined, heardAfter: Date): Promise<void> => {
    const viewer = systemViewer('attention', { correlationId: ids.next() });
    const rows = await db.read(viewer, (tx) =>
      tx.rows<{ id: string; reported_at: Date | null; is_new: boolean }>(silentSql, [
        ...[silentBefore ?? null, heardAfter, evaluatedAtOnce],
      ]),
    );
    for (const { id, reported_at, is_new } of rows) {
      const silent: Finding = {
        ...{ kind: 'silent', effect: 'blocks_sale', slotId: null, allocationId: null },
        message: `It was last heard ${reported_at ? `at ${reported_at.toISOString()}` : 'never'}.`,
        tenantMessage: 'Its host does not answer at the moment. It is not ended: it goes on when the host returns.',
      };
      await apart({ node: id }, () => writeAlerts({ source: 'presence', nodeId: id }, is_new ? [silent] : []));
    }
  };
}
