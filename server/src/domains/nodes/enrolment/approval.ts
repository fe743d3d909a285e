import type { HostTopology, SlotCandidate } from '@gpuaas/contract/node';
import type { SlotRow } from '../operator/store.ts';

/**
 * What approving the last discovery comes to. What a host says about itself is advice; this is where an operator makes
 * slots of it. A blocker refuses the whole approval, with its reason, unless it cannot matter: a whole node needs no
 * virtual machines, so whatever stands in their way is of no concern to it.
 */
export interface Approval {
  readonly create: readonly SlotCandidate[];
  /** Slots whose hardware is no longer what it was; those that are free are taken out of the pool while it changes. */
  readonly change: readonly { readonly slot: SlotRow; readonly to: SlotCandidate }[];
  /** Slots that are handed out from now on, apart from those that are created. */
  readonly enable: readonly SlotRow[];
  /** Slots that the host no longer finds. */
  readonly missing: readonly number[];
}
export type Refusal =
  | { readonly refused: 'slots_blocked'; readonly reasons: readonly string[] }
  | { readonly refused: 'slot_in_use'; readonly slots: readonly number[] };

const hardware = [
  'gpu_uuid',
  'gpu_model',
  'gpu_memory_mib',
  'pci_address',
  'fabric_vf_pci_address',
  'nvme_device',
  'mac_address',
  'private_ip',
  'numa_node',
] as const;
const isSame = (slot: SlotRow, candidate: SlotCandidate): boolean =>
  hardware.every((part) => slot[part] === candidate[part]);
const isHeld = ({ state }: SlotRow): boolean => state === 'reserved' || state === 'in_use' || state === 'cleaning';

export function planApproval(
  topology: HostTopology,
  slots: readonly SlotRow[],
  sold: { readonly shape: 'baremetal' | 'gpu_slice'; readonly gpuModel: string; readonly gpusTotal: number },
  only: readonly number[] | undefined,
): Approval | Refusal {
  const known = new Map(slots.map((slot) => [slot.slot_index, slot]));
  const found = new Map(topology.slots.map((candidate) => [candidate.slot_index, candidate]));
  const wanted = topology.slots.filter(({ slot_index }) => only === undefined || only.includes(slot_index));
  const unknown = (only ?? []).filter((index) => !found.has(index));
  const isSliced = sold.shape === 'gpu_slice';
  const reasons = [
    ...(isSliced ? whyNoSlices(topology).map((blocker) => `The host: ${blocker}`) : []),
    ...unknown.map((index) => `Slot ${index}: the host did not find it.`),
    ...wanted.flatMap((candidate) => [
      ...(isSliced ? candidate.blockers.map((blocker) => `Slot ${candidate.slot_index}: ${blocker}`) : []),
      ...(candidate.gpu_model === sold.gpuModel
        ? []
        : [`Slot ${candidate.slot_index}: it is ${candidate.gpu_model}, and ${sold.gpuModel} is sold.`]),
    ]),
    ...(isSliced || topology.slots.length === sold.gpusTotal
      ? []
      : [`The host: it found ${topology.slots.length} GPUs, and is sold as a whole with ${sold.gpusTotal}.`]),
  ];
  if (reasons.length > 0) return { refused: 'slots_blocked', reasons };

  const change = wanted.flatMap((to) => {
    const slot = known.get(to.slot_index);
    return slot && !isSame(slot, to) ? [{ slot, to }] : [];
  });
  const held = change.filter(({ slot }) => isHeld(slot)).map(({ slot }) => slot.slot_index);
  if (held.length > 0) return { refused: 'slot_in_use', slots: held };
  const changed = new Set(change.map(({ slot }) => slot.id));
  return {
    create: wanted.filter(({ slot_index }) => !known.has(slot_index)),
    change,
    // What an operator disabled for a reason stays disabled until it is asked for by its number.
    enable: wanted
      .map(({ slot_index }) => known.get(slot_index))
      .filter((slot): slot is SlotRow => slot !== undefined)
      .filter(
        (slot) =>
          (slot.state === 'disabled' && (only !== undefined || slot.state_reason === null)) ||
          (slot.state === 'available' && changed.has(slot.id)),
      ),
    missing: slots.filter(({ slot_index }) => !found.has(slot_index)).map(({ slot_index }) => slot_index),
  };
}

/** What keeps a host from making slices. An agent that lists its abilities has the last word on this one. */
function whyNoSlices({ blockers, capabilities }: HostTopology): string[] {
  const slices = capabilities?.find(({ ability }) => ability === 'slices');
  const isUnable = capabilities !== undefined && !slices?.able;
  return [...new Set([...blockers, ...(isUnable ? [slices?.why_not ?? 'It cannot make slices.'] : [])])];
}
