import { readFile, stat, truncate, writeFile } from 'node:fs/promises';
import { type Argv, type CommandResult, makeCommands } from '../commands.ts';
import { bannerQuery, gpuQuery } from '../nvidia-smi.ts';
import type { Machine } from './machines.ts';

/**
 * The programs that slices need, on a tree: libvirt that keeps machines in memory, machines that answer over SSH as soon as they
 * run, and disks that are files. What a machine says about its GPUs follows from the devices that it was given.
 */
export interface SlicePrograms {
  run(argv: Argv): Promise<CommandResult | undefined>;
  readonly machines: Map<string, FakeMachine>;
}
interface FakeMachine {
  readonly name: string;
  readonly xml: string;
  running: boolean;
}

const done: CommandResult = { status: 0, stdout: '', stderr: '' };
const says = (stdout: string): CommandResult => ({ ...done, stdout });
const refuses = (stderr: string): CommandResult => ({ status: 1, stdout: '', stderr });
const silent: ReadonlySet<string> = new Set(['ip', 'sysctl', 'dnsmasq', 'nft', 'blkid']);

export function makeSlicePrograms({ says: said }: Pick<Machine, 'says'>): SlicePrograms {
  const machines = new Map<string, FakeMachine>();
  let rules = '';
  const rowsFor = (xml: string): string => {
    const rows = (said.get(gpuQuery.join(' '))?.stdout ?? '').split('\n');
    return rows.filter((row) => xml.includes(`bus="0x${/0000:(..):/.exec(row.toLowerCase())?.[1] ?? '?'}"`)).join('\n');
  };
  const virsh = (words: readonly string[]): CommandResult | Promise<CommandResult> => {
    const [verb = '', first = '', file = ''] = words;
    const machine = machines.get(first);
    const states = [...machines].filter(([, { running }]) => running || words.includes('--all'));
    switch (verb) {
      case 'version':
        return done;
      case 'list':
        return says(states.map(([uuid, { name }]) => (words.includes('--name') ? `${uuid} ${name}` : uuid)).join('\n'));
      case 'define':
        return readFile(file, 'utf8').then((xml) => {
          const uuid = /<uuid>(.*?)<\/uuid>/.exec(xml)?.[1] ?? '';
          machines.set(uuid, { name: /<name>(.*?)<\/name>/.exec(xml)?.[1] ?? '', xml, running: false });
          return done;
        });
      case 'undefine':
        machines.delete(file || first);
        return machines.has(file) ? refuses('it stays') : done;
      case 'start':
        if (machine) machine.running = true;
        return machine ? done : refuses('failed to get domain');
      default:
        if (machine) machine.running = false;
        return machine ? done : refuses('failed to get domain');
    }
  };
  const inGuest = (argv: Argv): CommandResult => {
    const [target = '', , command = ''] = argv.slice(-3);
    const number = Number(target.split('.').at(-1)) - 10;
    const machine = [...machines.values()].find(({ name, running }) => running && name === `gpuaas-slot-${number}`);
    if (!machine) return { status: 255, stdout: '', stderr: `ssh: connect to host ${target}: No route to host` };
    if (command.includes(gpuQuery[1] ?? '?')) return says(rowsFor(machine.xml));
    // The lines of the keys that were written, as the machine reads them back.
    const [, keys] = command.split(" 'keys' ");
    if (keys !== undefined) return says(`${keys.slice(1, -1).split("' '").join('\n')}\n`);
    if (command.includes('nvidia-smi')) return said.get(bannerQuery.join(' ')) ?? done;
    return command.includes('probe') ? says('looked\n') : done;
  };
  return {
    machines,
    async run(argv) {
      const [program, ...words] = argv;
      const path = words.at(-1) ?? '';
      if (program === 'virsh') return words.includes('--version') ? done : virsh(words.slice(3));
      if (program === 'ssh') return words.includes('-V') ? done : inGuest(argv);
      if (program === 'ssh-keygen') return makeCommands().run(argv);
      if (program === 'xorriso' && words.includes('-o')) await writeFile(words[words.indexOf('-o') + 1] ?? '', 'seed');
      if (program === 'nft' && words.includes('--file')) rules = await readFile(path, 'utf8');
      if (program === 'nft' && words.includes('list')) return says(rules);
      if (program === 'bridge') return says('[{"isolated":true}]');
      if (program === 'nvme' || words.includes('--secure')) return refuses('Operation not supported');
      if (program === 'blockdev') return says(words[0] === '--getsize64' ? String((await stat(path)).size) : '');
      if (program === 'blkdiscard' && words.includes('--zeroout')) {
        const { size } = await stat(path);
        await truncate(path, 0);
        await truncate(path, size);
      }
      return program === 'xorriso' || program === 'blkdiscard' || silent.has(program) ? done : undefined;
    },
  };
}
