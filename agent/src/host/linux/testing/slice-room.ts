import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { copyFile, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer, type Server as NetServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { systemClock } from '../../../clock.ts';
import { makeDisk } from '../../../disk.ts';
import type { Host } from '../../port.ts';
import { type Argv, type Commands, makeCommands } from '../commands.ts';
import { openLinuxHost } from '../host.ts';
import { gpuQuery } from '../nvidia-smi.ts';
import type { ListenAt } from '../slices/reports/listen.ts';
import { type SliceSettings, usualSlices } from '../slices/settings.ts';
import { Dead, noProcesses } from './fixture.ts';
import { makeTreeKernel } from './kernel.ts';
import { growMachine, serialOf } from './machines.ts';

/**
 * A host that makes real machines: libvirt, QEMU, nftables, dnsmasq and block devices, all in a network and a mount namespace of their
 * own. These stand in for what this machine does not have:
 * - the tree of /sys is that of a host with two GPUs, and its kernel moves devices between drivers on the tree;
 * - machines run without KVM, as processes of QEMU that translate (TCG);
 * - a GPU that is handed through becomes a line in the firmware of the machine, from which the nvidia-smi of the test image reads. It
 *   names the GPU of the PCI address that the agent has handed through.
 */
export interface SliceRoom {
  readonly folder: string;
  readonly digest: string;
  /** The disks of the slots, as loop devices. */
  readonly disks: readonly string[];
  open(settings?: Partial<SliceSettings>): Promise<Host>;
  /** Runs a program on the host; throws what it says when it fails. */
  run(...argv: [string, ...string[]]): Promise<string>;
  /** Runs a program in the world outside the host. */
  outside(...argv: [string, ...string[]]): Promise<string>;
  /** Logs in from outside as a person would, at the port of the host, and runs a command. */
  ssh(
    order: { readonly keyFile: string; readonly port: number; readonly user: string },
    command: string,
  ): Promise<string>;
  /** Takes connections in the world outside. */
  serveOutside(): { close(): Promise<void> };
  /** Hears datagrams in the world outside, and says at its end what was heard. */
  hearOutside(): { close(): Promise<string> };
  makeKey(name: string): Promise<{ readonly path: string; readonly key: string }>;
  close(): Promise<void>;
}

const exec = promisify(execFile);
const gpus = 2;
const diskBytes = 96 * 1_024 ** 2;
export const outerAddress = '203.0.113.1';
export const hostAddress = '203.0.113.2';
export const worldPort = 8_080;
const patienceMs = 60_000;
const sshSettings = [
  'BatchMode=yes',
  'StrictHostKeyChecking=no',
  'UserKnownHostsFile=/dev/null',
  'IdentitiesOnly=yes',
  'LogLevel=ERROR',
  'ConnectTimeout=60',
];
const roomSettings: SliceSettings = {
  ...usualSlices,
  approvedDisks: Array.from({ length: gpus }, (_, index) => serialOf(index + 1)),
  bootMs: 20 * 60_000,
  setupMs: 10 * 60_000,
  driverPackages: ['gpuaas-test-driver'],
};
const quick = { timeout: 120_000, maxBuffer: 16 * 1_024 ** 2 };

export async function openSliceRoom(imagePath: string): Promise<SliceRoom> {
  const folder = await mkdtemp(join(tmpdir(), 'gpuaas-slices-'));
  const children: ChildProcess[] = [];
  const room = await startNamespaces(folder, children);
  const within = (argv: Argv): Argv => ['nsenter', `--target=${room.host}`, '--net', '--mount', '--', ...argv];
  const run = async (...argv: [string, ...string[]]) => {
    const [program, ...words] = within(argv);
    return (await exec(program, words, quick)).stdout;
  };
  const outside = async (...argv: [string, ...string[]]) =>
    (await exec('nsenter', [`--target=${room.world}`, '--net', '--', ...argv], quick)).stdout;

  const { machine, disks, digest } = await furnish(folder, imagePath);
  const { root } = machine;
  const sshd = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.write('SSH-2.0-Fixture\r\n');
  });
  await new Promise<void>((resolve) => sshd.listen(0, '127.0.0.1', resolve));
  const kernel = makeTreeKernel(root);
  const real = makeCommands();
  const rows = (machine.says.get(gpuQuery.join(' '))?.stdout ?? '').split('\n');
  let generation = 0;
  const hosts: Host[] = [];

  const commandsOf = (own: number): Commands => ({
    async run(argv, limits) {
      if (own !== generation) throw new Dead();
      const said = machine.says.get(argv.join(' '));
      if (said) return said;
      if (argv[0] === 'timedatectl') return { status: 0, stdout: 'yes\n', stderr: '' };
      if (argv[0] === 'virsh' && argv.includes('define')) await standIn(argv.at(-1) ?? '', rows);
      return real.run(within(argv), limits);
    },
  });

  return {
    folder,
    digest: `sha256:${digest}`,
    disks,
    run,
    outside,
    async open(settings = {}) {
      generation += 1;
      // What the last agent listened at is free again.
      await hosts.at(-1)?.close();
      const own = generation;
      const disk = makeDisk({ forced: false });
      const guarded =
        <A extends unknown[], R>(work: (...of: A) => Promise<R>) =>
        async (...of: A) => {
          if (own !== generation) throw new Dead();
          return work(...of);
        };
      const host = await openLinuxHost({
        folder: join(folder, 'state'),
        root,
        homes: join(folder, 'home'),
        clock: systemClock,
        commands: commandsOf(own),
        disk: { ...disk, write: guarded(disk.write), remove: guarded(disk.remove) },
        writeKernel: guarded(kernel.write),
        listenForGuests: (server, at) => listenWithin(room.host, server, at, children),
        kernelLog: { read: async () => [] },
        processes: noProcesses,
        door: { address: '127.0.0.1', port: (sshd.address() as AddressInfo).port },
        slices: { ...roomSettings, ...settings },
      });
      hosts.push(host);
      return host;
    },
    async ssh({ keyFile, port, user }, command) {
      const words = ['-F', '/dev/null', '-i', keyFile, '-p', `${port}`, ...sshSettings.flatMap((one) => ['-o', one])];
      return outside('ssh', ...words, `${user}@${hostAddress}`, command);
    },
    serveOutside() {
      const server = startOutside(room.world, ['TCP', String(worldPort)]);
      return { close: async () => void (await server.end()) };
    },
    hearOutside() {
      const server = startOutside(room.world, ['UDP', String(worldPort)]);
      return { close: () => server.end() };
    },
    makeKey: (name) => makeKey(join(folder, name)),
    async close() {
      for (const host of hosts) await host.close();
      await destroyAll(run).catch(() => undefined);
      const pid = Number(await readFile(join(folder, 'state/network/dnsmasq.pid'), 'utf8').catch(() => '0'));
      if (pid > 1) await exec('kill', [String(pid)]).catch(() => undefined);
      await room.stop();
      for (const child of children) child.kill('SIGKILL');
      for (const disk of disks) await exec('losetup', ['--detach', disk]).catch(() => undefined);
      await new Promise((resolve) => sshd.close(resolve));
      await rm(folder, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

async function makeKey(path: string) {
  await exec('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', path]);
  return { path, key: (await readFile(`${path}.pub`, 'utf8')).split(' ').slice(0, 2).join(' ') };
}

/** The tree of a host with two GPUs, with loop devices for disks and the image in its place. */
async function furnish(folder: string, imagePath: string) {
  const machine = await growMachine(join(folder, 'root'), { gpus });
  const { root } = machine;
  // The machines run on the processors that are really here.
  await writeFile(
    join(root, 'sys/devices/system/node/node0/cpulist'),
    (await readFile('/sys/devices/system/cpu/online', 'utf8')).trim(),
  );
  await mkdir(join(root, 'etc'), { recursive: true });
  await writeFile(join(root, 'etc/machine-id'), 'a2c8f1d0e5b94f7c8d3e6a1b2c4d5e6f\n');
  const disks = await Promise.all(Array.from({ length: gpus }, (_, index) => makeLoop(folder, root, index + 1)));
  const image = await readFile(imagePath);
  const digest = createHash('sha256').update(image).digest('hex');
  await mkdir(join(folder, 'state/images'), { recursive: true });
  await copyFile(imagePath, join(folder, 'state/images', `${digest}.raw`));
  return { machine, disks, digest };
}

async function destroyAll(run: SliceRoom['run']): Promise<void> {
  const text = await run('virsh', '-c', 'qemu:///system', 'list', '--uuid');
  for (const uuid of text.trim().split(/\s+/).filter(Boolean))
    await run('virsh', '-c', 'qemu:///system', 'destroy', uuid);
}

/** A loop device in place of an NVMe disk of the tree. */
async function makeLoop(folder: string, root: string, index: number): Promise<string> {
  const file = join(folder, `disk-${index}`);
  await writeFile(file, '');
  await exec('truncate', ['--size', String(diskBytes), file]);
  const { stdout } = await exec('losetup', ['--find', '--show', file]);
  const at = join(root, `dev/nvme${index}n1`);
  await rm(at);
  await symlink(stdout.trim(), at);
  return stdout.trim();
}

/** What this machine lacks, in the description of a machine right before libvirt gets it. */
async function standIn(path: string, rows: readonly string[]): Promise<void> {
  const text = await readFile(path, 'utf8');
  const passed = [...text.matchAll(/<hostdev .*?<\/hostdev>/g)].map(([one]) => /bus="0x(..)"/.exec(one)?.[1] ?? '');
  const lines = rows.filter((row) => passed.some((bus) => row.toLowerCase().includes(`:${bus}:00.0`)));
  await writeFile(`${path}.gpus`, lines.join('\n'));
  const gpusOf = `<sysinfo type="fwcfg"><entry name="opt/gpuaas/gpus" file="${path}.gpus"/></sysinfo>`;
  await writeFile(
    path,
    text
      .replace('<domain type="kvm">', '<domain type="qemu">')
      .replace('<cpu mode="host-passthrough"/>', '<cpu mode="maximum"/>')
      .replace(/<hostdev .*?<\/hostdev>/g, '')
      .replace('<devices>', `${gpusOf}<devices>`),
  );
}

/** Two namespaces of their own: the host with its libvirt, and a world outside that it is connected to by a cable. */
async function startNamespaces(folder: string, children: ChildProcess[]) {
  const hold = (...words: string[]) => {
    const child = spawn('unshare', words, { stdio: ['ignore', 'pipe', 'pipe'] });
    children.push(child);
    return child;
  };
  const conf = join(folder, 'libvirt');
  await mkdir(conf, { recursive: true });
  await writeFile(
    join(conf, 'qemu.conf'),
    'user = "root"\ngroup = "root"\ndynamic_ownership = 0\nsecurity_driver = "none"\nremember_owner = 0\nnamespaces = []\ncgroup_controllers = []\n',
  );
  const world = hold('--net', 'sleep', 'infinity');
  const log = join(conf, 'libvirtd.log');
  const script = `
    set -e
    mkdir -p ${conf}/cg ${conf}/lib ${conf}/run ${conf}/log
    mount --make-rprivate /
    mount --rbind /sys/fs/cgroup ${conf}/cg; mount -t sysfs sysfs /sys; mount --rbind ${conf}/cg /sys/fs/cgroup
    cp -a /var/lib/libvirt/. ${conf}/lib/
    mount --bind ${conf}/lib /var/lib/libvirt; mkdir -p /run/libvirt; mount --bind ${conf}/run /run/libvirt
    mkdir -p /var/log/libvirt; mount --bind ${conf}/log /var/log/libvirt
    mount --bind ${conf}/qemu.conf /etc/libvirt/qemu.conf
    rm -rf /var/lib/libvirt/qemu/autostart
    ip link set lo up
    virtlogd -d -p ${conf}/virtlogd.pid
    exec libvirtd -p ${conf}/libvirtd.pid >${log} 2>&1`;
  const host = spawn('unshare', ['--net', '--mount', 'tini', '-s', '--', 'sh', '-c', script], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  children.push(host);
  let said = '';
  host.stderr?.on('data', (chunk: Buffer) => {
    said = (said + chunk.toString()).slice(-4_000);
  });
  const [hostPid, worldPid] = [host.pid ?? 0, world.pid ?? 0];
  const at = (pid: number, ...argv: string[]) =>
    exec('nsenter', [`--target=${pid}`, '--net', ...(pid === hostPid ? ['--mount'] : []), '--', ...argv], quick);
  for (let waited = 0; ; waited += 500) {
    const isUp = await at(hostPid, 'virsh', '-c', 'qemu:///system', 'version', '--daemon').then(
      () => true,
      () => false,
    );
    if (isUp) break;
    if (waited > patienceMs * 3 || host.exitCode !== null)
      throw new Error(`libvirtd does not start: ${said}${await readFile(log, 'utf8').catch(() => '')}`);
    await systemClock.sleep(500);
  }
  await at(worldPid, 'ip', 'link', 'set', 'lo', 'up');
  await at(hostPid, 'ip', 'link', 'add', 'uplink', 'type', 'veth', 'peer', 'name', 'cable', 'netns', String(worldPid));
  await at(hostPid, 'ip', 'address', 'add', `${hostAddress}/24`, 'dev', 'uplink');
  await at(hostPid, 'ip', 'link', 'set', 'uplink', 'up');
  await at(worldPid, 'ip', 'address', 'add', `${outerAddress}/24`, 'dev', 'cable');
  await at(worldPid, 'ip', 'link', 'set', 'cable', 'up');
  await at(hostPid, 'ip', 'route', 'add', 'default', 'via', outerAddress);
  return {
    host: hostPid,
    world: worldPid,
    async stop() {
      for (const name of ['libvirtd', 'virtlogd']) {
        const pid = Number(await readFile(join(conf, `${name}.pid`), 'utf8').catch(() => '0'));
        if (pid > 1) await exec('kill', [String(pid)]).catch(() => undefined);
      }
      await systemClock.sleep(1_000);
    },
  };
}

const bindProgram = `
const [host, port] = process.argv.slice(1);
const server = require('node:net').createServer({ pauseOnConnect: true });
server.on('error', (error) => process.send({ code: error.code }, () => process.exit(1)));
server.listen({ host, port: Number(port), exclusive: true }, () => process.send({ bound: true }, server));
`;
/** Binds in the network of the host and hands the socket over: this process stays in its own. */
async function listenWithin(
  pid: number,
  server: Parameters<ListenAt>[0],
  at: Parameters<ListenAt>[1],
  children: ChildProcess[],
) {
  const argv = [`--target=${pid}`, '--net', '--', process.execPath, '--eval', bindProgram, at.host, String(at.port)];
  const child = spawn('nsenter', argv, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  children.push(child);
  const bound = await new Promise<NetServer>((resolve, reject) => {
    child.once('message', (said: { code?: string }, handle) =>
      handle ? resolve(handle as NetServer) : reject(Object.assign(new Error('cannot bind'), { code: said.code })),
    );
    child.once('exit', () => reject(new Error('the process that binds ended')));
  });
  await new Promise<void>((resolve) => server.listen(bound, resolve));
  child.kill('SIGKILL');
}

const outsideProgram = `
const [kind, port] = process.argv.slice(1);
if (kind === 'TCP') require('node:net').createServer((socket) => socket.end()).listen(Number(port));
else require('node:dgram').createSocket('udp4').on('message', (data) => console.log(String(data))).bind(Number(port));
`;
function startOutside(world: number, words: readonly string[]) {
  const argv = [`--target=${world}`, '--net', '--', process.execPath, '--eval', outsideProgram, ...words];
  const child = spawn('nsenter', argv, { stdio: ['ignore', 'pipe', 'inherit'] });
  let said = '';
  child.stdout.on('data', (chunk: Buffer) => {
    said += chunk.toString();
  });
  const gone = new Promise((resolve) => child.once('exit', resolve));
  return {
    async end(): Promise<string> {
      child.kill('SIGKILL');
      await gone;
      return said;
    },
  };
}
