import {
  nodeChanged,
  nodeClear,
  nodeCordon,
  nodeDrain,
  nodeDrainCalledOff,
  nodeDrainRequested,
  nodePublish,
  nodeQuarantine,
  nodeReadmit,
  nodeRemovalRequested,
  nodeRemove,
  nodeResume,
  nodeRetire,
  nodeUncordon,
} from '@gpuaas/contract';
import { type Act, handlers, type Mounted, type WriteTx } from '../../../kernel/act.ts';
import { Fault } from '../../../kernel/fault.ts';
import type { Moved } from '../../../kernel/machine.ts';
import { minuteMs } from '../../../kernel/units.ts';
import { voidEnrolmentTokens } from '../enrolment/enrolment-tokens-store.ts';
import { revokeNode } from '../enrolment/identities.ts';
import { advanceNode } from '../machine.ts';
import { refuseNode } from '../rules/node.ts';
import { lockSlotsOf } from '../slots-store.ts';
import type { Tasks } from '../tasks/tasks.ts';
import { absentNode, allowedBy, factsOf, movedOn, type OperatorParts } from './nodes-routes.ts';
import type { MoveSlots } from './slots-routes.ts';
import { findNode, listSlots, lockNode, type NodeRow, scheduleNode, showNode } from './store.ts';

export interface MoveParts extends OperatorParts {
  readonly moveSlots: MoveSlots;
  readonly tasks: Pick<Tasks, 'cancelOfNode'>;
}
const on = handlers<MoveParts>();
interface Asked {
  readonly reason?: string;
  readonly version?: number;
}

type Moving = 'drain' | 'resume' | 'quarantine' | 'clear' | 'readmit' | 'retire' | 'remove';
type Settled = { readonly row: NodeRow; readonly moved: Moved };

/**
 * One transition, asked for by an operator. The node is locked, and the rules decide by what it is then. `follow` does what
 * belongs to the move in its transaction; `events` says what is announced.
 */
async function move<A extends Moving>(
  parts: MoveParts,
  act: Act,
  id: string,
  action: A,
  asked: Asked & {
    readonly drainDeadlineAt?: Date;
    readonly before?: (tx: WriteTx) => Promise<unknown>;
    readonly follow?: (tx: WriteTx) => Promise<unknown>;
    readonly events?: (settled: Settled) => Parameters<WriteTx['commit']>[1]['events'];
  },
) {
  const { drainDeadlineAt, reason, version } = asked;
  const written = await parts.db.write(act, async (tx) => {
    const locked = await lockNode(tx, id);
    if (locked) await asked.before?.(tx);
    const before = locked && (await findNode(tx, id));
    if (!before) return tx.abandon(absentNode());
    if (version !== undefined && version !== Number(before.version)) {
      return tx.abandon(movedOn(version, Number(before.version)));
    }
    const refused = refuseNode(before, action, allowedBy(parts.policies));
    if (refused) return tx.abandon(refused);
    const moved = await advanceNode(tx, id, action, { reason, seenVersion: version, drainDeadlineAt });
    if (!moved || moved instanceof Fault) throw moved ?? new Error(`node ${id} was locked and is gone`);
    await asked.follow?.(tx);
    const row = (await findNode(tx, id)) as NodeRow;
    return tx.commit(showNode(row, allowedBy(parts.policies)), {
      target: { type: 'node', id },
      change: {
        state: [moved.from, moved.to],
        reason,
        ...(drainDeadlineAt && { deadline_at: drainDeadlineAt.toISOString() }),
      },
      events: asked.events?.({ row, moved }) ?? [nodeChanged.of(id, factsOf(row))],
    });
  });
  parts.changed();
  return written;
}

/**
 * Retires an unused node. Its free slots are disabled in the same transaction, so a concurrent reservation finds them
 * gone.
 */
const end = <A extends 'retire' | 'remove'>(
  parts: MoveParts,
  act: Act,
  id: string,
  action: A,
  asked: Asked & { readonly reason: string },
) =>
  move(parts, act, id, action, {
    ...asked,
    // A reservation that is under way is waited for, and seen.
    before: (tx) => lockSlotsOf(tx, id),
    follow: async (tx) => {
      const free = (await listSlots(tx, id)).filter(({ state }) => state === 'available').map((slot) => slot.id);
      if (free.length > 0) {
        const disabled = await parts.moveSlots(tx, { slotIds: free }, 'disable', { reason: asked.reason });
        if (disabled instanceof Fault) throw disabled;
      }
      if (action === 'remove') {
        await voidEnrolmentTokens(tx, id);
        await revokeNode(tx, id, asked.reason);
        await parts.tasks.cancelOfNode(tx, id);
      }
    },
    events: ({ row, moved }) =>
      moved.to === 'removing' ? [nodeRemovalRequested.of(id, factsOf(row))] : [nodeChanged.of(id, factsOf(row))],
  });

async function schedule<A extends 'publish' | 'cordon' | 'uncordon'>(
  { db, changed, policies }: MoveParts,
  act: Act,
  id: string,
  action: A,
  asked: Asked,
) {
  const written = await db.write(act, async (tx) => {
    const before = (await lockNode(tx, id)) && (await findNode(tx, id));
    if (!before) return tx.abandon(absentNode());
    if (asked.version !== undefined && asked.version !== Number(before.version)) {
      return tx.abandon(movedOn(asked.version, Number(before.version)));
    }
    const refused = refuseNode(before, action, allowedBy(policies));
    if (refused) return tx.abandon(refused);
    await scheduleNode(tx, id, action !== 'cordon', action === 'cordon' ? asked.reason : undefined);
    const row = (await findNode(tx, id)) as NodeRow;
    return tx.commit(showNode(row, allowedBy(policies)), {
      target: { type: 'node', id },
      change: { schedulable: [before.schedulable, row.schedulable], reason: asked.reason },
      events: [nodeChanged.of(id, factsOf(row))],
    });
  });
  changed();
  return written;
}

const publish = on(nodePublish, (parts, act, { params, body }) =>
  schedule(parts, act, params.node_id, 'publish', body),
);
const uncordon = on(nodeUncordon, (parts, act, { params, body }) =>
  schedule(parts, act, params.node_id, 'uncordon', body),
);
const cordon = on(nodeCordon, (parts, act, { params, body }) => schedule(parts, act, params.node_id, 'cordon', body));

const drain = on(nodeDrain, (parts, act, { params, body }) => {
  const minutes = body.notice_minutes ?? parts.policies.number('node.drain_notice_minutes');
  const drainDeadlineAt = new Date(parts.clock.now().getTime() + minutes * minuteMs);
  const deadline_at = drainDeadlineAt.toISOString();
  return move(parts, act, params.node_id, 'drain', {
    ...body,
    drainDeadlineAt,
    events: ({ row }) => [nodeDrainRequested.of(row.id, { ...factsOf(row), deadline_at, reason: 'operator' })],
  });
});
const resume = on(nodeResume, (parts, act, { params, body }) =>
  move(parts, act, params.node_id, 'resume', {
    ...body,
    events: ({ row }) => [nodeDrainCalledOff.of(row.id, factsOf(row))],
  }),
);
const quarantine = on(nodeQuarantine, (parts, act, { params, body }) =>
  move(parts, act, params.node_id, 'quarantine', body),
);
const clear = on(nodeClear, (parts, act, { params, body }) => move(parts, act, params.node_id, 'clear', body));
const retire = on(nodeRetire, (parts, act, { params, body }) => end(parts, act, params.node_id, 'retire', body));
const remove = on(nodeRemove, (parts, act, { params, body }) => end(parts, act, params.node_id, 'remove', body));

/** A retired node comes back cordoned: its hardware may have changed while it was away. */
const readmit = on(nodeReadmit, (parts, act, { params, body }) =>
  move(parts, act, params.node_id, 'readmit', {
    ...body,
    follow: (tx) => scheduleNode(tx, params.node_id, false, body.reason),
  }),
);

export const moveRoutes = (parts: MoveParts): Mounted[] =>
  [publish, cordon, uncordon, drain, resume, quarantine, clear, retire, readmit, remove].map((bind) => bind(parts));
