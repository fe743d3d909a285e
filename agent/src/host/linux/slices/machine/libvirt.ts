import { HostFailure } from '../../../port.ts';
import { type Argv, type CommandResult, type Commands, complaintOf } from '../../commands.ts';

/** libvirt, as far as machines of slices need it. Machines are named by their id, which is that of the allocation. */
export interface Libvirt {
  /** Why it cannot be used; undefined when it can. */
  trouble(): Promise<string | undefined>;
  /** All machines of this host, also those that are not ours. */
  list(): Promise<readonly { readonly uuid: string; readonly name: string }[]>;
  isRunning(uuid: string): Promise<boolean>;
  define(file: string): Promise<void>;
  start(uuid: string): Promise<void>;
  /** Asks the machine to end; it may not listen. */
  shutDown(uuid: string): Promise<void>;
  destroy(uuid: string): Promise<void>;
  undefine(uuid: string): Promise<void>;
}

const startLimitMs = 120_000;
const virsh = (...words: string[]): Argv => ['virsh', '--quiet', '--connect', 'qemu:///system', ...words];

export function makeLibvirt(commands: Commands): Libvirt {
  const run = async (words: string[], limitMs?: number): Promise<CommandResult> =>
    commands.run(virsh(...words), limitMs === undefined ? {} : { limitMs });
  const must = async (what: string, words: string[], limitMs?: number): Promise<string> => {
    const result = await run(words, limitMs);
    if (result.status === 0) return result.stdout;
    throw new HostFailure('machine_failed', `libvirt does not ${what}: ${complaintOf(result)}.`);
  };
  const list = async () => {
    const text = await must('list its machines', ['list', '--all', '--uuid', '--name']);
    return text.split('\n').flatMap((line) => {
      const [, uuid, name] = /^([0-9a-f-]{36})\s+(\S.*)$/.exec(line.trimEnd()) ?? [];
      return uuid && name ? [{ uuid, name }] : [];
    });
  };
  const isThere = async (uuid: string) => (await list()).some((one) => one.uuid === uuid);
  return {
    async trouble() {
      const result = await run(['version', '--daemon']);
      return result.status === 0 ? undefined : `libvirt does not answer: ${complaintOf(result)}.`;
    },
    list,
    async isRunning(uuid) {
      const text = await must('list its machines', ['list', '--uuid']);
      return text.split('\n').some((line) => line.trim() === uuid);
    },
    async define(file) {
      await must('take the machine', ['define', '--validate', file]);
    },
    async start(uuid) {
      await must('start the machine', ['start', uuid], startLimitMs);
    },
    async shutDown(uuid) {
      // A machine that ended by itself meanwhile is what was wanted.
      await run(['shutdown', uuid]);
    },
    async destroy(uuid) {
      await run(['destroy', uuid], startLimitMs);
    },
    async undefine(uuid) {
      if (await isThere(uuid)) await must('forget the machine', ['undefine', '--nvram', uuid]);
    },
  };
}
