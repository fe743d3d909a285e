import { provisioningFailed } from '@gpuaas/contract';
import type { Act } from '../../../kernel/act.ts';
import { Fault } from '../../../kernel/fault.ts';
import { dropHostReservationOf } from '../queue/store.ts';
import { holdAllocation } from '../store.ts';
import { aboutMoved, advanceAllocation } from './machine.ts';
import type { LifeParts } from './parts.ts';

/** `requested` to `failed`: the request waited in the queue until its deadline. It held no slots. */
export async function expireWait(parts: Pick<LifeParts, 'db' | 'ids'>, act: Act, id: string): Promise<void> {
  await parts.db.write(act, async (tx) => {
    const row = await holdAllocation(tx, id);
    if (row?.placement_status !== 'queued' || row.state !== 'requested') {
      return tx.abandon(new Fault('illegal_transition', 'The request does not wait any more.'));
    }
    await dropHostReservationOf(tx, id);
    const failureReason = 'Nothing came free in the time that it was willing to wait.';
    const moved = await advanceAllocation(tx, id, 'fail', {
      ...{ ids: parts.ids, correlationId: act.correlationId },
      set: { failureCode: 'queue_timeout', failureReason },
    });
    if (!moved) throw new Error(`allocation ${id} is gone although it was held`);
    if (moved instanceof Fault) return tx.abandon(moved);
    return tx.commit(undefined, {
      target: { type: 'allocation', id },
      change: { state: [moved.from, moved.to] },
      events: [
        provisioningFailed.of(id, {
          ...aboutMoved(id, moved),
          ...{ failure_code: 'queue_timeout', failure_reason: failureReason },
        }),
      ],
    });
  });
}
