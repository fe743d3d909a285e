import type { Clock } from '../../clock.ts';
import type { HostFailureCode } from '../port.ts';
import type { Fault, Store } from './state.ts';

/**
 * What can go wrong on demand. Each fault stands for one thing that goes wrong on real hosts, and leads to the failure
 * that a real host would report: nothing here reaches past the host into the control plane.
 */
export const simulatedFaults = {
  xid_79: 'A GPU has fallen off the bus: gpu_unhealthy when it is to be handed over, a condition while it is in use.',
  gpu_missing: 'One GPU is not there at all: gpu_missing for whoever was promised it.',
  gpu_mismatch: 'One GPU was swapped for another: gpu_mismatch for whoever was promised the old one.',
  driver_unavailable: 'The driver is not there and its packages cannot be fetched: driver_unavailable.',
  wrong_driver: 'Driver and libraries are of different versions, so nvidia-smi fails: driver_unavailable.',
  dirty_disk: 'A disk keeps what was on it: disk_dirty before a handover, wipe_unverified after a release.',
  leaky_bridge: 'One guest can reach another: isolation_failed.',
  hung_guest: 'A guest ignores its shutdown: guest_hung, until it is released without grace and destroyed.',
  vfio_stuck: 'A device does not change its driver: vfio_stuck, at binding and at unbinding.',
  image_unavailable: 'The image cannot be fetched: image_unavailable.',
  slow_image: 'The image comes ten times as slowly.',
  disk_full: 'There is no room for the image: disk_full.',
  machine_failed: 'The virtual machine does not start: machine_failed.',
  ssh_unreachable: 'The machine is up, but nobody answers at its SSH port: ssh_unreachable.',
  user_remains: 'A process of the user does not end: user_remains.',
  idle_guest: 'Nobody computes: utilization is zero.',
  agent_lost: 'The agent is gone and nothing reports; what runs keeps running.',
} as const;
export type FaultName = keyof typeof simulatedFaults;
export const faultNames = Object.keys(simulatedFaults) as FaultName[];
export const isFaultName = (name: string): name is FaultName => Object.hasOwn(simulatedFaults, name);

export interface FaultOrder {
  readonly fault: FaultName;
  /** Gone after it has struck once; otherwise it stays until it is taken away. */
  readonly once?: boolean | undefined;
  /** Which GPU, where the fault is about one. The first, unless told. */
  readonly slotIndex?: number | undefined;
}

/** Which faults are behind a failure that was found by looking, so that one that strikes once is gone afterwards. */
const behind: Partial<Record<HostFailureCode, readonly FaultName[]>> = {
  gpu_unhealthy: ['xid_79'],
  gpu_missing: ['gpu_missing'],
  gpu_mismatch: ['gpu_mismatch'],
  driver_unavailable: ['driver_unavailable', 'wrong_driver'],
  disk_dirty: ['dirty_disk'],
  isolation_failed: ['leaky_bridge'],
  ssh_unreachable: ['ssh_unreachable'],
};

export interface Faults {
  list(): readonly Fault[];
  find(name: FaultName): Fault | undefined;
  /** The fault takes effect now; one that strikes once is gone with this. */
  strike(name: FaultName): Promise<boolean>;
  /** The same for whatever is behind a failure. */
  spend(code: HostFailureCode): Promise<void>;
  set(order: FaultOrder): Promise<Fault>;
  clear(name?: FaultName): Promise<void>;
}

export function makeFaults(store: Store, clock: Clock): Faults {
  const find = (name: FaultName) => store.now.faults.find(({ fault }) => fault === name);
  const strike = async (name: FaultName) => {
    const found = find(name);
    if (found?.once) {
      await store.change((draft) => {
        draft.faults = draft.faults.filter(({ fault }) => fault !== name);
      });
    }
    return found !== undefined;
  };
  return {
    list: () => store.now.faults,
    find,
    strike,
    async spend(code) {
      for (const name of behind[code] ?? []) await strike(name);
    },
    set: ({ fault, once = false, slotIndex = 0 }) =>
      store.change((draft) => {
        const placed = { fault, once, slot_index: slotIndex, since: clock.now().toISOString() };
        draft.faults = [...draft.faults.filter((other) => other.fault !== fault), placed];
        return placed;
      }),
    clear: (name) =>
      store.change((draft) => {
        draft.faults = name === undefined ? [] : draft.faults.filter(({ fault }) => fault !== name);
      }),
  };
}
