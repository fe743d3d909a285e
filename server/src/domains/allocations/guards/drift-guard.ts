import { Fault } from '../../../kernel/fault.ts';
import { makeApart, type Reconciler } from '../../../kernel/process/reconciler.ts';
import { secondMs } from '../../../kernel/units.ts';
import { makeAlertWriter, mayTake } from '../../attention/index.ts';
import { guardBatch } from '../facts.ts';
import { loseAllocation } from '../life/lose.ts';
import { noteAllocation } from '../life/machine.ts';
import { moveSlots } from '../slots/slots.ts';
import { compareWithReport, type Drift, leftoversOf, missingOf } from './drift.ts';
import { ago, changeAllocation, type GuardParts, look } from './guard.ts';
import { listReported, lockFreeAmong, type ReportedRow, setMissing } from './guards-store.ts';
import type { GuardRelease } from './release.ts';

/** Compares the reports of nodes with the rows, corrects what it safely can, and raises alerts about the rest. */
export function makeDriftGuard(parts: GuardParts, release: GuardRelease): Reconciler {
  const drifts = parts.metrics.counter(
    'gpuaas_allocation_drift_total',
    'Differences between what nodes hold and what they should hold.',
    ['kind'],
  );
  const settle = makeAlertWriter(parts);
  const apart = makeApart('allocation-drift', parts);

  async function compareNode(row: ReportedRow): Promise<void> {
    const desired = row.desired.map(({ id, state, generation, since }) => ({
      ...{ allocationId: id, state, generation },
      since: new Date(since),
    }));
    const gone = {
      leaving: new Set(row.leaving),
      endedAt: new Map(Object.entries(row.ended).map(([id, at]) => [id, new Date(at)])),
    };
    const found = compareWithReport(desired, gone, { at: row.reported_at, leases: row.leases });
    for (const each of found) {
      drifts.inc({ kind: each.kind });
      await apart({ node: row.node_id }, () => correct(parts, release, row, each));
    }
    const missing = new Set(found.map((each) => (each.kind === 'absent' ? each.allocationId : undefined)));
    for (const { id, generation, missing_boot_id } of row.desired) {
      if (missing_boot_id === null || missing.has(id)) continue;
      await apart({ node: row.node_id }, () => noteMissing(parts, id, generation, null));
    }
    if (found.length > 0 || row.alerted) {
      const findings = [...leftoversOf(found, row.slot_ids), ...missingOf(found)];
      await settle({ source: 'drift', nodeId: row.node_id }, findings);
    }
  }

  return {
    name: 'allocation-drift',
    async round() {
      const reportedAfter = () => ago(parts, parts.policies.reportSeconds() * secondMs);
      for (let after: string | undefined; ; ) {
        const rows = await look(parts, (tx) => listReported(tx, reportedAfter(), after, guardBatch));
        for (const row of rows) await apart({ node: row.node_id }, () => compareNode(row));
        after = rows.at(-1)?.node_id;
        if (rows.length < guardBatch) return 'idle';
      }
    },
  };
}

async function correct(parts: GuardParts, release: GuardRelease, row: ReportedRow, found: Drift): Promise<void> {
  switch (found.kind) {
    case 'ended':
      await release(found.allocationId, 'max_duration');
      return;
    case 'absent':
      await loseIfRestarted(parts, row, found.allocationId, found.generation);
      return;
    case 'orphan':
    case 'stale':
      await setAside(parts, row.node_id, found.lease.slot_ids, found.lease.allocation_id);
  }
}

/**
 * A report that does not name a machine does not prove that the machine is gone: an agent that lost its state folder reports
 * nothing while the machine runs. A restart of the host since then proves it, because no machine survives that.
 */
async function loseIfRestarted(parts: GuardParts, row: ReportedRow, id: string, generation: number): Promise<void> {
  const missingSinceBoot = row.desired.find((each) => each.id === id)?.missing_boot_id ?? null;
  if (missingSinceBoot === null) return noteMissing(parts, id, generation, row.boot_id);
  if (missingSinceBoot === row.boot_id) return;
  await changeAllocation(parts, id, 'allocation.lose', (tx, correlationId) =>
    loseAllocation(tx, id, {
      ...{ ids: parts.ids, correlationId, generation, code: 'runtime_lost' },
      reason: 'Its host was started again and does not have it any more.',
    }),
  );
}

async function noteMissing(
  { db, ids, begin }: GuardParts,
  id: string,
  generation: number,
  bootId: string | null,
): Promise<void> {
  const correlationId = ids.next();
  await db.write(begin('allocation.note_missing', { correlationId }), async (tx) => {
    const noted = await setMissing(tx, id, generation, bootId);
    if (!noted) return tx.abandon(new Fault('version_conflict', 'It has changed.'));
    const name = bootId === null ? 'runtime_found' : 'runtime_missing';
    await noteAllocation(tx, id, { ids, correlationId, kind: 'note', name });
    return tx.commit(undefined, {
      target: { type: 'allocation', id },
      change: { missing_boot_id: bootId },
      organizationId: noted.organization_id,
      projectId: noted.project_id,
      events: 'none',
    });
  });
}

/**
 * Quarantines free slots under a lease that should not exist. The machine on them is left running. The breaker of the pool
 * limits how many hosts this concerns; the alert about the lease keeps the slots from being sold either way.
 */
async function setAside(
  { db, ids, begin }: GuardParts,
  nodeId: string,
  slotIds: readonly string[],
  allocationId: string,
): Promise<void> {
  const correlationId = ids.next();
  await db.write(begin('node.set_aside', { correlationId }), async (tx) => {
    const reason = `The node still holds allocation ${allocationId}: look before it is used again.`;
    const asked = await mayTake(tx, { kind: 'quarantine', nodeId, source: 'drift', reason });
    // Only free slots: a slot that another allocation holds by now belongs to that allocation.
    const free = await lockFreeAmong(tx, nodeId, slotIds);
    if (free.length > 0 && !asked.granted) {
      if (!asked.isBreakerChange)
        return tx.abandon(new Fault('illegal_transition', 'The breaker of the pool holds it back.'));
      return tx.commit(undefined, {
        target: { type: 'node', id: nodeId },
        change: { held_back: free, orphan: allocationId },
        events: 'none',
      });
    }
    const moved = free.length > 0 ? await moveSlots(tx, { slotIds: free }, 'quarantine', { reason }) : undefined;
    if (!moved || moved instanceof Fault) {
      return tx.abandon(new Fault('illegal_transition', 'The slots are quarantined already, or held by others.'));
    }
    return tx.commit(undefined, {
      target: { type: 'node', id: nodeId },
      change: { quarantined: moved.slots.map(({ id }) => id), orphan: allocationId },
      events: 'none',
    });
  });
}
