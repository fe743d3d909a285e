import type { NodeTaskResult, TaskOutput } from '@gpuaas/contract/node';
import type { WriteTx } from '../../../kernel/act.ts';
import type { TaskRow } from '../tasks/tasks-store.ts';
import { keepSql } from './topology-store.ts';

const lostSlices = 'It says now that it cannot make slices. Uncordon it when it can again.';

const turnedSimulated = 'It says now that it is simulated. Uncordon it if that is wanted.';

/**
 * Keeps what a node said it is made of, in the transaction that takes the result. A published host that turns out to be
 * simulated takes no more work until an operator publishes it again, which a policy may refuse. So does one that is sold in
 * slices and cannot make them any more.
 */
export async function keepTopology(tx: WriteTx, task: TaskRow, result: NodeTaskResult): Promise<void> {
  if (task.task_type !== 'slice.topology_discover' || result.outcome !== 'succeeded') return;
  const { topology } = result.output as TaskOutput<'slice.topology_discover'>;
  await tx.run(keepSql, [task.node_id, JSON.stringify(topology), turnedSimulated, lostSlices]);
}
