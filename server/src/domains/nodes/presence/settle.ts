import { nodeLost, nodeQuarantined, nodeReturned } from '@gpuaas/contract';
import type { BeginAct, Database } from '../../../kernel/act.ts';
import { Fault } from '../../../kernel/fault.ts';
import type { Ids } from '../../../kernel/id.ts';
import { advanceNode } from '../machine.ts';
import { isSilent, type Seen, type Unheard } from './presence-store.ts';

interface Writer {
  readonly db: Database;
  readonly begin: BeginAct;
  readonly ids: Ids;
}

/** A node that enrolled and never reported would wait for ever: an operator finds it in quarantine, with the reason. */
export async function quarantineUnheard({ db, begin, ids }: Writer, node: Unheard): Promise<void> {
  const about = { node_id: node.id, name: node.name, region: node.region };
  const reason = `It enrolled at ${node.enrolled_at.toISOString()} and was not heard since: look at its agent, or issue it another token.`;
  await db.write(begin('node.quarantine', { correlationId: ids.next() }), async (tx) => {
    const moved = await advanceNode(tx, node.id, 'quarantine', { reason });
    if (moved === undefined) return tx.abandon(new Fault('node_not_found', 'There is no such object.'));
    if (moved instanceof Fault) return tx.abandon(moved);
    if (moved.from !== 'enrolling' || !(await isSilent(tx, node.id, node.enrolled_at))) {
      return tx.abandon(new Fault('illegal_transition', 'It has reported meanwhile.'));
    }
    return tx.commit(undefined, {
      target: { type: 'node', id: node.id },
      change: { state: [moved.from, moved.to], reason },
      events: [nodeQuarantined.of(node.id, { ...about, reason })],
    });
  });
}

/** Moves a node to the state that fits what was last heard of it. Answers the transition if it was made. */
export async function settlePresence(
  { db, begin, ids }: Writer,
  node: Seen,
  silentBefore: Date | undefined,
): Promise<'lose' | 'return' | undefined> {
  const transition = node.state === 'offline' ? 'return' : 'lose';
  const about = { node_id: node.id, name: node.name, region: node.region };
  const kind = { return: nodeReturned, lose: nodeLost }[transition];
  const reason = transition === 'lose' ? `no report since ${node.reported_at?.toISOString() ?? 'ever'}` : undefined;
  const written = await db.write(begin(`node.${transition}`, { correlationId: ids.next() }), async (tx) => {
    const moved = await advanceNode(tx, node.id, transition, { reason });
    // Another process was faster, or an operator changed it: the next round sees the new state.
    if (moved === undefined) return tx.abandon(new Fault('node_not_found', 'There is no such object.'));
    if (moved instanceof Fault) return tx.abandon(moved);
    if (transition === 'lose' && !(await isSilent(tx, node.id, silentBefore))) {
      return tx.abandon(new Fault('illegal_transition', 'It has reported meanwhile.'));
    }
    return tx.commit(undefined, {
      target: { type: 'node', id: node.id },
      change: { state: [moved.from, moved.to], ...(reason && { reason }) },
      events: [kind.of(node.id, about)],
    });
  });
  return written instanceof Fault ? undefined : transition;
}
