import type { NodeTaskResult, NodeTaskType } from '@gpuaas/contract/node';
import type { WriteTx } from '../../../kernel/act.ts';
import { Fault } from '../../../kernel/fault.ts';
import { answerOf } from '../../nodes/index.ts';
import { readOrder } from '../life/order.ts';
import type { SagaParts } from './parts.ts';
import { activateIn, type Became } from './provision.ts';
import { emptiedBy, isImagedAgain, proofsOf, proveIn } from './vacate.ts';

/**
 * What the answer of a node makes of its allocation, in the transaction that takes the answer: active, or gone. The saga
 * that looks after the allocation would do the same a moment later, and finds it done.
 *
 * Only what goes well is done here, and only where nothing else has come in between. Everything else is left to the saga,
 * which knows what to undo.
 */
export const makeSettled =
  (parts: SagaParts) =>
  async (
    tx: WriteTx,
    task: {
      readonly id: string;
      readonly task_type: NodeTaskType;
      readonly allocation_id: string | null;
      readonly generation: bigint;
      readonly correlation_id: string;
    },
    result: NodeTaskResult,
  ): Promise<Became | undefined> => {
    const means = meanings[task.task_type];
    if (!means || task.allocation_id === null || result.outcome !== 'succeeded') return undefined;
    const order = await readOrder(tx, task.allocation_id, Number(task.generation));
    // A result of another lease was refused before it got here.
    if (order?.generation !== Number(task.generation)) return undefined;
    const answer = answerOf({ id: task.id, state: 'succeeded', result });
    const became =
      means === 'ready'
        ? await activateIn(tx, parts, order, answer, task.correlation_id)
        : order.state === 'releasing' &&
            !isImagedAgain(order) &&
            proofsOf(emptiedBy(order), answer).problems.length === 0
          ? await proveIn(tx, parts, order, 'available', task.correlation_id)
          : undefined;
    return became instanceof Fault ? undefined : became;
  };

const meanings: Partial<Record<NodeTaskType, 'ready' | 'gone'>> = {
  'slice.vm_provision': 'ready',
  'allocation.provision_user': 'ready',
  'slice.vm_release': 'gone',
  'allocation.revoke_user': 'gone',
};
