import { HostFailure } from '../port.ts';
import type { Hardware } from './hardware.ts';
import type { HostState, Owner } from './state.ts';

/**
 * Who owns which device. An owner is written down before anything is built for it and taken away after the last trace
 * is gone, so that nothing on the host is ever without one, whenever the host stops.
 */
export interface Lease {
  readonly allocationId: string;
  readonly generation: number;
}

const conflict = (message: string) => new HostFailure('lease_conflict', message);

export function claimDevices(draft: HostState, lease: Lease, addresses: readonly string[]): void {
  for (const address of addresses) {
    const device = draft.devices[address];
    if (!device) throw new HostFailure('gpu_missing', `There is no device at ${address}.`);
    const { owner } = device;
    if (owner && owner.allocation_id !== lease.allocationId) {
      throw conflict(`${address} belongs to allocation ${owner.allocation_id}.`);
    }
    if (owner) refuseStale(owner, lease);
    if (owner?.ended)
      throw conflict(`The lease of allocation ${owner.allocation_id} has ended; it can only be released.`);
    device.owner = { allocation_id: lease.allocationId, generation: lease.generation, ended: false };
  }
}

/** Between two phases the lease may have been taken over or ended; then nothing more is built. */
export function checkLease(state: HostState, lease: Lease, addresses: readonly string[]): void {
  for (const address of addresses) {
    const owner = state.devices[address]?.owner;
    if (owner?.allocation_id !== lease.allocationId || owner.generation !== lease.generation || owner.ended) {
      throw conflict('The lease ended or moved on while the work was under way.');
    }
  }
}

/** Ends the lease, if it still has any device; answers whether it had. */
export function endLease(draft: HostState, lease: Lease, addresses: readonly string[]): boolean {
  let held = false;
  for (const address of addresses) {
    const owner = draft.devices[address]?.owner;
    if (!owner) continue;
    if (owner.allocation_id !== lease.allocationId) {
      throw conflict(`${address} belongs to allocation ${owner.allocation_id} by now.`);
    }
    refuseStale(owner, lease);
    owner.ended = true;
    held = true;
  }
  return held;
}

export function freeDevices(draft: HostState, allocationId: string, driver: 'nvidia' | undefined): void {
  for (const device of Object.values(draft.devices)) {
    if (device.owner?.allocation_id !== allocationId) continue;
    device.owner = null;
    if (driver) device.driver = driver;
  }
}

export const ownedBy = (state: HostState, allocationId: string): string[] =>
  Object.entries(state.devices).flatMap(([address, { owner }]) =>
    owner?.allocation_id === allocationId ? [address] : [],
  );

export const slotIndexesOf = (hardware: Hardware, addresses: readonly string[]): number[] =>
  hardware.slots.filter(({ pci_address }) => addresses.includes(pci_address)).map(({ slot_index }) => slot_index);

function refuseStale(owner: Owner, lease: Lease): void {
  if (owner.generation > lease.generation) {
    throw conflict(`Generation ${lease.generation} is over; generation ${owner.generation} holds the lease.`);
  }
}
