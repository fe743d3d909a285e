import type { FaultName } from '@gpuaas/contract/simulator';
import type { Clock } from '../../clock.ts';
import type { HostFailureCode } from '../port.ts';
import type { Fault, Store } from './state.ts';

export interface FaultOrder {
  readonly fault: FaultName;
  /** Gone after it has struck once; otherwise it stays until it is taken away. */
  readonly once?: boolean | undefined;
  /** Which GPU, where the fault is about one. Default: the first. */
  readonly slotIndex?: number | undefined;
}

/** Which faults are behind a failure that was found by looking, so that one that strikes once is gone afterwards. */
const behind: Partial<Record<HostFailureCode, readonly FaultName[]>> = {
  gpu_unhealthy: ['xid_79', 'memory_errors'],
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
