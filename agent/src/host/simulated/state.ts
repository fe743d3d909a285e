import { mkdir, open, readFile, rename } from 'node:fs/promises';
import { join } from 'node:path';
import type { Proof, TaskParams, TaskSlot } from '@gpuaas/contract/node';

/**
 * Everything that a real host would keep in its kernel, on its disks and in its libvirt, in one file. The file is
 * replaced as a whole, so that after a crash the machine is as some finished step left it.
 */
export interface HostState {
  readonly format: 1;
  readonly born_at: string;
  /** Counts how often the whole host was imaged: what proves that a reimage happened. */
  image_generation: number;
  image_digest: string | null;
  /** A reimage that has begun: the generation it leads to, so that a second attempt ends where the first was going. */
  reimaging: { readonly digest: string; readonly to: number } | null;
  /** Whose device it is and which driver holds it, by PCI address. */
  devices: Record<string, DeviceState>;
  disks: Record<string, DiskState>;
  /** Digests of images that are here already. */
  images: string[];
  machines: Record<string, MachineState>;
  users: Record<string, UserState>;
  /** Containers by workload. Hosts of older versions have none. */
  containers?: Record<string, ContainerState>;
  faults: Fault[];
}

export interface Owner {
  readonly allocation_id: string;
  readonly generation: number;
  /** Once it has ended, by deadline or release, nothing is built for it any more. */
  ended: boolean;
}
export interface DeviceState {
  driver: 'nvidia' | 'vfio-pci';
  owner: Owner | null;
}
export interface DiskState {
  content: 'clean' | 'used';
  /** Whose data may be on it. Kept until everything that a release owes has been done. */
  tenant: string | null;
  /** Counts how often it was wiped. */
  wipes: number;
  /** Counts how often an image was laid on it anew after a tenant. */
  image_generation: number;
}

type Login = TaskParams<'allocation.attest'>['login'];
interface RuntimeState {
  readonly generation: number;
  readonly login: Login;
  authorized_keys: string[];
  /** Whose certificates it lets in, beside the keys. Older state has none. */
  trusted_authorities?: string[];
  /** `ended` is for good: only a release comes after it. */
  state: 'making' | 'running' | 'stopped' | 'ended';
  /** What its host key is drawn from. */
  host_key_fingerprint: string;
  /** What was seen on the disk before it was handed over. */
  disk_clean: Proof;
  durations_ms: Record<string, number>;
  restarts: number;
}
export interface MachineState extends RuntimeState {
  readonly hostname: string;
  readonly slots: readonly TaskSlot[];
  readonly image_digest: string;
  readonly vcpus: number;
  readonly memory_mib: number;
}
export type UserState = RuntimeState;

export interface ContainerState {
  readonly allocation_id: string;
  readonly workload_id: string;
  readonly order: Omit<TaskParams<'app.oci_launch'>, 'env' | 'labels' | 'pull_seconds'> & {
    readonly labels: { readonly instance_id: string; readonly component: string };
    readonly env_names: readonly string[];
  };
  readonly host: number;
  /** `stopped` is for good. */
  state: 'making' | 'running' | 'exited' | 'stopped';
  started_at: string | null;
  finished_at: string | null;
  exit_code: number | null;
}

export interface Fault {
  readonly fault: string;
  readonly once: boolean;
  readonly slot_index: number;
  /** When it came; conditions say since when they are so. */
  readonly since: string;
}

/** Where a state lives. A test puts something between that fails on purpose. */
export interface StateFile {
  read(): Promise<string | undefined>;
  replace(text: string): Promise<void>;
}

export function stateFileIn(folder: string): StateFile {
  const path = join(folder, 'host.json');
  return {
    read: () =>
      readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
        if (error.code === 'ENOENT') return undefined;
        throw error;
      }),
    async replace(text) {
      await mkdir(folder, { recursive: true, mode: 0o711 });
      const next = await open(`${path}.next`, 'w', 0o600);
      try {
        await next.writeFile(text);
        await next.sync();
      } finally {
        await next.close();
      }
      await rename(`${path}.next`, path);
    },
  };
}

export interface Store {
  /** The state as of the last finished change. Not to be kept, and not to be written to. */
  readonly now: Readonly<HostState>;
  /** One change at a time, on a copy: it is there as a whole once it is on the disk, or not at all. */
  change<T>(edit: (draft: HostState) => T): Promise<T>;
}

export async function openStore(file: StateFile, fresh: () => HostState): Promise<Store> {
  const kept = await file.read();
  let state = kept === undefined ? fresh() : (JSON.parse(kept) as HostState);
  if (kept === undefined) await file.replace(JSON.stringify(state));
  let last: Promise<unknown> = Promise.resolve();
  return {
    get now() {
      return state;
    },
    change(edit) {
      const turn = last.then(async () => {
        const draft = structuredClone(state);
        const result = edit(draft);
        await file.replace(JSON.stringify(draft));
        state = draft;
        return result;
      });
      last = turn.catch(() => undefined);
      return turn;
    },
  };
}
