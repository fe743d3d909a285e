import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '../../clock.ts';
import { type Disk, makeDisk } from '../../disk.ts';
import { openForward } from '../forward.ts';
import { type Host, HostFailure } from '../port.ts';
import { connectStream } from '../stream.ts';
import { makeAccounts } from './accounts.ts';
import { makeAttest } from './attestation.ts';
import { checked } from './checked.ts';
import { type Commands, makeCommands } from './commands.ts';
import type { DialPort } from './containers/connect.ts';
import { containerMethods } from './containers/methods.ts';
import { type Containers, openContainers } from './containers/open.ts';
import { type ContainerSettings, usualContainers } from './containers/settings.ts';
import { makeGpuInventory } from './gpu-inventory.ts';
import { makeMeasure } from './measure/measure.ts';
import { makeDisposal } from './removal/disposal.ts';
import { makeMounts } from './removal/mounts.ts';
import { type Processes, readProcesses } from './removal/processes.ts';
import { makeSerialConsoles } from './serial-console.ts';
import type { WriteKernel } from './slices/devices.ts';
import { openSlices, type SliceHost } from './slices/open.ts';
import type { ListenAt } from './slices/reports/listen.ts';
import type { SliceSettings } from './slices/settings.ts';
import { keysFolder, makeKeyFile } from './ssh/authorized-keys.ts';
import { makeShells, type Shells } from './ssh/shells.ts';
import { ownAddress, type SshDoor } from './ssh/ssh.ts';
import { readText } from './sysfs.ts';
import { makeTenancies } from './tenancies.ts';
import { discoverTopology } from './topology.ts';
import { makeWatch, type Watch } from './watch.ts';
import { makeWholeNode } from './whole-node.ts';
import { type KernelLog, makeJournalLog } from './xids.ts';

/** The machine that the agent runs on, or one that a test has put below a folder. */
export interface LinuxHostOrder {
  /** Where the host writes down whose it is. */
  readonly folder: string;
  readonly clock: Clock;
  /** What stands for `/` when the system is read. */
  readonly root?: string;
  /** Where `sys/bus/pci` is; below the root, if it is not said. */
  readonly busRoot?: string;
  readonly homes?: string;
  /** Where the keys of tenants are, for sshd. */
  readonly keysFolder?: string;
  /** The settings of the sshd that tenants meet, when it is not the machine's own. */
  readonly sshdConfig?: string;
  readonly commands?: Commands;
  readonly disk?: Disk;
  readonly processes?: Processes;
  readonly kernelLog?: KernelLog;
  readonly door?: Partial<SshDoor>;
  readonly bootId?: () => Promise<string>;
  readonly graceMs?: number;
  readonly patienceMs?: number;
  /** How the host makes slices. Without it, or without an approved disk, it is rented out whole. */
  readonly slices?: SliceSettings;
  /** How the host runs containers. Without an allowed registry it runs none. */
  readonly containers?: ContainerSettings;
  /** How a port of a container is reached, when its network is not the one of this process. */
  readonly dialContainer?: DialPort;
  /** How the agent orders the kernel to move devices between drivers. */
  readonly writeKernel?: WriteKernel;
  /** How the door for reports of machines is bound to the bridge. */
  readonly listenForGuests?: ListenAt;
}

const usual = { port: 22, graceMs: 5_000, patienceMs: 120_000 };

export async function openLinuxHost(order: LinuxHostOrder): Promise<Host> {
  const { clock, root = '/', homes = '/home', commands = makeCommands() } = order;
  const { graceMs = usual.graceMs, patienceMs = usual.patienceMs } = order;
  const isRoot = process.getuid?.() === 0;
  const door = { address: order.door?.address ?? ownAddress(), port: order.door?.port ?? usual.port };
  await mkdir(homes, { recursive: true });
  const mounts = makeMounts({ commands });
  const disposal = makeDisposal({ commands, mounts });
  const accounts = makeAccounts({ root, homes, commands, isRoot, disposal });
  const disk = order.disk ?? makeDisk({ forced: true });
  const folder = join(order.folder, 'tenancies');
  await disk.sweep(folder);
  const kernelLog = order.kernelLog ?? makeJournalLog(commands);
  const inventory = makeGpuInventory({ disk, folder: order.folder, root: order.busRoot ?? root });
  const watch = makeWatch({ root: order.busRoot ?? root, homes, commands, kernelLog, door, clock, inventory });
  const measure = makeMeasure({ root, homes, commands, kernelLog, elapsedMs: () => performance.now() });
  const shells = makeShells({ isRoot });
  const wholeNode = makeWholeNode({
    root,
    homes,
    commands,
    clock,
    accounts,
    keyFile: makeKeyFile({
      folder: order.keysFolder ?? join(root, keysFolder),
      commands,
      ...(order.sshdConfig !== undefined && { sshdConfig: order.sshdConfig }),
    }),
    disposal,
    mounts,
    processes: order.processes ?? readProcesses({ commands }),
    tenancies: makeTenancies({ disk, folder }),
    shells,
    watch,
    attest: makeAttest({ root, commands, accounts, watch, door, clock, isRoot }),
    door,
    slices: async () => (await sliceHost?.slices.runtimes()) ?? [],
    bootId: order.bootId ?? (() => readText(root, 'proc/sys/kernel/random/boot_id')),
    graceMs,
    patienceMs,
  });
  const sliceHost: SliceHost | undefined =
    order.slices && order.slices.approvedDisks.length > 0
      ? openSlices({
          ...{ root, commands, clock, disk, door, inventory, settings: order.slices },
          folder: order.folder,
          wholeNode: () => wholeNode.runtimes(),
          ...(order.writeKernel && { writeKernel: order.writeKernel }),
          ...(order.listenForGuests && { listen: order.listenForGuests }),
        })
      : undefined;
  await sliceHost?.slices.resume();
  const consoles = makeSerialConsoles({ disk, machines: async () => (await sliceHost?.slices.consoles()) ?? [] });
  const containers = openContainers({
    ...{ folder: order.folder, disk, commands, clock, settings: order.containers ?? usualContainers },
    living: wholeNode.livingOf,
    gpus: watch.gpusOnBus,
    ...(order.dialContainer && { dial: order.dialContainer }),
  });
  await containers.resume();
  return joinHost({ measure, root, commands, watch, wholeNode, shells, door, sliceHost, consoles, containers });
}

const refuse = async (): Promise<never> => {
  throw new HostFailure('not_supported', 'This host is rented out whole; it makes no machines and images no disks.');
};

interface HostSides {
  readonly root: string;
  readonly commands: Commands;
  readonly watch: Watch;
  readonly wholeNode: ReturnType<typeof makeWholeNode>;
  readonly shells: Shells;
  readonly door: SshDoor;
  readonly measure: ReturnType<typeof makeMeasure>;
  readonly sliceHost: SliceHost | undefined;
  readonly consoles: Host['consoles'];
  readonly containers: Containers;
}

/** One host of its two sides: the login of the whole machine, and slices. Whose an allocation is, its record says. */
function joinHost(parts: HostSides): Host {
  const { watch, wholeNode, sliceHost, containers } = parts;
  const slices = sliceHost?.slices;
  /** The slices, if the allocation is one of them. */
  const sliceOf = async (allocationId: string) => ((await slices?.has(allocationId)) ? slices : undefined);
  return {
    kind: 'linux',
    ...containerMethods(containers, async (allocationId) => (await sliceOf(allocationId)) !== undefined),
    topology: () => discoverTopology(parts.root, parts.commands, sliceHost?.view, containers),
    health: () => watch.health(),
    provisionSlice: slices ? checked('slice.vm_provision', slices.provisionSlice) : refuse,
    releaseSlice: slices ? checked('slice.vm_release', slices.releaseSlice) : refuse,
    reimage: refuse,
    provisionUser: checked('allocation.provision_user', wholeNode.provision),
    revokeUser: checked('allocation.revoke_user', async (params, work) => {
      const containers_removed = await containers.release(params.allocation_id, work);
      return { ...(await wholeNode.revoke(params, work)), containers_removed };
    }),
    installKeys: checked('allocation.install_authorized_keys', async (params, work) =>
      ((await sliceOf(params.allocation_id)) ?? wholeNode).installKeys(params, work),
    ),
    attest: checked('allocation.attest', async (params, work) =>
      ((await sliceOf(params.allocation_id)) ?? wholeNode).attest(params, work),
    ),
    restart: checked('allocation.restart', async (params, work) =>
      ((await sliceOf(params.allocation_id)) ?? wholeNode).restart(params, work),
    ),
    stop: checked('allocation.stop', async (params, work) => {
      // The login does not wait for containers, as when a lease ends.
      const [stopped, containersEnded] = await Promise.allSettled([
        ((await sliceOf(params.allocation_id)) ?? wholeNode).stop(params, work),
        containers.haltAll(params.allocation_id),
      ]);
      if (stopped.status === 'rejected') throw stopped.reason;
      if (containersEnded.status === 'rejected') throw containersEnded.reason;
      // One that was launched before the login was closed has had its turn by now.
      await containers.haltAll(params.allocation_id);
      return stopped.value;
    }),
    start: checked('allocation.start', async (params, work) =>
      ((await sliceOf(params.allocation_id)) ?? wholeNode).start(params, work),
    ),
    async endRuntime(allocationId) {
      // The login never waits for containers: one that hangs would keep it open beyond its lease.
      const ended = await Promise.allSettled([
        ((await sliceOf(allocationId)) ?? wholeNode).endRuntime(allocationId),
        containers.endAll(allocationId),
      ]);
      const failed = ended.find((one) => one.status === 'rejected');
      if (failed) throw failed.reason;
    },
    runtimes: async () => [...(await wholeNode.runtimes()), ...((await slices?.runtimes()) ?? [])],
    async gpusOf(allocationId) {
      const slice = await sliceOf(allocationId);
      if (slice) return slice.gpusOf(allocationId);
      // A container may run on for a moment after the login was closed: what computes is charged.
      const here = (await wholeNode.holds(allocationId)) || (await containers.runs(allocationId));
      return here ? watch.gpusOnBus() : [];
    },
    conditions: () => watch.conditions(),
    async utilization() {
      const { gpus } = (await watch.gpus('recent')).look;
      const loads = gpus.flatMap(({ utilization }) => utilization ?? []);
      return loads.length === gpus.length && loads.length > 0 ? loads : undefined;
    },
    samples: async () => [await parts.measure(), ...((await slices?.samples()) ?? [])],
    consoles: parts.consoles,
    images: async () => sliceHost?.images.list(),
    ...logins(parts, sliceOf),
    async close() {
      await parts.shells.close();
      await slices?.close();
    },
  };
}

/** Terminals and connections of a person: into the machine of a slice, or as the login of the whole machine. */
function logins(
  { wholeNode, shells, door }: Pick<HostSides, 'wholeNode' | 'shells' | 'door'>,
  sliceOf: (allocationId: string) => Promise<SliceHost['slices'] | undefined>,
): Pick<Host, 'openShell' | 'openStream'> {
  return {
    async openShell(shell) {
      const slice = await sliceOf(shell.allocationId);
      if (slice) return slice.openShell(shell);
      const { account } = await wholeNode.livingOf(shell.allocationId);
      if (account.name !== shell.username) throw new HostFailure('not_found', `There is no user ${shell.username}.`);
      const opened = await shells.open(shell, account);
      // The lease may have ended while the terminal was made.
      await wholeNode.livingOf(shell.allocationId).catch((error: unknown) => {
        opened.kill();
        throw error;
      });
      return opened;
    },
    async openStream(order) {
      const { allocationId, username, to } = order;
      const slice = await sliceOf(allocationId);
      if (slice) return slice.openStream(order);
      const { account } = await wholeNode.livingOf(allocationId);
      if (account.name !== username) throw new HostFailure('not_found', `There is no user ${username}.`);
      const opened = to.kind === 'ssh' ? await connectStream({ ...door, what: 'sshd' }) : openForward(to.port);
      // The lease may have ended while the connection was made.
      await wholeNode.livingOf(allocationId).catch((error: unknown) => {
        opened.kill();
        throw error;
      });
      return opened;
    },
  };
}
