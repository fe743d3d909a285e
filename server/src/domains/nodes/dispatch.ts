import type { NodeTask } from '@gpuaas/contract/node';
import { type BeginAct, type Database, systemViewer } from '../../kernel/act.ts';
import type { Clock } from '../../kernel/clock.ts';
import { Fault } from '../../kernel/fault.ts';
import type { Ids } from '../../kernel/id.ts';
import { secondMs } from '../../kernel/units.ts';
import { nodesAtOnce, taskIdsNamed } from './facts.ts';
import { dispatchTasks, pendingNodes } from './tasks-store.ts';

export interface Dispatch {
  /** Which of these nodes have something to fetch. */
  pending(nodeIds: readonly string[]): Promise<string[]>;
  /** Hands out one task to each of these nodes that has one, in one transaction for all of them. */
  dispatch(nodeIds: readonly string[]): Promise<Map<string, NodeTask>>;
}

/** Handing tasks out, for as many nodes as were woken together: the cost is one transaction, not one per node. */
export function makeDispatch(parts: {
  readonly db: Database;
  readonly begin: BeginAct;
  readonly ids: Ids;
  readonly clock: Clock;
  readonly redispatchSeconds: () => number;
  /** Seconds from a task's birth to its hand-out. */
  readonly onDispatched?: (waitedSeconds: number) => void;
}): Dispatch {
  const { db, ids, clock } = parts;
  const abandonedBefore = () => new Date(clock.now().getTime() - parts.redispatchSeconds() * secondMs);
  return {
    async pending(nodeIds) {
      if (nodeIds.length === 0) return [];
      return db.read(systemViewer('nodes', { correlationId: ids.next() }), (tx) =>
        pendingNodes(tx, nodeIds, abandonedBefore()),
      );
    },
    async dispatch(nodeIds) {
      const handed = new Map<string, NodeTask>();
      for (let at = 0; at < nodeIds.length; at += nodesAtOnce) {
        const some = nodeIds.slice(at, at + nodesAtOnce);
        const act = parts.begin('node_task.dispatch', { correlationId: ids.next() });
        const written = await db.write(act, async (tx) => {
          const dispatched = await dispatchTasks(tx, some, abandonedBefore());
          if (dispatched.length === 0) {
            return tx.abandon(new Fault('node_task_not_found', 'Somebody else was faster.'));
          }
          const change = {
            tasks: dispatched.length,
            task_ids: dispatched.slice(0, taskIdsNamed).map(({ id }) => id),
          };
          const target = { type: 'node_task', id: dispatched.length === 1 ? (dispatched[0]?.id ?? 'none') : 'many' };
          return tx.commit(dispatched, { target, change, events: 'none' });
        });
        for (const row of written instanceof Fault ? [] : written.value) {
          handed.set(row.node_id, row.envelope);
          parts.onDispatched?.((clock.now().getTime() - row.issued_at.getTime()) / secondMs);
        }
      }
      return handed;
    },
  };
}
