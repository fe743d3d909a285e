import {
  type DeclaredEvent,
  provisioningCleanupRequested,
  provisioningFailed,
  provisioningIdle,
} from '@gpuaas/contract';
import { type BeginAct, type Database, type ReadTx, systemViewer, type WriteTx } from '../../../kernel/act.ts';
import type { Clock } from '../../../kernel/clock.ts';
import { Fault } from '../../../kernel/fault.ts';
import type { Ids } from '../../../kernel/id.ts';
import { makeApart, type Reconciler } from '../../../kernel/process/reconciler.ts';
import type { Log } from '../../../kernel/telemetry/log.ts';
import type { Metrics } from '../../../kernel/telemetry/metrics.ts';
import { minuteMs, secondMs } from '../../../kernel/units.ts';
import { makeSettle } from '../../attention/index.ts';
import { guardBatch } from '../facts.ts';
import { aboutMoved, advanceAllocation, noteAllocation } from '../life/machine.ts';
import { beginRelease, type Releasing } from '../life/release.ts';
import { moveSlots } from '../slots/slots.ts';
import { compareWithReport, type Drift, leftoversOf, missingOf } from './drift.ts';
import {
  type IdleRow,
  listExpired,
  listIdle,
  listLost,
  listReported,
  lockFreeAmong,
  type ReportedRow,
  setIdle,
  setMissing,
} from './guards-store.ts';

export interface GuardParts {
  readonly db: Database;
  readonly begin: BeginAct;
  readonly ids: Ids;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly tasks: Releasing['tasks'];
  readonly policies: {
    maxReleaseAttempts(): number;
    /** How long a node may be silent before what it serves fails; 0 when silence ends nothing. */
    lostAfterSeconds(): number;
    /** A report older than this says nothing about now. */
    reportSeconds(): number;
    /** At or below this many percent a GPU does nothing. */
    idlePercent(): number;
    /** Between the warning and the release. */
    idleGraceMinutes(): number;
  };
}

/**
 * What looks after allocations when nobody asks: those whose time is up, those that do nothing, those whose node is gone,
 * and those that are not where they should be. Each takes a bounded number at a time and leaves one audited act per
 * allocation; whoever else moved it meanwhile was first, and the guard lets it be.
 */
export function makeGuards(parts: GuardParts) {
  const { db, ids, clock, policies } = parts;
  const drifts = parts.metrics.counter(
    'gpuaas_allocation_drift_total',
    'Differences between what nodes hold and what they should hold.',
    ['kind'],
  );
  const look = <T>(work: (tx: ReadTx) => Promise<T>) =>
    db.read(systemViewer('allocation-guards', { correlationId: ids.next() }), work);
  const settle = makeSettle(parts);
  const ago = (ms: number) => new Date(clock.now().getTime() - ms);

  const release = (id: string, reason: string, forced = false) =>
    change(id, `allocation.release_${reason}`, (tx, correlationId) =>
      beginRelease(tx, id, {
        ids,
        tasks: parts.tasks,
        correlationId,
        reason,
        forced,
        maxAttempts: policies.maxReleaseAttempts(),
        endedAt: clock.now(),
      }),
    );

  /** What was promised is gone. It ends here, billed no further, and whatever the node still has is cleaned up. */
  const lose = (id: string, code: 'node_lost' | 'runtime_lost', sentence: string, generation?: number) =>
    change(id, 'allocation.lose', async (tx, correlationId) => {
      const moved = await advanceAllocation(tx, id, 'lose', {
        ids,
        correlationId,
        seenGeneration: generation,
        detail: { failure_code: code },
        set: { failureCode: code, failureReason: sentence },
      });
      if (!moved || moved instanceof Fault || !moved.nodeId) return moved instanceof Fault ? moved : undefined;
      const cleaning = await moveSlots(tx, { allocationId: id }, 'clean');
      if (cleaning instanceof Fault) return cleaning;
      const about = aboutMoved(id, moved);
      return {
        moved,
        events: [
          provisioningFailed.of(id, { ...about, failure_code: code, failure_reason: sentence }),
          provisioningCleanupRequested.of(id, {
            ...about,
            generation: moved.generation,
            node_id: moved.nodeId,
            afterwards: code === 'node_lost' ? 'available' : 'quarantined',
          }),
        ],
      };
    });

  /** One allocation, one act. Losing a race is no failure: somebody else moved it. */
  async function change(
    id: string,
    action: `${string}.${string}`,
    work: (
      tx: WriteTx,
      correlationId: string,
    ) => Promise<
      | {
          readonly moved: { from: string; to: string; organizationId: string; projectId: string };
          readonly events: readonly DeclaredEvent[];
        }
      | Fault
      | undefined
    >,
  ): Promise<boolean> {
    const correlationId = ids.next();
    const outcome = await db.write(parts.begin(action, { correlationId }), async (tx) => {
      const done = await work(tx, correlationId);
      if (!done) return tx.abandon(new Fault('allocation_not_found', 'It is gone.'));
      if (done instanceof Fault) return tx.abandon(done);
      return tx.commit(undefined, {
        target: { type: 'allocation', id },
        change: { state: [done.moved.from, done.moved.to] },
        organizationId: done.moved.organizationId,
        projectId: done.moved.projectId,
        events: done.events,
      });
    });
    return !(outcome instanceof Fault);
  }

  /** Goes through all rows there are, page by page. One that fails is logged and counted, and keeps no other from its turn. */
  async function eachOf<R extends { readonly id: string }>(
    name: string,
    page: (after: string | undefined) => Promise<readonly R[]>,
    work: (row: R) => Promise<unknown>,
  ): Promise<'idle'> {
    const each = makeApart(name, parts);
    for (let after: string | undefined; ; ) {
      const rows = await page(after);
      for (const row of rows) await each({ allocation: row.id }, () => work(row));
      after = rows.at(-1)?.id;
      if (rows.length < guardBatch) return 'idle';
    }
  }

  const expiry: Reconciler = {
    name: 'allocation-expiry',
    async round() {
      const now = clock.now();
      return eachOf(
        'allocation-expiry',
        (after) => look((tx) => listExpired(tx, now, after, guardBatch)),
        ({ id }) => release(id, 'max_duration'),
      );
    },
  };
  const lostNodes: Reconciler = {
    name: 'allocation-lost-nodes',
    async round() {
      const lostAfterSeconds = policies.lostAfterSeconds();
      if (lostAfterSeconds === 0) return 'idle';
      const before = ago(lostAfterSeconds * secondMs);
      return eachOf(
        'allocation-lost-nodes',
        (after) => look((tx) => listLost(tx, before, after, guardBatch)),
        ({ id }) => lose(id, 'node_lost', 'Its node has not been heard of for too long.'),
      );
    },
  };

  const idle: Reconciler = {
    name: 'allocation-idle',
    async round() {
      const reportedAfter = ago(policies.reportSeconds() * secondMs);
      return eachOf(
        'allocation-idle',
        (after) => look((tx) => listIdle(tx, reportedAfter, after, guardBatch)),
        watchIdle,
      );
    },
  };
  async function watchIdle(row: IdleRow): Promise<void> {
    const now = clock.now();
    const busy = row.busiest === null || row.busiest > policies.idlePercent();
    if (busy) {
      if (row.idle_since) await markIdle(row, { since: null, warnedAt: null }, []);
      return;
    }
    if (!row.idle_since) return markIdle(row, { since: now, warnedAt: null }, []);
    if (now.getTime() - row.idle_since.getTime() < row.idle_minutes * minuteMs) return;
    if (!row.idle_warned_at) {
      const releasesAt =
        row.idle_action === 'release'
          ? new Date(now.getTime() + policies.idleGraceMinutes() * minuteMs).toISOString()
          : null;
      const warning = provisioningIdle.of(row.id, {
        allocation_id: row.id,
        organization_id: row.organization_id,
        project_id: row.project_id,
        version: Number(row.version) + 1,
        simulated: row.simulated,
        idle_since: row.idle_since.toISOString(),
        releases_at: releasesAt,
      });
      return markIdle(row, { since: row.idle_since, warnedAt: now }, [warning]);
    }
    const over = now.getTime() - row.idle_warned_at.getTime() >= policies.idleGraceMinutes() * minuteMs;
    if (row.idle_action === 'release' && over) await release(row.id, 'idle');
  }
  async function markIdle(
    row: IdleRow,
    mark: { readonly since: Date | null; readonly warnedAt: Date | null },
    events: readonly DeclaredEvent[],
  ): Promise<void> {
    const correlationId = ids.next();
    await db.write(parts.begin('allocation.watch_idle', { correlationId }), async (tx) => {
      // Changed since it was read: the next round looks again.
      if ((await setIdle(tx, row, mark)) === 0) return tx.abandon(new Fault('version_conflict', 'It has changed.'));
      if (events.length > 0) {
        await noteAllocation(tx, row.id, { ids, correlationId, kind: 'note', name: 'idle_warning' });
      }
      return tx.commit(undefined, {
        target: { type: 'allocation', id: row.id },
        change: { idle_since: mark.since?.toISOString() ?? null },
        organizationId: row.organization_id,
        projectId: row.project_id,
        events: events.length > 0 ? events : 'none',
      });
    });
  }

  const apart = makeApart('allocation-drift', parts);
  const drift: Reconciler = {
    name: 'allocation-drift',
    async round() {
      for (let after: string | undefined; ; ) {
        const rows = await look((tx) => listReported(tx, ago(policies.reportSeconds() * secondMs), after, guardBatch));
        for (const row of rows) await apart({ node: row.node_id }, () => compareNode(row));
        after = rows.at(-1)?.node_id;
        if (rows.length < guardBatch) return 'idle';
      }
    },
  };
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
    for (const each of found) await apart({ node: row.node_id }, () => mend(row, each));
    const missing = new Set(found.map((each) => (each.kind === 'absent' ? each.allocationId : undefined)));
    for (const { id, generation, missing_boot_id } of row.desired) {
      if (missing_boot_id === null || missing.has(id)) continue;
      await apart({ node: row.node_id }, () => noteMissing(id, generation, null));
    }
    if (found.length > 0 || row.alerted) {
      const findings = [...leftoversOf(found, row.slot_ids), ...missingOf(found)];
      await settle({ source: 'drift', nodeId: row.node_id }, findings);
    }
  }
  async function mend(row: ReportedRow, found: Drift): Promise<void> {
    drifts.inc({ kind: found.kind });
    switch (found.kind) {
      case 'ended':
        await release(found.allocationId, 'max_duration');
        return;
      case 'absent':
        await miss(row, found.allocationId, found.generation);
        return;
      case 'orphan':
      case 'stale':
        await setAside(row.node_id, found.lease.slot_ids, found.lease.allocation_id);
    }
  }
  /**
   * A report that does not name a machine is no proof that it is gone: an agent that lost its state folder reports nothing,
   * and the machine runs. It is proof once the host was started again since, because no machine outlives that.
   */
  async function miss(row: ReportedRow, id: string, generation: number): Promise<void> {
    const since = row.desired.find((each) => each.id === id)?.missing_boot_id ?? null;
    if (since === null) await noteMissing(id, generation, row.boot_id);
    else if (since !== row.boot_id) {
      await lose(id, 'runtime_lost', 'Its host was started again and does not have it any more.', generation);
    }
  }
  async function noteMissing(id: string, generation: number, bootId: string | null): Promise<void> {
    const correlationId = ids.next();
    await db.write(parts.begin('allocation.note_missing', { correlationId }), async (tx) => {
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
  /** Free slots under something that nobody wants are kept from being handed out. What it is stays as it is. */
  async function setAside(nodeId: string, slotIds: readonly string[], allocationId: string): Promise<void> {
    const correlationId = ids.next();
    await db.write(parts.begin('node.set_aside', { correlationId }), async (tx) => {
      const reason = `The node still holds allocation ${allocationId}: look before it is used again.`;
      // Only what is free: a slot that somebody holds by now is that allocation's, whatever the node remembers.
      const free = await lockFreeAmong(tx, nodeId, slotIds);
      const moved = free.length > 0 ? await moveSlots(tx, { slotIds: free }, 'quarantine', { reason }) : undefined;
      if (!moved || moved instanceof Fault) {
        return tx.abandon(new Fault('illegal_transition', 'The slots are set aside already, or in other hands.'));
      }
      return tx.commit(undefined, {
        target: { type: 'node', id: nodeId },
        change: { quarantined: moved.slots.map(({ id }) => id), orphan: allocationId },
        events: 'none',
      });
    });
  }

  return { release, expiry, lostNodes, idle, drift };
}
