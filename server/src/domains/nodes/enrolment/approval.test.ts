import { describe, expect, it } from 'vitest';
import { topologyOf } from '../../inventory/testing.ts';
import type { SlotRow } from '../operator/store.ts';
import { planApproval } from './approval.ts';

const sold = { shape: 'gpu_slice', gpuModel: 'NVIDIA H200', gpusTotal: 8 } as const;
const topology = topologyOf(8);
const slotsOf = (over: Partial<SlotRow> = {}): SlotRow[] =>
  topology.slots.map(({ blockers: _blockers, ...hardware }) => ({
    ...hardware,
    id: `slot-${hardware.slot_index}`,
    state: 'available',
    state_reason: null,
    health_state: 'healthy',
    health_detail: null,
    version: 1n,
    generation: 0n,
    allocation_id: null,
    updated_at: new Date(0),
    probed_at: null,
    claimed: false,
    alerted_at: null,
    wipe_owed_since: null,
    wipe_proof_task_id: null,
    wipe_waived_at: null,
    wipe_waived_by: null,
    wipe_waived_reason: null,
    ...over,
  }));
const indexes = (list: readonly { readonly slot_index: number }[]) => list.map(({ slot_index }) => slot_index);
const plan = (...args: Parameters<typeof planApproval>) => {
  const planned = planApproval(...args);
  if ('refused' in planned) throw new Error(`refused: ${planned.refused}`);
  return planned;
};

describe('approving what a host found in itself', () => {
  it('makes a slot of each GPU', () => {
    const { create, change, enable, missing } = plan(topology, [], sold, undefined);
    expect(indexes(create)).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
    expect({ change, enable, missing }).toEqual({ change: [], enable: [], missing: [] });
  });

  it('does nothing the second time', () => {
    expect(plan(topology, slotsOf(), sold, undefined)).toEqual({ create: [], change: [], enable: [], missing: [] });
  });

  it('takes only those that were asked for', () => {
    expect(indexes(plan(topology, [], sold, [2, 5]).create)).toEqual([2, 5]);
  });

  it('leaves alone what an operator disabled for a reason, until it is asked for by number', () => {
    const slots = slotsOf({ state: 'disabled', state_reason: 'it is loud' });
    expect(plan(topology, slots, sold, undefined).enable).toEqual([]);
    expect(indexes(plan(topology, slots, sold, [3]).enable)).toEqual([3]);
  });

  it('takes changed hardware over where nobody holds the slot', () => {
    const slots = slotsOf().map((slot) => (slot.slot_index === 1 ? { ...slot, nvme_device: '/dev/nvme9n1' } : slot));
    const { change, enable } = plan(topology, slots, sold, undefined);
    expect(change.map(({ slot }) => slot.slot_index)).toEqual([1]);
    expect(indexes(enable)).toEqual([1]);
  });

  it.each(['reserved', 'in_use', 'cleaning'] as const)('refuses changed hardware of a slot that is %s', (state) => {
    const slots = slotsOf({ state, nvme_device: '/dev/nvme9n1' });
    expect(planApproval(topology, slots, sold, [4])).toEqual({ refused: 'slot_in_use', slots: [4] });
  });

  it('says which slots are gone', () => {
    expect(plan({ ...topology, slots: topology.slots.slice(0, 7) }, slotsOf(), sold, undefined).missing).toEqual([7]);
  });

  it('refuses what is blocked, with every reason', () => {
    const blocked = {
      ...topology,
      blockers: ['the IOMMU is off'],
      slots: topology.slots.map((slot) =>
        slot.slot_index === 2 ? { ...slot, blockers: ['/dev/nvme2n1 is mounted'] } : slot,
      ),
    };
    expect(planApproval(blocked, [], sold, undefined)).toEqual({
      refused: 'slots_blocked',
      reasons: ['The host: the IOMMU is off', 'Slot 2: /dev/nvme2n1 is mounted'],
    });
    // Neither matters to somebody who gets the host as it is.
    expect(indexes(plan(blocked, [], { ...sold, shape: 'baremetal' }, undefined).create)).toHaveLength(8);
  });

  it('does not mind a blocked slot that nobody asked for', () => {
    const slots = topology.slots.map((slot) => ({ ...slot, blockers: slot.slot_index === 2 ? ['it is mounted'] : [] }));
    expect(indexes(plan({ ...topology, slots }, [], sold, [0, 1]).create)).toEqual([0, 1]);
  });

  it('refuses another GPU than is sold, one that is not there, and a node that is not whole', () => {
    expect(planApproval(topology, [], { ...sold, gpuModel: 'NVIDIA H100' }, [0])).toEqual({
      refused: 'slots_blocked',
      reasons: ['Slot 0: it is NVIDIA H200, and NVIDIA H100 is sold.'],
    });
    expect(planApproval(topology, [], sold, [9])).toEqual({
      refused: 'slots_blocked',
      reasons: ['Slot 9: the host did not find it.'],
    });
    const seven = { ...topology, slots: topology.slots.slice(0, 7) };
    expect(planApproval(seven, [], { ...sold, shape: 'baremetal' }, undefined)).toMatchObject({
      refused: 'slots_blocked',
      reasons: ['The host: it found 7 GPUs, and is sold as a whole with 8.'],
    });
  });
});
