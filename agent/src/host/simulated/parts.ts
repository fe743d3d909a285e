import { createHash } from 'node:crypto';
import type { Proof } from '@gpuaas/contract/node';
import type { SimulatedConsole } from './console.ts';
import type { Evidence } from './evidence.ts';
import type { Faults } from './faults.ts';
import type { Hardware } from './hardware.ts';
import type { Rest } from './pace.ts';
import type { Store } from './state.ts';

/** What the jobs of a simulated host are made of. */
export interface HostParts {
  readonly hardware: Hardware;
  readonly store: Store;
  readonly faults: Faults;
  readonly evidence: Evidence;
  readonly rest: Rest;
  readonly console: SimulatedConsole;
  /** Ends every process of an allocation and removes its scratch home where `forGood`. */
  readonly endProcesses: (allocationId: string, forGood: boolean) => Promise<void>;
}

export const passed = (detail: string): Proof => ({ passed: true, detail });

/** A host key as a new machine would make one: another machine, another key. */
export const fingerprintOf = (...about: readonly (string | number)[]): string =>
  `SHA256:${createHash('sha256').update(about.join('\0')).digest('base64').replace(/=+$/, '')}`;
