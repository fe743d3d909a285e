import type { Lease } from '../../../kernel/process/lease.ts';
import { makeApart, type Reconciler, startReconciler } from '../../../kernel/process/reconciler.ts';
import { capacityChannel, queueEveryMs } from '../facts.ts';
import { expireWait } from '../life/expire-wait.ts';
import { taskTimes } from '../task-times.ts';
import { readLine, systemView, writeHostReservation } from './line.ts';
import { originOf, type QueueParts } from './parts.ts';
import { planLine } from './plan.ts';
import { promote } from './promote.ts';
import { type LineRow, listLate, listLines } from './store.ts';

/**
 * Gives free slots to waiting requests. Each line, which is one SKU in one region, is read once and planned for all its
 * requests. A long line does not delay the others: each round begins with another line. A request that waited until its
 * deadline fails with a reason.
 */
export function makeQueue(parts: QueueParts): Reconciler {
  const { db, policies } = parts;
  const apart = makeApart('allocation-queue', parts);
  let turn = 0;
  return {
    name: 'allocation-queue',
    async round(signal) {
      const limit = policies.number('allocation.queue_batch');
      const [late, lines] = await db.read(systemView(parts), async (tx) => [
        await listLate(tx, limit),
        await listLines(tx),
      ]);
      let given = 0;
      for (const row of late) {
        if (signal.aborted) return 'idle';
        await apart({ allocation: row.id }, async () => {
          await expireWait(parts, parts.begin('allocation.give_up', originOf(parts, row)), row.id);
          given += 1;
        });
      }
      turn += 1;
      const first = lines.length > 0 ? turn % lines.length : 0;
      for (const line of [...lines.slice(first), ...lines.slice(0, first)]) {
        if (signal.aborted) return 'idle';
        // A line that fails does not delay the others.
        await apart({ sku: line.sku, region: line.region }, () => serve(parts, line, apart, signal));
      }
      return late.length === limit && given > 0 ? 'more' : 'idle';
    },
  };
}

async function serve(
  parts: QueueParts,
  line: LineRow,
  apart: ReturnType<typeof makeApart>,
  signal: AbortSignal,
): Promise<void> {
  const { policies } = parts;
  const view = await parts.db.read(systemView(parts), (tx) =>
    readLine(tx, line, {
      now: parts.clock.now(),
      ageingSeconds: policies.number('allocation.queue_ageing_seconds'),
      provisionSeconds: taskTimes(policies).taskSeconds('provision'),
      lostAfterSeconds: policies.number('node.lost_after_seconds'),
      imageRequired: policies.value('allocation.image_cache_required'),
      batch: policies.number('allocation.queue_batch'),
    }),
  );
  const plan = planLine(view);
  for (const start of plan.starts) {
    if (signal.aborted) return;
    const row = view.rows.get(start.id);
    // A request that cannot be placed, because its task cannot be made, does not delay the requests behind it.
    if (row) await apart({ allocation: row.id }, () => promote(parts, row, start));
  }
  await writeHostReservation(parts, line, view, plan);
}

/** Runs the queue. A commit that frees slots wakes it. */
export async function openQueue(
  parts: QueueParts & {
    readonly listen: (channel: string, listener: (payload: string) => void) => Promise<{ close(): Promise<void> }>;
    readonly lease: Lease;
  },
): Promise<{ close(): Promise<void> }> {
  const running = startReconciler(makeQueue(parts), { ...parts, everyMs: queueEveryMs });
  const listening = await parts.listen(capacityChannel, running.wake);
  return {
    async close() {
      await listening.close();
      await running.close();
    },
  };
}
