import type { NodeTaskResult, TaskOutput } from '@gpuaas/contract/node';
import { sql, type WriteTx } from '../../kernel/act.ts';
import type { TaskRow } from './tasks-store.ts';

const keepSql = sql(
  'node-topology',
  `update nodes set topology = $2, topology_at = act_time(), version = version + 1, updated_at = act_time()
   where id = $1`,
);

/** Keeps what a node said it is made of, in the transaction that takes the result. */
export async function keepTopology(tx: WriteTx, task: TaskRow, result: NodeTaskResult): Promise<void> {
  if (task.task_type !== 'slice.topology_discover' || result.outcome !== 'succeeded') return;
  const { topology } = result.output as TaskOutput<'slice.topology_discover'>;
  await tx.run(keepSql, [task.node_id, JSON.stringify(topology)]);
}
