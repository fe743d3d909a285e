import { nodeDrained } from '@gpuaas/contract';
import { type BeginAct, type Database, systemViewer } from '../../../kernel/act.ts';
import type { Clock } from '../../../kernel/clock.ts';
import { Fault } from '../../../kernel/fault.ts';
import type { Ids } from '../../../kernel/id.ts';
import type { Reconciler } from '../../../kernel/process/reconciler.ts';
import type { Log } from '../../../kernel/telemetry/log.ts';
import type { NodeBrief } from '../enrolment/identity-store.ts';
import { nodesAtOnce } from '../facts.ts';
import { advanceNode } from '../machine.ts';
import type { NodeTenants } from '../sagas/parts.ts';
import { lockSlotsOf } from '../slots-store.ts';
import { drainingSql } from './drains-store.ts';
import type { MoveSlots } from './slots-routes.ts';
import { busyWith, listSlots } from './store.ts';

interface Draining extends NodeBrief {
  readonly state_reason: string | null;
  readonly overdue: boolean;
  readonly busy: boolean;
}

/**
 * Sees drains through. A node that nobody uses any more is retired, whenever that is; past its deadline what is left
 * begins to leave, as if its owner had asked, and what could not leave is made to, as often as a release may be tried.
 * What cannot be cleaned up even so keeps the node draining until an operator has looked: a node is never retired from
 * under anybody. Calling a drain off needs no word to anybody here: the next look does not see it.
 */
export function makeDrains(parts: {
  readonly db: Database;
  readonly begin: BeginAct;
  readonly ids: Ids;
  readonly clock: Clock;
  readonly log: Log;
  readonly moveSlots: MoveSlots;
  readonly tenants: Pick<NodeTenants, 'release'>;
  readonly onMoved?: (transition: 'drained') => void;
}): Reconciler {
  const { db, ids, clock } = parts;

  async function retire(node: Draining): Promise<void> {
    const written = await db.write(parts.begin('node.drained', { correlationId: ids.next() }), async (tx) => {
      const reason = node.state_reason ?? 'drained';
      const moved = await advanceNode(tx, node.id, 'drained', { reason });
      if (!moved) return tx.abandon(new Fault('node_not_found', 'There is no such object.'));
      if (moved instanceof Fault) return tx.abandon(moved);
      await lockSlotsOf(tx, node.id);
      if ((await busyWith(tx, node.id)).length > 0) {
        return tx.abandon(new Fault('node_in_use', 'The node has allocations again.'));
      }
      const free = (await listSlots(tx, node.id)).filter(({ state }) => state === 'available').map(({ id }) => id);
      if (free.length > 0) {
        const disabled = await parts.moveSlots(tx, { slotIds: free }, 'disable', { reason });
        if (disabled instanceof Fault) throw disabled;
      }
      return tx.commit(undefined, {
        target: { type: 'node', id: node.id },
        change: { state: [moved.from, moved.to], disabled_slots: free.length },
        events: [nodeDrained.of(node.id, { node_id: node.id, name: node.name, region: node.region })],
      });
    });
    if (!(written instanceof Fault)) parts.onMoved?.('drained');
  }

  return {
    name: 'node-drains',
    async round() {
      for (let after: string | undefined; ; ) {
        const viewer = systemViewer('nodes', { correlationId: ids.next() });
        const nodes = await db.read(viewer, (tx) =>
          tx.rows<Draining>(drainingSql, [clock.now(), after ?? null, nodesAtOnce]),
        );
        for (const node of nodes) {
          try {
            if (!node.busy) await retire(node);
            else if (node.overdue) await parts.tenants.release(node.id);
          } catch (error) {
            // One that cannot be settled must not keep the others from it.
            parts.log.warn({ err: error, node: node.id }, 'a drain could not be taken further');
          }
        }
        after = nodes.at(-1)?.id;
        if (nodes.length < nodesAtOnce) return 'idle';
      }
    },
  };
}
