import {
  type ErrorCode,
  resourceSlotList,
  slotClear,
  slotClearUnproven,
  slotDisable,
  slotEnable,
  slotQuarantine,
  slotsApprove,
  slotsChanged,
} from '@gpuaas/contract';
import { type Act, type Database, handlers, type Mounted, type WriteTx } from '../../../kernel/act.ts';
import { Fault } from '../../../kernel/fault.ts';
import type { Ids } from '../../../kernel/id.ts';
import { findSku } from '../../inventory/index.ts';
import { type Approval, planApproval } from '../enrolment/approval.ts';
import { refuseSlot } from '../rules/slot.ts';
import { changeSlots, insertSlots, lockSlotsOf } from '../slots-store.ts';
import { absentNode } from './nodes-routes.ts';
import { findDetail, findNode, listSlots, lockNode, type NodeRow, type SlotRow, showSlot } from './store.ts';

/** The one applier of slots, which the domain that reserves them owns. */
export type MoveSlots = (
  tx: WriteTx,
  which: { readonly slotIds: readonly string[] },
  transition: 'enable' | 'disable' | 'quarantine' | 'clear',
  move: { readonly reason?: string; readonly waivedBy?: string },
) => Promise<object | undefined | Fault<'illegal_transition'>>;

interface Parts {
  readonly db: Database;
  readonly ids: Ids;
  readonly moveSlots: MoveSlots;
  readonly changed: () => void;
}
const on = handlers<Parts>();

const list = on(resourceSlotList, ({ db }, who, { params }) =>
  db.read(who, async (tx) =>
    (await findNode(tx, params.node_id)) ? { data: (await listSlots(tx, params.node_id)).map(showSlot) } : absentNode(),
  ),
);

const counted = async (tx: WriteTx, nodeId: string) => ((await findNode(tx, nodeId)) as NodeRow).slots;
const must = (moved: object | undefined): void => {
  if (moved instanceof Fault || moved === undefined)
    throw new Error('slots that were locked and looked at did not move');
};

async function apply({ ids, moveSlots }: Parts, tx: WriteTx, nodeId: string, plan: Approval): Promise<void> {
  const free = plan.change.filter(({ slot }) => slot.state === 'available').map(({ slot }) => slot.id);
  if (free.length > 0) must(await moveSlots(tx, { slotIds: free }, 'disable', { reason: 'its hardware changed' }));
  if (plan.change.length > 0) {
    await changeSlots(
      tx,
      plan.change.map(({ slot, to }) => ({ ...to, id: slot.id })),
    );
  }
  const created = plan.create.map((candidate) => ({ ...candidate, id: ids.next() }));
  if (created.length > 0) await insertSlots(tx, nodeId, created);
  const enabled = [...created, ...plan.enable].map(({ id }) => id);
  if (enabled.length > 0) must(await moveSlots(tx, { slotIds: enabled }, 'enable', {}));
}

const approve = on(slotsApprove, async (parts, act, { params, body }) => {
  const written = await parts.db.write(act, async (tx) => {
    const locked = await lockNode(tx, params.node_id);
    const node = locked && (await findNode(tx, params.node_id));
    const detail = node && (await findDetail(tx, node.id));
    if (!node || !detail || node.state === 'deleted') return tx.abandon(absentNode());
    if (!detail.topology) {
      return tx.abandon(new Fault('topology_missing', 'The host has not said what it is made of: discover it first.'));
    }
    const sku = await findSku(tx, node.sku);
    if (!sku) throw new Error('a node of a kind that is not there');
    await lockSlotsOf(tx, node.id);
    const plan = planApproval(
      detail.topology,
      await listSlots(tx, node.id),
      { shape: sku.capacity_shape, gpuModel: sku.gpu_model, gpusTotal: node.gpus_total },
      body.slot_indexes,
    );
    if ('refused' in plan) {
      return tx.abandon(
        plan.refused === 'slots_blocked'
          ? new Fault('slots_blocked', plan.reasons.join(' '), { reasons: plan.reasons })
          : new Fault('slot_in_use', `The hardware of slots ${plan.slots.join(', ')} changed while they are in use.`, {
              slots: plan.slots,
            }),
      );
    }
    await apply(parts, tx, node.id, plan);
    const summary = { created: plan.create.length, changed: plan.change.length, enabled: plan.enable.length };
    return tx.commit(
      { ...summary, missing: [...plan.missing], slots: (await listSlots(tx, node.id)).map(showSlot) },
      {
        target: { type: 'node', id: node.id },
        change: { ...summary, ...(body.slot_indexes && { slot_indexes: body.slot_indexes }) },
        events: [slotsChanged.of(node.id, { node_id: node.id, slots: await counted(tx, node.id) })],
      },
    );
  });
  parts.changed();
  return written;
});

/** One slot, one step, if `refuse` has nothing against it. */
async function moveOne<E extends ErrorCode>(
  { db, moveSlots, changed }: Parts,
  act: Act,
  { node_id, slot_id }: { readonly node_id: string; readonly slot_id: string },
  transition: 'enable' | 'disable' | 'quarantine' | 'clear',
  move: { readonly reason: string; readonly waivedBy?: string },
  refuse: (slot: SlotRow) => Fault<E> | undefined,
) {
  const written = await db.write(act, async (tx) => {
    if (!(await findNode(tx, node_id))) return tx.abandon(absentNode());
    await lockSlotsOf(tx, node_id);
    const slot = (await listSlots(tx, node_id)).find(({ id }) => id === slot_id);
    if (!slot) return tx.abandon(new Fault('slot_not_found', 'There is no such object.'));
    const refused = refuse(slot);
    if (refused) return tx.abandon(refused);
    const moved = await moveSlots(tx, { slotIds: [slot.id] }, transition, move);
    if (moved instanceof Fault) return tx.abandon(moved);
    const now = (await listSlots(tx, node_id)).find(({ id }) => id === slot_id) as SlotRow;
    return tx.commit(showSlot(now), {
      target: { type: 'slot', id: slot.id },
      change: {
        node_id,
        state: [slot.state, now.state],
        reason: move.reason,
        // The proof that brought it back, if it owed one.
        ...(transition === 'clear' && slot.wipe_owed_since && { wipe_proof_task_id: slot.wipe_proof_task_id }),
      },
      events: [slotsChanged.of(node_id, { node_id, slots: await counted(tx, node_id) })],
    });
  });
  changed();
  return written;
}

const disable = on(slotDisable, (parts, act, { params, body }) =>
  moveOne(parts, act, params, 'disable', body, (slot) => refuseSlot(slot, 'disable')),
);
const enable = on(slotEnable, (parts, act, { params, body }) =>
  moveOne(parts, act, params, 'enable', body, (slot) => refuseSlot(slot, 'enable')),
);
const quarantine = on(slotQuarantine, (parts, act, { params, body }) =>
  moveOne(parts, act, params, 'quarantine', body, (slot) => refuseSlot(slot, 'quarantine')),
);
const clear = on(slotClear, (parts, act, { params, body }) =>
  moveOne(parts, act, params, 'clear', body, (slot) => refuseSlot(slot, 'clear')),
);
const clearUnproven = on(slotClearUnproven, (parts, act, { params, body }) =>
  moveOne(parts, act, params, 'clear', { ...body, waivedBy: act.actorId }, (slot) =>
    refuseSlot(slot, 'clear_unproven'),
  ),
);

export const slotRoutes = (parts: Parts): Mounted[] =>
  [list, approve, disable, enable, quarantine, clear, clearUnproven].map((bind) => bind(parts));
