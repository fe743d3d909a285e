import { type StatesOf, slotMachine, type Transition } from '@gpuaas/contract';
import type { WriteTx } from '../../kernel/act.ts';
import { Fault } from '../../kernel/fault.ts';
import type { Ids } from '../../kernel/id.ts';
import { capacityChannel } from './facts.ts';
import {
  announceFree,
  freeClaimsOfAllocation,
  freeClaimsOfSlots,
  insertClaims,
  lockSlots,
  moveSlotRows,
  reserveSlots as reserveSlotsSql,
  takeSlots as takeSlotsSql,
} from './slots-store.ts';
import type { NewAllocation } from './store.ts';

export type SlotState = keyof StatesOf<typeof slotMachine>;
/** Reserving is no transition that anybody else may ask for: it needs an allocation and grows the generation. */
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

/**
 * The only code that changes the state of slots: all of them along one transition, or none. Slots that are in the target
 * state already are left as they are, so that whoever does its work again finds it done. Undefined when there are none.
 * Coming free ends the claims on them and wakes those who wait for capacity.
 */
export async function moveSlots(
  tx: WriteTx,
  which: { readonly allocationId: string } | { readonly slotIds: readonly string[] },
  transition: SlotTransition,
  move: { readonly reason?: string; readonly seenGeneration?: number } = {},
): Promise<MovedSlots | undefined | Fault<'illegal_transition'>> {
  const ids = 'slotIds' in which ? which.slotIds : [];
  const rows = await tx.rows<LockedSlot>(lockSlots, [ids, 'allocationId' in which ? which.allocationId : null]);
  if (rows.length === 0 || ('slotIds' in which && rows.length !== new Set(ids).size)) return undefined;
  const to = targetOf(transition);
  const moving = rows.filter(({ state }) => state !== to);
  const stuck = moving.filter(
    (row) =>
      slotMachine.next(row.state, transition) === undefined ||
      // An operator clears what nobody holds any more; a release that is under way proves it itself.
      (transition === 'clear' && row.held) ||
      (move.seenGeneration !== undefined && move.seenGeneration !== Number(row.generation)),
  );
  if (stuck.length > 0) {
    return new Fault('illegal_transition', `Slots are in states that do not allow this: ${describe(stuck)}.`, {
      slots: stuck.map(({ id, state, held }) => ({ id, state, held })),
    });
  }
  const moved = moving.map(({ id }) => id);
  if (moved.length > 0) {
    const cameFree = to === 'available' || to === 'disabled';
    if (cameFree) await tx.run(freeClaimsOfSlots, [moved]);
    await tx.run(moveSlotRows, [moved, to, move.reason ?? null]);
    if (to === 'available') await tx.rows(announceFree, [capacityChannel, moving[0]?.node_id]);
  }
  return { to, slots: moving.map(({ id, node_id, state }) => ({ id, nodeId: node_id, from: state })) };
}

export interface Reservation {
  readonly nodeId: string;
  readonly generation: number;
  readonly slotIds: readonly string[];
}

/**
 * Takes exactly these slots for an allocation, or nothing: whatever the caller believed about them, the rows decide.
 * `wait` waits for somebody who is busy with one of them; otherwise it counts as gone. Its slots share one
 * generation, which is that of the lease.
 */
export async function reserveSlots(
  tx: WriteTx,
  wanted: { readonly allocationId: string; readonly slotIds: readonly string[]; readonly wait: boolean },
): Promise<Reservation | undefined> {
  return asReservation(
    wanted.slotIds,
    await tx.rows<TakenRow>(reserveSlotsSql, [wanted.slotIds, wanted.allocationId, wanted.wait]),
  );
}
interface TakenRow {
  readonly id: string;
  readonly node_id: string;
  readonly generation: bigint;
}
function asReservation(wanted: readonly string[], rows: readonly TakenRow[]): Reservation | undefined {
  const [first] = rows;
  if (!first || rows.length !== wanted.length) return undefined;
  return {
    nodeId: first.node_id,
    generation: Number(first.generation),
    slotIds: rows.map(({ id }) => id).sort(),
  };
}

/** An allocation that is about to get its place. */
export type Unplaced = Omit<NewAllocation, 'placement_status' | 'node_id' | 'generation' | 'queue_deadline_at'>;

/**
 * The same without waiting, for allocations that are written down with it: the slots of each, the allocation and its
 * claims, or nothing. Answers in the order of the picks.
 */
export async function takeSlots(
  tx: WriteTx,
  picks: readonly { readonly allocation: Unplaced; readonly slotIds: readonly string[] }[],
  parts: { readonly ids: Ids; readonly lostAfterSeconds: number },
): Promise<(Reservation | undefined)[]> {
  const wanted = picks.flatMap(({ allocation, slotIds }) =>
    slotIds.map((slotId) => ({ slotId, allocationId: allocation.id, need: slotIds.length })),
  );
  const rows = await tx.rows<TakenRow & { readonly allocation_id: string }>(takeSlotsSql, [
    wanted.map(({ slotId }) => slotId),
    wanted.map(() => parts.ids.next()),
    wanted.map(({ allocationId }) => allocationId),
    wanted.map(({ need }) => need),
    wanted.length,
    parts.lostAfterSeconds,
    JSON.stringify(picks.map(({ allocation }) => asDocument(allocation))),
  ]);
  const taken = Map.groupBy(rows, ({ allocation_id }) => allocation_id);
  return picks.map(({ allocation, slotIds }) => asReservation(slotIds, taken.get(allocation.id) ?? []));
}
const asDocument = (allocation: Unplaced) => ({
  ...allocation,
  unit_price_minor: String(allocation.unit_price_minor),
  kind: kindOf(allocation),
});
export const kindOf = ({ capacity_shape: shape }: Pick<Unplaced, 'capacity_shape'>) =>
  shape === 'baremetal' ? 'node_exclusive' : 'slot';

/** Writes down who holds what. A unique index allows one live claim per slot, whatever happened before. */
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

/** The allocation holds nothing any more, whatever has to happen to its slots. */
export const freeClaims = (tx: WriteTx, allocationId: string): Promise<number> =>
  tx.run(freeClaimsOfAllocation, [allocationId]);

/** A transition of slots leads to one state, wherever it begins. */
function targetOf(transition: SlotTransition): SlotState {
  for (const state of Object.keys(slotMachine.states) as SlotState[]) {
    const to = slotMachine.next(state, transition);
    if (to !== undefined) return to;
  }
  throw new Error(`no state of a slot allows ${transition}`);
}
const describe = (rows: readonly LockedSlot[]): string =>
  Object.entries(Object.groupBy(rows, ({ state }) => state))
    .map(([state, those]) => `${those?.length ?? 0} ${state}`)
    .join(', ');
