import { type StatesOf, slotMachine, type Transition } from '@gpuaas/contract';
import type { WriteTx } from '../../../kernel/act.ts';
import { Fault } from '../../../kernel/fault.ts';
import type { Ids } from '../../../kernel/id.ts';
import { stepOf } from '../../../kernel/machine.ts';
import { holdBeforeSale } from '../../attention/index.ts';
import { capacityChannel } from '../facts.ts';
import type { PlacementRequest } from '../placement/model.ts';
import type { NewAllocation } from '../store.ts';
import {
  announceFree,
  freeClaimsOfAllocation,
  freeClaimsOfSlots,
  insertClaims,
  lockSlots,
  moveSlotRows,
  moveSlotsOf,
  reserveForNewAllocations as reserveForNewSql,
  reserveSlots as reserveSlotsSql,
} from './slots-store.ts';

export type SlotState = keyof StatesOf<typeof slotMachine>;
/** Reserving is not one of them: it needs an allocation and raises the generation. */
export type SlotTransition = Exclude<Transition<StatesOf<typeof slotMachine>>, 'reserve'>;

interface LockedSlot {
  readonly id: string;
  readonly node_id: string;
  readonly state: SlotState;
  readonly generation: bigint;
  readonly allocation_id: string | null;
  readonly held: boolean;
}
export interface MovedSlots {
  readonly to: SlotState;
  readonly slots: readonly { readonly id: string; readonly nodeId: string; readonly from: SlotState }[];
}

/** The slots of one lease of an allocation: of the present one, unless another is named. */
interface OfLease {
  readonly allocationId: string;
  readonly generation?: number;
}

interface Move {
  readonly reason?: string;
  /** The operator who decided to sell slots without proof of the wipe that they owe. The database asks for one or the other. */
  readonly waivedBy?: string;
}

/**
 * The only code that changes the state of slots: all of them along one transition, or none. Slots that are in the target state
 * already stay as they are, so a step that runs twice finds its work done. Undefined when there are no slots. Slots that
 * become free end their claims and wake the queue. The last report of the host is evaluated first: a bad slot is held before it
 * can be sold.
 */
export async function moveSlots(
  tx: WriteTx,
  which: OfLease | { readonly slotIds: readonly string[] },
  transition: SlotTransition,
  move: Move = {},
): Promise<MovedSlots | undefined | Fault<'illegal_transition'>> {
  const step = stepOf(slotMachine, transition);
  if (step.to === 'available') await holdBeforeSale(tx, which);
  const moved =
    'slotIds' in which
      ? await moveThese(tx, which.slotIds, transition, step, move)
      : await moveAllOf(tx, which, step, move.reason);
  const freeOn = step.to === 'available' && moved && !(moved instanceof Fault) ? moved.slots[0]?.nodeId : undefined;
  if (freeOn !== undefined) await tx.rows(announceFree, [capacityChannel, freeOn]);
  return moved;
}
type Step = ReturnType<typeof stepOf<StatesOf<typeof slotMachine>>>;

/** The slots of an allocation, in one statement. */
async function moveAllOf(
  tx: WriteTx,
  { allocationId, generation }: OfLease,
  { from, to }: Step,
  reason: string | undefined,
) {
  const rows = await tx.rows<Omit<LockedSlot, 'held' | 'allocation_id'> & { readonly moved: boolean }>(moveSlotsOf, [
    ...[allocationId, from, to, reason ?? null, generation ?? null],
  ]);
  if (rows.length === 0) return undefined;
  const stuck = rows.filter(({ state }) => state !== to && !from.includes(state));
  return stuck.length > 0
    ? refusal(stuck)
    : movedTo(
        to,
        rows.filter(({ moved }) => moved),
      );
}

/** Slots that an operator or a guard names. */
async function moveThese(
  tx: WriteTx,
  ids: readonly string[],
  transition: SlotTransition,
  { from, to }: Step,
  { reason, waivedBy }: Move,
) {
  const rows = await tx.rows<LockedSlot>(lockSlots, [ids]);
  if (rows.length === 0 || rows.length !== new Set(ids).size) return undefined;
  const moving = rows.filter(({ state }) => state !== to);
  // An operator takes no slot from an allocation that has not ended; its release frees the slot with a proof.
  const byOperator = transition === 'clear' || transition === 'disable' || transition === 'enable';
  const stuck = moving.filter(({ state, held }) => !from.includes(state) || (byOperator && held));
  if (stuck.length > 0) return refusal(stuck);
  const moved = moving.map(({ id }) => id);
  if (moved.length > 0) {
    if (to === 'available' || to === 'disabled') await tx.run(freeClaimsOfSlots, [moved]);
    await tx.run(moveSlotRows, [moved, to, reason ?? null, waivedBy ?? null]);
  }
  return movedTo(to, moving);
}
/**
 * Whether a move was refused because every slot of the lease is quarantined. What is left on such slots is removed and proven as
 * on others, and they stay quarantined until an operator clears them.
 */
export const areAllQuarantined = (moved: unknown, slots: readonly unknown[]): boolean => {
  if (!(moved instanceof Fault)) return false;
  const stuck = (moved.details as { readonly slots?: readonly { readonly state: string }[] }).slots ?? [];
  return stuck.length === slots.length && stuck.every(({ state }) => state === 'quarantined');
};
const movedTo = (to: SlotState, rows: readonly Pick<LockedSlot, 'id' | 'node_id' | 'state'>[]): MovedSlots => ({
  to,
  slots: rows.map(({ id, node_id, state }) => ({ id, nodeId: node_id, from: state })),
});
const refusal = (stuck: readonly (Pick<LockedSlot, 'id' | 'state'> & { readonly held?: boolean })[]) =>
  new Fault('illegal_transition', `Slots are in states that do not allow this: ${describe(stuck)}.`, {
    slots: stuck.map(({ id, state, held }) => ({ id, state, held })),
  });

export interface Reservation {
  readonly nodeId: string;
  readonly simulated: boolean;
  readonly generation: number;
  readonly slotIds: readonly string[];
}

/**
 * Reserves exactly these slots for an allocation, or none: the rows decide. With `wait` it waits for a transaction that has locked
 * one of them; otherwise that slot counts as gone. Whether the host reports and whether slots are kept is asked again once the
 * locks are held. The slots share one generation, which is that of the lease.
 */
export async function reserveSlots(
  tx: WriteTx,
  wanted: {
    readonly allocationId: string;
    readonly slotIds: readonly string[];
    readonly wait: boolean;
    /** Slots of a host that has been silent for longer are not reserved. */
    readonly lostAfterSeconds: number;
    /** A request that does not wait in the queue: slots that are kept for those that do are not reserved. */
    readonly newcomer: Newcomer | undefined;
  },
): Promise<Reservation | undefined> {
  const { allocationId, slotIds, wait, lostAfterSeconds, newcomer } = wanted;
  const rows = await tx.rows<ReservedRow>(reserveSlotsSql, [
    ...[slotIds, allocationId, wait, lostAfterSeconds, newcomer !== undefined],
    ...[newcomer?.endsAt ?? null, newcomer?.image?.mustBeCached ?? false, newcomer?.provisionSeconds ?? 0],
  ]);
  return asReservation(slotIds, rows);
}
type Newcomer = Pick<PlacementRequest, 'endsAt' | 'image' | 'provisionSeconds'>;
interface ReservedRow {
  readonly id: string;
  readonly node_id: string;
  readonly simulated: boolean;
  readonly generation: bigint;
}
function asReservation(wanted: readonly string[], rows: readonly ReservedRow[]): Reservation | undefined {
  const [first] = rows;
  if (!first || rows.length !== wanted.length) return undefined;
  return {
    nodeId: first.node_id,
    simulated: first.simulated,
    generation: Number(first.generation),
    slotIds: rows.map(({ id }) => id).sort(),
  };
}

/** The row of a new allocation, before it has slots. */
export type UnplacedAllocation = Omit<NewAllocation, 'placement_status' | 'node_id' | 'generation'>;

/**
 * The same without waiting, for new allocations: it reserves the slots of each and inserts the allocation and its claims, or does
 * nothing for it. Answers in the order of the picks.
 */
export async function reserveForNewAllocations(
  tx: WriteTx,
  picks: readonly {
    readonly allocation: UnplacedAllocation;
    readonly slotIds: readonly string[];
    readonly request?: Newcomer;
  }[],
  parts: { readonly ids: Ids; readonly lostAfterSeconds: number },
): Promise<(Reservation | undefined)[]> {
  const wanted = picks.flatMap(({ allocation, slotIds, request }) =>
    slotIds.map((slotId) => ({ slotId, allocationId: allocation.id, need: slotIds.length, request })),
  );
  const rows = await tx.rows<ReservedRow & { readonly allocation_id: string }>(reserveForNewSql, [
    wanted.map(({ slotId }) => slotId),
    wanted.map(() => parts.ids.next()),
    wanted.map(({ allocationId }) => allocationId),
    wanted.map(({ need }) => need),
    wanted.length,
    parts.lostAfterSeconds,
    JSON.stringify(picks.map(({ allocation }) => asDocument(allocation))),
    wanted.map(({ request }) => request?.endsAt ?? null),
    wanted.map(({ request }) => request?.image?.mustBeCached ?? false),
    wanted.map(({ request }) => request?.provisionSeconds ?? 0),
  ]);
  const reserved = Map.groupBy(rows, ({ allocation_id }) => allocation_id);
  return picks.map(({ allocation, slotIds }) => asReservation(slotIds, reserved.get(allocation.id) ?? []));
}
const asDocument = (allocation: UnplacedAllocation) => ({
  ...allocation,
  unit_price_minor: String(allocation.unit_price_minor),
  max_spend_minor: allocation.max_spend_minor === null ? null : String(allocation.max_spend_minor),
  kind: kindOf(allocation),
});
export const kindOf = ({ capacity_shape: shape }: Pick<UnplacedAllocation, 'capacity_shape'>) =>
  shape === 'baremetal' ? 'node_exclusive' : 'slot';

/** Inserts the claims of a lease. A unique index allows one live claim per slot. */
export async function claimSlots(
  tx: WriteTx,
  claim: Reservation & {
    readonly ids: Ids;
    readonly allocationId: string;
    readonly organizationId: string;
    readonly kind: 'slot' | 'node_exclusive';
  },
): Promise<void> {
  const names = claim.slotIds.map(() => claim.ids.next());
  const { allocationId, organizationId, slotIds, nodeId, kind, generation } = claim;
  await tx.run(insertClaims, [names, allocationId, organizationId, slotIds, nodeId, kind, generation]);
}

/** Ends the claims of a lease: of the present one, unless another is named. The states of its slots do not change. */
export const freeClaims = (tx: WriteTx, allocationId: string, generation?: number): Promise<number> =>
  tx.run(freeClaimsOfAllocation, [allocationId, generation ?? null]);

const describe = (rows: readonly Pick<LockedSlot, 'state'>[]): string =>
  Object.entries(Object.groupBy(rows, ({ state }) => state))
    .map(([state, those]) => `${those?.length ?? 0} ${state}`)
    .join(', ');
