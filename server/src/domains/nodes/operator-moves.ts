import {
  type ErrorCode,
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
import { type Act, handlers, type Mounted, type ReadTx, type WriteTx } from '../../kernel/act.ts';
import { Fault } from '../../kernel/fault.ts';
import type { Moved } from '../../kernel/machine.ts';
import { minuteMs } from '../../kernel/units.ts';
import { whyNoTransition } from '../attention/index.ts';
import type { Policies } from '../policy/index.ts';
import { needsProbe, probeFrom } from './actions.ts';
import { voidEnrolmentTokens } from './enrolment-tokens.ts';
import { allocationsNamed } from './facts.ts';
import { revokeNode } from './identities.ts';
import { advanceNode, type NodeTransition } from './machine.ts';
import { absentNode, factsOf, movedOn, type OperatorParts } from './operator-nodes.ts';
import type { MoveSlots } from './operator-slots.ts';
import {
  busyWith,
  findNode,
  lackedImages,
  listSlots,
  lockNode,
  type NodeRow,
  scheduleNode,
  showNode,
} from './operator-store.ts';
import { hasOpenReimage } from './sagas/store.ts';
import { lockSlotsOf } from './slots-store.ts';
import type { Tasks } from './tasks.ts';

export interface MoveParts extends OperatorParts {
  readonly moveSlots: MoveSlots;
  readonly tasks: Pick<Tasks, 'cancelOfNode'>;
}
const on = handlers<MoveParts>();
interface Asked {
  readonly reason?: string;
  readonly version?: number;
}

/** One transition, asked for by an operator. `before` may refuse it, `then` says what follows from it. */
async function move<E extends ErrorCode = never>(
  { db, changed }: MoveParts,
  act: Act,
  id: string,
  transition: NodeTransition,
  asked: Asked & { readonly drainDeadlineAt?: Date },
  then: (row: NodeRow, moved: Moved) => Parameters<WriteTx['commit']>[1]['events'] = (row) => [
    nodeChanged.of(row.id, factsOf(row)),
  ],
  unproven: (before: NodeRow) => Fault<E> | undefined = () => undefined,
) {
  const written = await db.write(act, async (tx) => {
    const before = await findNode(tx, id);
    const blocked = transition === 'quarantine' ? undefined : await whyNoTransition(tx, id);
    const moved = await advanceNode(tx, id, transition, {
      reason: asked.reason,
      seenVersion: asked.version,
      drainDeadlineAt: asked.drainDeadlineAt,
    });
    if (moved instanceof Fault) return tx.abandon(moved);
    if (!moved) return tx.abandon(absentNode());
    if (blocked) return tx.abandon(new Fault('illegal_transition', blocked, { state: moved.from }));
    const imaging = transition === 'clear' ? await beingReimaged(tx, id) : undefined;
    if (imaging) return tx.abandon(imaging);
    const refused = before && unproven(before);
    if (refused) return tx.abandon(refused);
    const row = (await findNode(tx, id)) as NodeRow;
    return tx.commit(showNode(row), {
      target: { type: 'node', id },
      change: {
        state: [moved.from, moved.to],
        reason: asked.reason,
        ...(asked.drainDeadlineAt && { deadline_at: asked.drainDeadlineAt.toISOString() }),
      },
      events: then(row, moved),
    });
  });
  changed();
  return written;
}

/** Whoever takes a host back while it is imaged would have it wiped under whatever is placed there. */
async function beingReimaged(tx: ReadTx, nodeId: string): Promise<Fault<'illegal_transition'> | undefined> {
  const isImaged = await hasOpenReimage(tx, nodeId);
  return isImaged ? new Fault('illegal_transition', 'It is being imaged again: wait until that has ended.') : undefined;
}

/** A node is trusted again only on a probe that is newer than what put it aside. */
function unprobed(node: NodeRow): Fault<'probe_required'> | undefined {
  const from = probeFrom(node);
  if (node.probed_at && node.probed_at > from) return undefined;
  return new Fault('probe_required', needsProbe(from), { newer_than: from.toISOString() });
}

async function inUse(tx: ReadTx, nodeId: string): Promise<Fault<'node_in_use'> | undefined> {
  const busy = await busyWith(tx, nodeId);
  if (busy.length === 0) return undefined;
  return new Fault('node_in_use', `It still serves ${busy.length} allocations: drain it first.`, {
    allocations: busy.slice(0, allocationsNamed),
    count: busy.length,
  });
}

/**
 * Ends the service of a node that nobody uses. Its free slots are disabled in the same transaction: whoever is about to
 * reserve one finds that it is no longer there, however early it looked.
 */
async function end(
  parts: MoveParts,
  act: Act,
  id: string,
  transition: 'retire' | 'remove',
  asked: Asked & { readonly reason: string },
) {
  const written = await parts.db.write(act, async (tx) => {
    const blocked = await whyNoTransition(tx, id);
    const moved = await advanceNode(tx, id, transition, { reason: asked.reason, seenVersion: asked.version });
    if (moved instanceof Fault) return tx.abandon(moved);
    if (!moved) return tx.abandon(absentNode());
    if (blocked) return tx.abandon(new Fault('illegal_transition', blocked, { state: moved.from }));
    // Whoever is reserving a slot is waited for, and seen.
    await lockSlotsOf(tx, id);
    const busy = await inUse(tx, id);
    if (busy) return tx.abandon(busy);
    const free = (await listSlots(tx, id)).filter(({ state }) => state === 'available').map((slot) => slot.id);
    if (free.length > 0) {
      const disabled = await parts.moveSlots(tx, { slotIds: free }, 'disable', { reason: asked.reason });
      if (disabled instanceof Fault) throw disabled;
    }
    if (transition === 'remove') {
      await voidEnrolmentTokens(tx, id);
      await revokeNode(tx, id, asked.reason);
      await parts.tasks.cancelOfNode(tx, id);
    }
    const row = (await findNode(tx, id)) as NodeRow;
    return tx.commit(showNode(row), {
      target: { type: 'node', id },
      change: { state: [moved.from, moved.to], reason: asked.reason },
      events:
        moved.to === 'removing' ? [nodeRemovalRequested.of(id, factsOf(row))] : [nodeChanged.of(id, factsOf(row))],
    });
  });
  parts.changed();
  return written;
}

/** What keeps a node from taking work, in sentences. */
async function unready(tx: ReadTx, row: NodeRow, policies: Policies): Promise<string[]> {
  const { available = 0, reserved = 0, in_use: inUseNow = 0, cleaning = 0 } = row.slots;
  const lacked = await lackedImages(tx, row.id);
  return [
    ...(row.state === 'active' ? [] : [`The node is ${row.state}, not active.`]),
    ...(available + reserved + inUseNow + cleaning > 0 ? [] : ['No slot of it is approved and enabled.']),
    ...(row.simulated && !policies.value('node.simulated_allowed')
      ? ['The host is simulated, and the policy node.simulated_allowed does not allow such hosts here.']
      : []),
    ...(lacked.length > 0 ? [`It does not have the images ${lacked.join(', ')} as they are offered.`] : []),
  ];
}

async function schedule(
  { db, changed, policies }: MoveParts,
  act: Act,
  id: string,
  schedulable: boolean,
  asked: Asked,
) {
  const written = await db.write(act, async (tx) => {
    const locked = await lockNode(tx, id);
    const before = locked && (await findNode(tx, id));
    if (!before) return tx.abandon(absentNode());
    if (asked.version !== undefined && asked.version !== Number(before.version)) {
      return tx.abandon(movedOn(asked.version, Number(before.version)));
    }
    const missing = schedulable ? await unready(tx, before, policies) : [];
    if (missing.length > 0) return tx.abandon(new Fault('node_not_ready', missing.join(' '), { missing }));
    await scheduleNode(tx, id, schedulable, schedulable ? undefined : asked.reason);
    const row = (await findNode(tx, id)) as NodeRow;
    return tx.commit(showNode(row), {
      target: { type: 'node', id },
      change: { schedulable: [before.schedulable, row.schedulable], reason: asked.reason },
      events: [nodeChanged.of(id, factsOf(row))],
    });
  });
  changed();
  return written;
}

const publish = on(nodePublish, (parts, act, { params, body }) => schedule(parts, act, params.node_id, true, body));
const uncordon = on(nodeUncordon, (parts, act, { params, body }) => schedule(parts, act, params.node_id, true, body));
const cordon = on(nodeCordon, async (parts, act, { params, body }) => {
  const cordoned = await schedule(parts, act, params.node_id, false, body);
  // Only what is to take work has to be ready for it.
  if (cordoned instanceof Fault && cordoned.code === 'node_not_ready') throw cordoned;
  return cordoned as Exclude<typeof cordoned, Fault<'node_not_ready'>>;
});

const drain = on(nodeDrain, (parts, act, { params, body }) => {
  const minutes = body.notice_minutes ?? parts.policies.number('node.drain_notice_minutes');
  const drainDeadlineAt = new Date(parts.clock.now().getTime() + minutes * minuteMs);
  return move(parts, act, params.node_id, 'drain', { ...body, drainDeadlineAt }, (row) => [
    nodeDrainRequested.of(row.id, {
      ...factsOf(row),
      deadline_at: drainDeadlineAt.toISOString(),
      reason: body.reason,
    }),
  ]);
});
const resume = on(nodeResume, (parts, act, { params, body }) =>
  move(parts, act, params.node_id, 'resume', body, (row) => [nodeDrainCalledOff.of(row.id, factsOf(row))]),
);
const quarantine = on(nodeQuarantine, (parts, act, { params, body }) =>
  move(parts, act, params.node_id, 'quarantine', body),
);
const clear = on(nodeClear, (parts, act, { params, body }) =>
  move(parts, act, params.node_id, 'clear', body, undefined, unprobed),
);
const retire = on(nodeRetire, (parts, act, { params, body }) => end(parts, act, params.node_id, 'retire', body));
const remove = on(nodeRemove, (parts, act, { params, body }) => end(parts, act, params.node_id, 'remove', body));

/** What was retired comes back cordoned: its hardware may have changed while it was away. */
const readmit = on(nodeReadmit, async (parts, act, { params, body }) => {
  const written = await parts.db.write(act, async (tx) => {
    const moved = await advanceNode(tx, params.node_id, 'readmit', { seenVersion: body.version });
    if (moved instanceof Fault) return tx.abandon(moved);
    if (!moved) return tx.abandon(absentNode());
    const imaging = await beingReimaged(tx, params.node_id);
    if (imaging) return tx.abandon(imaging);
    await scheduleNode(tx, params.node_id, false, body.reason);
    const row = (await findNode(tx, params.node_id)) as NodeRow;
    return tx.commit(showNode(row), {
      target: { type: 'node', id: row.id },
      change: { state: [moved.from, moved.to], reason: body.reason },
      events: [nodeChanged.of(row.id, factsOf(row))],
    });
  });
  parts.changed();
  return written;
});

export const moveRoutes = (parts: MoveParts): Mounted[] =>
  [publish, cordon, uncordon, drain, resume, quarantine, clear, retire, readmit, remove].map((bind) => bind(parts));
