import { type BeginAct, type Database, systemViewer } from '../../../kernel/act.ts';
import type { Clock } from '../../../kernel/clock.ts';
import type { Ids } from '../../../kernel/id.ts';
import { makeApart, type Reconciler } from '../../../kernel/process/reconciler.ts';
import type { Log } from '../../../kernel/telemetry/log.ts';
import type { Metrics } from '../../../kernel/telemetry/metrics.ts';
import { dayMs } from '../../../kernel/units.ts';
import type { Objects } from '../../../ports/objects/port.ts';
import type { Policies } from '../../policy/index.ts';
import { pageChunks, retentionBatch } from '../facts.ts';
import { prefixOf } from './append.ts';
import { type KeptRow, listKept, noteRemoved } from './store.ts';

/**
 * Removes recordings whose retention is over. The objects go first, and the removal is noted when they are gone: a process that dies in
 * between removes the rest in its next round. Rows of chunks stay, so that a copy that a person kept can still be compared.
 */
export function makeRecordingRetention(parts: {
  readonly db: Database;
  readonly begin: BeginAct;
  readonly objects: Pick<Objects, 'list' | 'delete'>;
  readonly policies: Pick<Policies, 'number'>;
  readonly ids: Ids;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: Metrics;
}): Reconciler {
  const { db, objects, policies, ids, clock } = parts;
  const apart = makeApart('terminal-recordings', parts);
  const gone = parts.metrics.counter(
    'gpuaas_terminal_recordings_removed_total',
    'Recordings that were removed at the end of their retention.',
    [],
  );
  const isDue = (row: KeptRow): boolean => {
    const who = { organizationId: row.organization_id, projectId: row.project_id, actorId: row.user_id };
    const days = policies.number('terminal.recording_retention_days', who);
    return row.ended_at !== null && row.ended_at.getTime() + days * dayMs <= clock.now().getTime();
  };
  const empty = async (prefix: string): Promise<void> => {
    for (;;) {
      const found = await objects.list(prefix, { limit: pageChunks });
      for (const { key } of found) await objects.delete(key);
      if (found.length < pageChunks) return;
    }
  };
  const remove = async (row: KeptRow): Promise<void> => {
    await empty(prefixOf(row));
    const origin = { correlationId: ids.next(), organizationId: row.organization_id, projectId: row.project_id };
    await db.write(parts.begin('terminal_recording.expire', origin), async (tx) => {
      await noteRemoved(tx, row.id);
      return tx.commit(undefined, { target: { type: 'terminal_recording', id: row.id }, events: 'none' });
    });
    gone.inc();
  };
  return {
    name: 'terminal-recordings',
    async round(signal) {
      const viewer = systemViewer('terminal', { correlationId: ids.next() });
      // A day is the shortest retention, so younger ones are not looked at.
      const before = new Date(clock.now().getTime() - dayMs);
      let after: string | undefined;
      let removals = 0;
      for (;;) {
        const rows = await db.read(viewer, (tx) => listKept(tx, before, after, pageChunks));
        for (const row of rows.filter(isDue)) {
          if (signal.aborted || removals >= retentionBatch) return 'more';
          removals += 1;
          await apart({ recording: row.id }, () => remove(row));
        }
        after = rows.at(-1)?.id;
        if (rows.length < pageChunks || signal.aborted) return 'idle';
      }
    },
  };
}
