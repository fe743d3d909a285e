import { join } from 'node:path';
import { nodeTaskKinds, Proof } from '@gpuaas/contract/node';
import { type Static, Type } from 'typebox';
import { Compile } from 'typebox/compile';
import type { Disk } from '../../disk.ts';
import { HostFailure } from '../port.ts';

/**
 * Who has this host, written down before anything is made for them and taken away after the last trace is gone. What
 * is really there is looked up where it is (accounts, processes); this says what was meant, so that a host that
 * stopped in the middle knows what it was about.
 */
export const Tenancy = Type.Object({
  allocation_id: nodeTaskKinds['allocation.attest'].params.properties.allocation_id,
  generation: Type.Integer({ minimum: 1 }),
  login: nodeTaskKinds['allocation.attest'].params.properties.login,
  /** `stopped` keeps everything and lets nobody in. `ended` is for good: only a release comes after it. */
  state: Type.Enum(['making', 'running', 'stopped', 'ended']),
  /** An account was about to be made: what runs under its number from then on is this tenant's. */
  has_account: Type.Boolean(),
  /** What was found before anything was handed over. */
  disk_clean: Type.Union([Proof, Type.Null()]),
  durations_ms: Type.Record(Type.String(), Type.Integer({ minimum: 0 })),
  /** The boot in which a restart was asked for; another one means that it has happened. */
  restarting_from: Type.Union([Type.String(), Type.Null()]),
});
export type Tenancy = Static<typeof Tenancy>;
const tenancy = Compile(Tenancy);
/** The name becomes part of a path. */
const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

export interface Tenancies {
  all(): Promise<Tenancy[]>;
  get(allocationId: string): Promise<Tenancy | undefined>;
  /**
   * One change at a time, based on the current state: a lease that ended meanwhile is not restored by a caller who read
   * it before. Returns the new state; if the change throws, everything stays as it was.
   */
  change<T extends Tenancy | undefined>(
    allocationId: string,
    edit: (now: Tenancy | undefined) => T | Promise<T>,
  ): Promise<T>;
  remove(allocationId: string): Promise<void>;
}

export function makeTenancies({ disk, folder }: { readonly disk: Disk; readonly folder: string }): Tenancies {
  const pathOf = (allocationId: string) => {
    if (!uuid.test(allocationId)) throw new TypeError('An allocation is named by a UUID.');
    return join(folder, `${allocationId}.json`);
  };
  const read = async (path: string): Promise<Tenancy | undefined> => {
    const text = await disk.read(path);
    if (text === undefined) return undefined;
    const value = parse(text);
    // Nobody may have the host while it is not known who has it.
    if (!tenancy.Check(value))
      throw new HostFailure('host_not_ready', `${path} cannot be read; an operator has to look.`);
    return value;
  };
  let last: Promise<unknown> = Promise.resolve();
  return {
    async all() {
      const names = (await disk.list(folder)).filter((name) => name.endsWith('.json'));
      const found = await Promise.all(names.map((name) => read(join(folder, name))));
      return found.filter((one) => one !== undefined);
    },
    get: (allocationId) => read(pathOf(allocationId)),
    change(allocationId, edit) {
      const turn = last.then(async () => {
        const next = await edit(await read(pathOf(allocationId)));
        if (next) await disk.write(pathOf(allocationId), JSON.stringify(next));
        return next;
      });
      last = turn.catch(() => undefined);
      return turn;
    },
    remove: (allocationId) => disk.remove(pathOf(allocationId)),
  };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
