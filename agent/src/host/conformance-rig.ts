import { createHash } from 'node:crypto';
import type { TaskParams } from '@gpuaas/contract/node';
import { type RunnerTestCase as Test, TestRunner } from 'vitest';
import { type Host, HostFailure, type HostFailureCode, type Shell, type Work } from './port.ts';

/** What a host may say that it cannot do. The suite then asks that it refuses in so many words and touches nothing. */
export type Limitation = 'slices' | 'containers' | 'slice containers' | 'reimage' | 'restart' | 'shells';

/** One host, and the means to treat it badly. */
export interface HostRig {
  readonly limitations: readonly Limitation[];
  /** A host on which nothing has ever been. */
  open(): Promise<Host>;
  /** The agent dies in the middle of whatever it does; the host comes back with what it had. */
  crash(): Promise<Host>;
  /** The keys that let somebody in, looked up where they count. */
  keysOf(params: { readonly allocationId: string; readonly username: string }): Promise<readonly string[]>;
  /** A login that may be made on this host. */
  readonly login: TaskParams<'allocation.attest'>['login'];
  close(): Promise<void>;
}

export const key = (name: string) => `ssh-ed25519 ${Buffer.from(name.repeat(8)).toString('base64')}`;
const allocation = (number: number) => `0191b2c4-0000-7000-8000-${String(number).padStart(12, '0')}`;
/** A disk image as small as one can be, for hosts that write it to a disk. */
export const imageBytes = Buffer.from('a system that boots nothing'.repeat(1_000));
const digest = `sha256:${createHash('sha256').update(imageBytes).digest('hex')}`;
export const image = { slug: 'ubuntu-24.04-h200-cuda', digest, driver_strategy: 'preinstalled' as const };
export const [first, second] = [allocation(1), allocation(2)];

/** One attempt that writes down which phases it went through. */
export function makeWork(
  generation = 1,
): Work & { readonly phases: string[]; abort(): void; onPhase?: (name: string) => void } {
  const aborter = new AbortController();
  const phases: string[] = [];
  return {
    generation,
    signal: aborter.signal,
    phases,
    abort: () => aborter.abort(),
    phase(name) {
      if (phases.at(-1) !== name) phases.push(name);
      this.onPhase?.(name);
    },
  };
}

export async function failureOf(work: Promise<unknown>): Promise<HostFailureCode | undefined> {
  try {
    await work;
  } catch (error) {
    if (error instanceof HostFailure) return error.code;
    throw error;
  }
  return undefined;
}

/** What the host says about itself, as the params of tasks. */
export async function ordersFor(host: Host, login: HostRig['login']) {
  const { slots } = await host.topology(makeWork());
  const expectOf = (some: typeof slots) => ({
    gpu_model: some[0]?.gpu_model ?? '',
    gpu_uuids: some.map(({ gpu_uuid }) => gpu_uuid),
    gpu_memory_mib: some[0]?.gpu_memory_mib ?? 1,
  });
  const taskSlots = (some: typeof slots) =>
    some.map(({ gpu_model: _model, gpu_memory_mib: _memory, blockers: _blockers, ...slot }) => ({
      ...slot,
      slot_id: allocation(9_000 + slot.slot_index),
    }));
  const pick = (indexes: readonly number[]) => slots.filter(({ slot_index }) => indexes.includes(slot_index));
  return {
    slots,
    slice: (allocationId: string, indexes: readonly number[]): TaskParams<'slice.vm_provision'> => ({
      allocation_id: allocationId,
      hostname: 'guest-1',
      slots: taskSlots(pick(indexes)),
      profile: { name: 'h200_1g_24c_64g', vcpus: 24, memory_mib: 65_536 },
      image,
      login,
      authorized_keys: [key('a')],
      lease: { deadline_at: null },
      expect: expectOf(pick(indexes)),
    }),
    release: (allocationId: string, indexes: readonly number[]): TaskParams<'slice.vm_release'> => ({
      allocation_id: allocationId,
      slots: taskSlots(pick(indexes)),
      isolation_model: 'user-revoke',
      grace_seconds: 30,
    }),
    user: (allocationId: string): TaskParams<'allocation.provision_user'> => ({
      allocation_id: allocationId,
      login,
      authorized_keys: [key('a')],
      lease: { deadline_at: null },
      expect: expectOf(slots),
    }),
    image,
  };
}

/** Reads a shell until the words have appeared, or it has ended. */
export async function readUntil(shell: Shell, words: RegExp): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  const reader = shell.output.getReader();
  try {
    while (!words.test(text)) {
      const { done, value } = await reader.read();
      if (done) break;
      text += decoder.decode(value, { stream: true });
    }
  } finally {
    reader.releaseLock();
  }
  return text;
}

/** What the cases share: a rig of their own each, and the orders that fit its host. */
export interface Suite {
  readonly rig: HostRig;
  begin(): Promise<{ host: Host } & Awaited<ReturnType<typeof ordersFor>>>;
  can(what: Limitation): boolean;
  end(): Promise<void>;
}

export function makeSuite(makeRig: () => Promise<HostRig>): Suite {
  let rig: HostRig | undefined;
  const current = () => {
    if (!rig) throw new Error('A case begins before it asks for its rig.');
    return rig;
  };
  return {
    get rig() {
      return current();
    },
    async begin() {
      rig = await makeRig();
      const host = await rig.open();
      return { host, ...(await ordersFor(host, rig.login)) };
    },
    can(what) {
      if (!current().limitations.includes(what)) return true;
      // The case still shows that the host refuses in so many words. The table of adapters must not call that "ok".
      const test = TestRunner.getCurrentTest<Test | undefined>();
      if (test) Object.assign(test.meta, { notSupported: what });
      return false;
    },
    async end() {
      await rig?.close();
      rig = undefined;
    },
  };
}
