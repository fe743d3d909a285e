import { nodeHealthProbe, nodeTaskList, nodeTopologyDiscover } from '@gpuaas/contract';
import { type Act, type Database, handlers, type Mounted, type ReadTx } from '../../../kernel/act.ts';
import type { Fault } from '../../../kernel/fault.ts';
import { readPage } from '../../../kernel/page.ts';
import type { Policies } from '../../policy/index.ts';
import { nodeGeneration } from '../facts.ts';
import { refuseToAsk } from '../rules/node.ts';
import type { Tasks } from '../tasks/tasks.ts';
import { absentNode } from './nodes-routes.ts';
import { findNode, listTasks, showTask } from './store.ts';

interface Parts {
  readonly db: Database;
  readonly policies: Policies;
  readonly tasks: Pick<Tasks, 'queueTask'>;
}
const on = handlers<Parts>();

const list = on(nodeTaskList, async ({ db }, who, { params, query }) => {
  if (!(await db.read(who, (tx) => findNode(tx, params.node_id)))) return absentNode();
  return readPage({
    name: 'node-tasks',
    query,
    read: (before, limit) =>
      db.read(who, (tx) => listTasks(tx, params.node_id, { before, limit, state: query.state, q: query.q })),
    keyOf: (row) => row.id,
    show: showTask,
  });
});

/** Why a node cannot be asked for anything now. */
export async function mayBeAsked(
  tx: ReadTx,
  nodeId: string,
): Promise<Fault<'node_not_found' | 'node_offline'> | undefined> {
  const node = await findNode(tx, nodeId);
  if (!node || node.state === 'deleted') return absentNode();
  return refuseToAsk(node);
}

function ask(
  { db, policies, tasks }: Parts,
  act: Act,
  nodeId: string,
  type: 'slice.topology_discover' | 'diag.health_probe',
) {
  return db.write(act, async (tx) => {
    const refused = await mayBeAsked(tx, nodeId);
    if (refused) return tx.abandon(refused);
    const taskId = await tasks.queueTask(tx, {
      nodeId,
      type,
      params: {},
      generation: nodeGeneration,
      ttlSeconds: policies.number('node.task_ttl_seconds'),
      correlationId: act.correlationId,
    });
    return tx.commit(
      { task_id: taskId },
      { target: { type: 'node', id: nodeId }, change: { task_id: taskId, task_type: type }, events: 'none' },
    );
  });
}

const discover = on(nodeTopologyDiscover, (parts, act, { params }) =>
  ask(parts, act, params.node_id, 'slice.topology_discover'),
);
const probe = on(nodeHealthProbe, (parts, act, { params }) => ask(parts, act, params.node_id, 'diag.health_probe'));

export const taskRoutes = (parts: Parts): Mounted[] => [list, discover, probe].map((bind) => bind(parts));
