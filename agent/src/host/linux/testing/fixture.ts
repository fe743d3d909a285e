import { randomInt } from 'node:crypto';
import { appendFile, chmod, chown, mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '../../../clock.ts';
import { type Disk, makeDisk } from '../../../disk.ts';
import type { Host } from '../../port.ts';
import { type Argv, type CommandResult, type Commands, makeCommands, statusMissing } from '../commands.ts';
import { usualContainers } from '../containers/settings.ts';
import { type LinuxHostOrder, openLinuxHost } from '../host.ts';
import { type Processes, readProcesses } from '../removal/processes.ts';
import { usualSlices } from '../slices/settings.ts';
import { keysFolder } from '../ssh/authorized-keys.ts';
import { type ContainerPrograms, makeContainerPrograms } from './container-programs.ts';
import { makeTreeKernel, type TreeKernel } from './kernel.ts';
import { growMachine, type Machine, type MachineSpec, serialOf } from './machines.ts';
import { makeSlicePrograms, type SlicePrograms } from './slice-programs.ts';

/** The process that asked is dead: nothing it still does reaches the host. */
export class Dead extends Error {}

/**
 * A machine below a folder: its tree, its programs and somebody who speaks SSH at its door. The programs that make and
 * remove logins work on the tree's own files as the real ones work on the system's, and every call is written down.
 */
export interface Fixture {
  readonly folder: string;
  readonly machine: Machine;
  readonly homes: string;
  readonly calls: Argv[];
  readonly login: { readonly username: string; readonly uid: number; readonly gid: number };
  /** Answers in place of a program, where a test wants it to. */
  answer: (
    argv: Argv,
    limits?: Parameters<Commands['run']>[1],
  ) => CommandResult | undefined | Promise<CommandResult | undefined>;
  /** The agent dies at its n-th step from now on the host or its files, before the step or right after it. */
  dieAt(step: number, when: 'before' | 'after'): void;
  /** Whether it has. */
  readonly isDead: boolean;
  /** What runs on the machine, for hosts that are opened from now on. */
  processes: Processes;
  /** The kernel of the tree, and the programs that make slices on it. */
  readonly kernel: TreeKernel;
  readonly slicePrograms: SlicePrograms;
  readonly containerPrograms: ContainerPrograms;
  /** Lines of the kernel's log. */
  kernelLog: string[];
  open(more?: Partial<LinuxHostOrder>): Promise<Host>;
  crash(): Promise<Host>;
  keysOf(username: string): Promise<string[]>;
  close(): Promise<void>;
}

/** Numbers that no distribution gives to anybody, and a new one each time: suites run side by side on one machine. */
export const testUid = () => randomInt(1_900_000_000, 1_999_999_999);
export const isRoot = process.getuid?.() === 0;

/** A machine on which nothing runs. */
export const noProcesses: Processes = {
  of: async () => [],
  all: async () => [],
  signal: () => undefined,
  killAll: async () => undefined,
  killSessions: async () => undefined,
};

const done = { status: 0, stdout: '', stderr: '' };
const refusal = (status: number, stderr: string) => ({ status, stdout: '', stderr });

export async function makeFixture(spec: MachineSpec = {}): Promise<Fixture> {
  const folder = await mkdtemp(join(tmpdir(), 'gpuaas-linux-'));
  // Tenants pass through on the way to their homes.
  await chmod(folder, 0o711);
  const machine = await growMachine(join(folder, 'root'), spec);
  const homes = join(folder, 'home');
  await mkdir(join(machine.root, 'etc/ssh'), { recursive: true });
  await writeFile(
    join(machine.root, 'etc/passwd'),
    'root:x:0:0:root:/root:/bin/bash\nada:x:1000:1000:Ada:/home/ada:/bin/bash\n',
  );
  await writeFile(join(machine.root, 'etc/group'), 'root:x:0:\nada:x:1000:\nvideo:x:44:ada\n');
  await writeFile(
    join(machine.root, 'etc/ssh/ssh_host_ed25519_key.pub'),
    'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIA== root@gpu-17\n',
  );
  const sshd = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.write('SSH-2.0-Fixture\r\n');
  });
  await new Promise<void>((resolve) => sshd.listen(0, '127.0.0.1', resolve));
  const door = { address: '127.0.0.1', port: (sshd.address() as AddressInfo).port };
  const uid = testUid();
  const calls: Argv[] = [];
  let generation = 0;
  let opened = 0;
  let host: Host | undefined;

  let death: { left: number; readonly when: 'before' | 'after' } | undefined;
  /** One step of the agent, if it still lives. */
  const step = async <R>(own: number, take: () => Promise<R>): Promise<R> => {
    if (own !== generation) throw new Dead();
    if (death) death.left -= 1;
    const last = death?.left === 0 ? death.when : undefined;
    if (last) generation += 1;
    if (last === 'before') throw new Dead();
    const result = await take();
    if (last === 'after') throw new Dead();
    return result;
  };

  const programs = makePrograms(machine);
  const slicePrograms = makeSlicePrograms(machine);
  const containerPrograms = makeContainerPrograms();
  const kernel = makeTreeKernel(machine.root);
  const commandsOf = (own: number): Commands => ({
    run: (argv, options) =>
      step(own, async () => {
        calls.push(argv);
        return (
          (await fixture.answer(argv, options)) ??
          machine.says.get(argv.join(' ')) ??
          (await containerPrograms.run(argv, options?.signal)) ??
          (await slicePrograms.run(argv)) ??
          programs(argv)
        );
      }),
  });
  const diskOf = (own: number): Disk => {
    const disk = makeDisk({ forced: false });
    return {
      ...disk,
      write: (...of) => step(own, () => disk.write(...of)),
      remove: (...of) => step(own, () => disk.remove(...of)),
    };
  };

  const fixture: Fixture = {
    folder,
    machine,
    kernel,
    slicePrograms,
    containerPrograms,
    homes,
    calls,
    login: { username: `t${uid.toString(36)}`, uid, gid: uid },
    answer: () => undefined,
    // Without root everything here runs as one user, who must not be ended. With it, other suites have tenants too.
    processes: isRoot ? { ...readProcesses(), all: async () => [], killAll: async () => undefined } : noProcesses,
    kernelLog: [],
    dieAt(left, when) {
      death = { left, when };
    },
    get isDead() {
      return opened !== generation;
    },
    async open(more = {}) {
      generation += 1;
      opened = generation;
      const own = generation;
      death = undefined;
      host = await openLinuxHost({
        folder: join(folder, 'state'),
        root: machine.root,
        homes,
        clock: systemClock,
        commands: commandsOf(generation),
        disk: diskOf(generation),
        kernelLog: { read: async () => fixture.kernelLog },
        door,
        graceMs: 200,
        patienceMs: 2_000,
        processes: fixture.processes,
        containers: treeContainers,
        // A tree has no bridge.
        listenForGuests: async () => undefined,
        writeKernel: (path, text) => step(own, () => kernel.write(path, text)),
        ...more,
      });
      return host;
    },
    crash: () => fixture.open(),
    async keysOf(username) {
      const text = await readFile(join(machine.root, keysFolder, username), 'utf8').catch(() => '');
      return text.split('\n').filter((line) => line !== '');
    },
    async close() {
      await host?.close();
      await new Promise((resolve) => sshd.close(resolve));
      await rm(folder, { recursive: true, force: true });
    },
  };
  return fixture;
}

/** shadow's programs, systemd's and the journal, as far as the adapter asks for them; no other words are understood. */
function makePrograms({ root }: Machine): (argv: Argv) => Promise<CommandResult> {
  const passwd = join(root, 'etc/passwd');
  const group = join(root, 'etc/group');
  const linesOf = async (path: string) => (await readFile(path, 'utf8')).split('\n').filter((line) => line !== '');
  /** Replaces the file in one step, as shadow's programs do: a reader sees the old lines or the new ones. */
  const edit = async (path: string, change: (lines: string[]) => string[]) => {
    const lines = change(await linesOf(path)).map((line) => `${line}\n`);
    await writeFile(`${path}+`, lines.join(''));
    await rename(`${path}+`, path);
  };
  const isOf = (name: string) => (line: string) => line.startsWith(`${name}:`);
  const after = (argv: Argv, word: string) => argv[argv.indexOf(word) + 1] ?? '';

  /** shadow's programs lock the files they change, so one of them runs at a time. */
  let last: Promise<unknown> = Promise.resolve();
  return (argv) => {
    const result = last.then(() => run(argv));
    last = result.catch(() => undefined);
    return result;
  };

  async function run(argv: Argv): Promise<CommandResult> {
    const name = argv.at(-2) === '--' ? (argv.at(-1) ?? '') : '';
    switch (argv[0]) {
      case 'groupadd': {
        const gid = after(argv, '--gid');
        if ((await linesOf(group)).some(isOf(name))) return refusal(9, `group '${name}' already exists`);
        if ((await linesOf(group)).some((line) => line.split(':')[2] === gid)) return refusal(4, `GID '${gid}' exists`);
        await appendFile(group, `${name}:x:${gid}:\n`);
        return done;
      }
      case 'useradd': {
        const [uid, gid, home] = [after(argv, '--uid'), after(argv, '--gid'), after(argv, '--home-dir')];
        if ((await linesOf(passwd)).some(isOf(name))) return refusal(9, `user '${name}' already exists`);
        if ((await linesOf(passwd)).some((line) => line.split(':')[2] === uid)) return refusal(4, `UID ${uid} exists`);
        const fields = [name, 'x', uid, gid, after(argv, '--comment'), home, after(argv, '--shell')];
        await appendFile(passwd, `${fields.join(':')}\n`);
        await mkdir(home, { recursive: true });
        if (isRoot) await chown(home, Number(uid), Number(gid));
        return done;
      }
      case 'usermod':
        await edit(passwd, (lines) =>
          lines.map((line) => (isOf(name)(line) ? line.replace(/[^:]*$/, after(argv, '--shell')) : line)),
        );
        return done;
      case 'userdel': {
        const line = (await linesOf(passwd)).find(isOf(name));
        if (!line) return refusal(6, `user '${name}' does not exist`);
        await edit(passwd, (lines) => lines.filter((one) => !isOf(name)(one)));
        return done;
      }
      case 'groupdel':
        await edit(group, (lines) => lines.filter((line) => !isOf(name)(line)));
        return done;
      case '/usr/sbin/sshd':
        return { ...done, stdout: `port 22\nauthorizedkeysfile ${join(root, keysFolder)}/%u\n` };
      case 'rm':
      case 'umount':
      case 'chattr':
        return makeCommands().run(argv);
      case 'systemctl':
        await writeFile(join(root, 'proc/sys/kernel/random/boot_id'), '6f1f2a54-0000-4000-8000-000000000002\n');
        return done;
      case 'timedatectl':
        return { ...done, stdout: 'yes\n' };
      default:
        return refusal(statusMissing, `${argv[0]}: not found`);
    }
  }
}

/** Containers of a tree: nothing is mounted and nothing needs room. */
const treeContainers = {
  ...usualContainers,
  registries: ['registry.test:5000'],
  reserveBytes: 0,
};

/** All disks of a tree but the machine's own are approved for slices. */
export const treeSlices = (gpus = 8) => ({
  ...usualSlices,
  approvedDisks: Array.from({ length: gpus }, (_, index) => serialOf(index + 1)),
  bootMs: 2_000,
  destroyMs: 1_500,
});
