import { provisioningCleanupRequested, provisioningFailed } from '@gpuaas/contract';
import type { WriteTx } from '../../../kernel/act.ts';
import { Fault } from '../../../kernel/fault.ts';
import type { Ids } from '../../../kernel/id.ts';
import { moveSlots } from '../slots/slots.ts';
import type { Released } from './cancel.ts';
import { aboutMoved, advanceAllocation } from './machine.ts';

/**
 * `active` to `failed`: the node or the machine is gone. Charging ends here, and the slots are cleaned. Undefined when there
 * is no such allocation.
 */
export async function loseAllocation(
  tx: WriteTx,
  id: string,
  loss: {
    readonly ids: Ids;
    readonly correlationId: string;
    readonly code: 'node_lost' | 'runtime_lost';
    readonly reason: string;
    /** The lease that the caller saw. */
    readonly generation?: number | undefined;
  },
): Promise<Released | undefined | Fault> {
  const { ids, correlationId, code, reason } = loss;
  const moved = await advanceAllocation(tx, id, 'lose', {
    ids,
    correlationId,
    seenGeneration: loss.generation,
    detail: { failure_code: code },
    set: { failureCode: code, failureReason: reason },
  });
  if (!moved || moved instanceof Fault || !moved.nodeId) return moved instanceof Fault ? moved : undefined;
  const cleaning = await moveSlots(tx, { allocationId: id }, 'clean');
  if (cleaning instanceof Fault) return cleaning;
  const about = aboutMoved(id, moved);
  return {
    moved,
    events: [
      provisioningFailed.of(id, { ...about, failure_code: code, failure_reason: reason }),
      provisioningCleanupRequested.of(id, {
        ...about,
        generation: moved.generation,
        node_id: moved.nodeId,
        afterwards: code === 'node_lost' ? 'available' : 'quarantined',
      }),
    ],
  };
}
