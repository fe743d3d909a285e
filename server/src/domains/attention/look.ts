import { type BeginAct, type Database, type ReadTx, systemViewer } from '../../kernel/act.ts';
import { Fault } from '../../kernel/fault.ts';
import type { Ids } from '../../kernel/id.ts';
import { makeApart, type Reconciler } from '../../kernel/process/reconciler.ts';
import type { Log } from '../../kernel/telemetry/log.ts';
import type { Metrics } from '../../kernel/telemetry/metrics.ts';
import { heldBack } from './breaker.ts';
import { judgedAtOnce } from './facts.ts';
import { type Finding, isSame, judgeReport } from './judge.ts';
import { silentSql } from './look-store.ts';
import { type Replaced, replaceAlerts } from './replace.ts';
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
export const makeSettle =
  ({ db, begin, ids }: Parts) =>
  async (of: Parameters<typeof replaceAlerts>[1], findings: readonly Finding[]): Promise<Replaced | undefined> => {
    const written = await db.write(begin('alert.settle', { correlationId: ids.next() }), async (tx) => {
      const changed = await replaceAlerts(tx, of, findings);
      if (changed.raised.length + changed.cleared.length === 0 && !changed.isNews) {
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

/** Judges what nodes report, and forgets what was said about allocations that are over. */
export function makeAttention(parts: RoundParts): Reconciler {
  const { db, ids } = parts;
  const settle = makeSettle(parts);
  const apart = makeApart('attention', parts);
  const look = <T>(work: (tx: ReadTx) => Promise<T>) =>
    db.read(systemViewer('attention', { correlationId: ids.next() }), work);
  return {
    name: 'attention',
    async round() {
      for (const { node_id, allocation_id, source } of await look((tx) => listOver(tx, judgedAtOnce))) {
        await apart({ node: node_id }, () => settle({ source, nodeId: node_id, allocationId: allocation_id }, []));
      }
      for (let after: string | undefined; ; ) {
        const rows = await look((tx) => listReports(tx, undefined, after, judgedAtOnce));
        for (const row of rows) {
          await apart({ node: row.id }, async () => {
            const findings = judgeReport(row);
            if (isSame(findings, row.alerts)) return;
            // Held back already: there is nothing to write until an operator resets the breaker.
            if (row.tripped && isSame(heldBack(findings, row.alerts), row.alerts)) return;
            await settle({ source: 'health', nodeId: row.id }, findings);
          });
        }
        after = rows.at(-1)?.id;
        if (rows.length < judgedAtOnce) return 'idle';
      }
    },
  };
}

/**
 * Raises alerts for silent nodes, in any state: a drained or quarantined one can be lost as well. Silence stops new
 * work and ends nothing; tenants see the alert until the node reports again.
 */
export function makeSilence(parts: RoundParts) {
  const { db, ids } = parts;
  const settle = makeSettle(parts);
  const apart = makeApart('node-presence', parts);
  /** Who was last heard before `silentBefore` is silent, who was heard after `heardAfter` is not. */
  return async (silentBefore: Date | undefined, heardAfter: Date): Promise<void> => {
    const viewer = systemViewer('attention', { correlationId: ids.next() });
    const rows = await db.read(viewer, (tx) =>
      tx.rows<{ id: string; reported_at: Date | null; is_new: boolean }>(silentSql, [
        ...[silentBefore ?? null, heardAfter, judgedAtOnce],
      ]),
    );
    for (const { id, reported_at, is_new } of rows) {
      const silent: Finding = {
        ...{ kind: 'silent', effect: 'blocks_sale', slotId: null, allocationId: null },
        message: `It was last heard ${reported_at ? `at ${reported_at.toISOString()}` : 'never'}.`,
        tenantMessage: 'Its host does not answer at the moment. It is not ended: it goes on when the host returns.',
      };
      await apart({ node: id }, () => settle({ source: 'presence', nodeId: id }, is_new ? [silent] : []));
    }
  };
}
