import { type DeclaredEvent, provisioningIdle } from '@gpuaas/contract';
import { Fault } from '../../../kernel/fault.ts';
import type { Reconciler } from '../../../kernel/process/reconciler.ts';
import { minuteMs, secondMs } from '../../../kernel/units.ts';
import { guardBatch } from '../facts.ts';
import { noteAllocation } from '../life/machine.ts';
import { ago, eachOf, type GuardParts, look } from './guard.ts';
import { type IdleRow, listIdle, setIdle } from './guards-store.ts';
import type { GuardRelease } from './release.ts';

/** Warns owners of idle allocations, and releases those whose owners chose that, after a grace period. */
export const makeIdle = (parts: GuardParts, release: GuardRelease): Reconciler => ({
  name: 'allocation-idle',
  async round() {
    const reportedAfter = ago(parts, parts.policies.reportSeconds() * secondMs);
    return eachOf(
      parts,
      'allocation-idle',
      (after) => look(parts, (tx) => listIdle(tx, reportedAfter, after, guardBatch)),
      (row) => watchIdle(parts, release, row),
    );
  },
});

async function watchIdle(parts: GuardParts, release: GuardRelease, row: IdleRow): Promise<void> {
  const { policies } = parts;
  const now = parts.clock.now();
  const graceMs = policies.idleGraceMinutes() * minuteMs;
  const isBusy = row.busiest === null || row.busiest > policies.idlePercent();
  if (isBusy) {
    if (row.idle_since) await markIdle(parts, row, { since: null, warnedAt: null }, []);
    return;
  }
  if (!row.idle_since) return markIdle(parts, row, { since: now, warnedAt: null }, []);
  if (now.getTime() - row.idle_since.getTime() < row.idle_minutes * minuteMs) return;
  if (!row.idle_warned_at) {
    const warning = provisioningIdle.of(row.id, {
      allocation_id: row.id,
      organization_id: row.organization_id,
      project_id: row.project_id,
      version: Number(row.version) + 1,
      simulated: row.simulated,
      idle_since: row.idle_since.toISOString(),
      releases_at: row.idle_action === 'release' ? new Date(now.getTime() + graceMs).toISOString() : null,
    });
    return markIdle(parts, row, { since: row.idle_since, warnedAt: now }, [warning]);
  }
  const isOver = now.getTime() - row.idle_warned_at.getTime() >= graceMs;
  if (row.idle_action === 'release' && isOver) await release(row.id, 'idle');
}

async function markIdle(
  { db, ids, begin }: GuardParts,
  row: IdleRow,
  mark: { readonly since: Date | null; readonly warnedAt: Date | null },
  events: readonly DeclaredEvent[],
): Promise<void> {
  const correlationId = ids.next();
  await db.write(begin('allocation.watch_idle', { correlationId }), async (tx) => {
    // It has changed since it was read: the next round looks again.
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
