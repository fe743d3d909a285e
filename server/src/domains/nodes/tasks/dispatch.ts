import type { NodeTask } from '@gpuaas/contract/node';
import { type BeginAct, type Database, systemViewer } from '../../../kernel/act.ts';
import type { Clock } from '../../../kernel/clock.ts';
import { Fault } from '../../../kernel/fault.ts';
import type { Ids } from '../../../kernel/id.ts';
import { secondMs } from '../../../kernel/units.ts';
import { nodesAtOnce, taskIdsNamed } from '../facts.ts';
import { type Asker, dispatchTasks, pendingAnywhere, pendingNodes } from './tasks-store.ts';

/** A node that asks for work. */
export interface Asking {
  readonly nodeId: string;
  /** The tasks that it has, if it lists them: every other dispatched task was lost on the way. */
  readonly knows?: readonly string[] | undefined;
}
export interface Dispatch {
  /** Which of these nodes have tasks to fetch. */
  pending(asking: readonly Asking[]): Promise<string[]>;
  /** Nodes that have tasks to fetch: a bounded number, because more rounds follow. */
  pendingAnywhere(): Promise<string[]>;
  /** Dispatches one task to each of these nodes that has one, in one transaction for all of them. */
  dispatch(asking: readonly Asking[]): Promise<Map<string, NodeTask>>;
}

/** Dispatches tasks to all nodes that were woken together in one transaction, not in one per node. */
export function makeDispatch(parts: {
  readonly db: Database;
  readonly begin: BeginAct;
  readonly ids: Ids;
  readonly clock: Clock;
  readonly redispatchSeconds: () => number;
  /** Seconds from the issue of a task to its dispatch. */
  readonly onDispatched?: (waitedSeconds: number) => void;
}): Dispatch {
  const { db, ids, clock } = parts;
  const abandonedBefore = () => new Date(clock.now().getTime() - parts.redispatchSeconds() * secondMs);
  const look = <T>(work: Parameters<typeof db.read<T>>[1]) =>
    db.read(systemViewer('nodes', { correlationId: ids.next() }), work);
  /** A node that lists its tasks needs no grace period. The clock of the process that dispatched may be ahead of ours. */
  const asAskers = (asking: readonly Asking[]): Asker[] => {
    const nowMs = clock.now().getTime();
    const patienceMs = parts.redispatchSeconds() * secondMs;
    const [atOnce, later] = [new Date(nowMs + patienceMs), new Date(nowMs - patienceMs)];
    return asking.map(({ nodeId, knows }) => ({
      ...{ nodeId, knows: knows ?? [], abandonedBefore: knows ? atOnce : later },
    }));
  };
  return {
    async pending(asking) {
      return asking.length === 0 ? [] : look((tx) => pendingNodes(tx, asAskers(asking)));
    },
    pendingAnywhere: () => look((tx) => pendingAnywhere(tx, abandonedBefore(), nodesAtOnce)),
    async dispatch(asking) {
      const handed = new Map<string, NodeTask>();
      for (let at = 0; at < asking.length; at += nodesAtOnce) {
        const some = asAskers(asking.slice(at, at + nodesAtOnce));
        const act = parts.begin('node_task.dispatch', { correlationId: ids.next() });
        const written = await db.write(act, async (tx) => {
          const dispatched = await dispatchTasks(tx, some);
          if (dispatched.length === 0) {
            return tx.abandon(new Fault('node_task_not_found', 'Another process has dispatched the task.'));
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
