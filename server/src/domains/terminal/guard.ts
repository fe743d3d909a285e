import type { TerminalEndReason } from '@gpuaas/contract/terminal';
import { type BeginAct, type Database, systemViewer } from '../../kernel/act.ts';
import type { Clock } from '../../kernel/clock.ts';
import type { Ids } from '../../kernel/id.ts';
import { makeApart, type Reconciler } from '../../kernel/process/reconciler.ts';
import type { Log } from '../../kernel/telemetry/log.ts';
import type { Metrics } from '../../kernel/telemetry/metrics.ts';
import { endSession } from './end.ts';
import { guardBatch } from './facts.ts';
import { listDue } from './rights-store.ts';
import { countByState, holdSession } from './store.ts';

/**
 * Ends sessions whose time is over, whose allocation or node has ended, whose node was revoked, and whose owner may no
 * longer use them, was signed out everywhere or removed the key that opened them. Who may follows from the people, roles and allocations of this moment.
 */
export function makeTerminalGuard(parts: {
  readonly db: Database;
  readonly begin: BeginAct;
  readonly ids: Ids;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: Metrics;
}): Reconciler {
  const { db, ids, clock } = parts;
  const apart = makeApart('terminal-guard', parts);
  const ended = parts.metrics.counter(
    'gpuaas_terminal_sessions_ended_total',
    'Sessions that the guard ended, by reason.',
    ['reason'],
  );
  const sessions = parts.metrics.gauge('gpuaas_terminal_sessions', 'Terminal sessions that have not ended, by state.', [
    'state',
  ]);

  async function end(id: string, reason: TerminalEndReason): Promise<void> {
    const correlationId = ids.next();
    await db.write(parts.begin('terminal_session.expire', { correlationId }), async (tx) => {
      const row = await holdSession(tx, id);
      const event = row && (await endSession(tx, clock, row, reason));
      if (event) ended.inc({ reason });
      return tx.commit(undefined, {
        target: { type: 'terminal_session', id },
        ...(row && { organizationId: row.organization_id, projectId: row.project_id }),
        change: { end_reason: reason },
        events: event ? [event] : 'none',
      });
    });
  }

  return {
    name: 'terminal-guard',
    async round() {
      const who = systemViewer('terminal-guard', { correlationId: ids.next() });
      const due = await db.read(who, (tx) => listDue(tx, clock.now(), guardBatch));
      for (const { id, reason } of due) await apart({ session: id }, () => end(id, reason));
      const counts = new Map((await db.read(who, countByState)).map((row) => [row.state, row.sessions]));
      for (const state of ['opening', 'open'] as const) sessions.set({ state }, counts.get(state) ?? 0);
      return due.length < guardBatch ? 'idle' : 'more';
    },
  };
}
