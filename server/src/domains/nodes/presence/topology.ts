import type { NodeTaskResult, TaskOutput } from '@gpuaas/contract/node';
import { sql, type WriteTx } from '../../../kernel/act.ts';
import type { TaskRow } from '../tasks/tasks-store.ts';

const keepSql = sql(
  'node-topology',
  `update nodes n set topology = $2, topology_at = act_time(), version = version + 1, updated_at = act_time(),
     schedulable = n.schedulable and not turned,
     cordon_reason = case when n.schedulable and turned then $3 else n.cordon_reason end
   from (select coalesce(($2::jsonb -> 'simulated')::boolean, false) and simulated is not true as turned
         from nodes where id = $1) as now
   where n.id = $1`,
);
const turnedSimulated = 'It says now that it is simulated. Uncordon it if that is wanted.';

/**
 * Keeps what a node said it is made of, in the transaction that takes the result. A published host that turns out to be
 * simulated takes no more work until an operator publishes it again, which a policy may refuse.
 */
export async function keepTopology(tx: WriteTx, task: TaskRow, result: NodeTaskResult): Promise<void> {
  if (task.task_type !== 'slice.topology_discover' || result.outcome !== 'succeeded') return;
  const { topology } = result.output as TaskOutput<'slice.topology_discover'>;
  await tx.run(keepSql, [task.node_id, JSON.stringify(topology), turnedSimulated]);
}
