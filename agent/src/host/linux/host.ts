import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { type NodeTaskType, nodeTaskKinds, type TaskParams } from '@gpuaas/contract/node';
import type { TSchema } from 'typebox';
import { Compile, type Validator } from 'typebox/compile';
import type { Clock } from '../../clock.ts';
import { type Disk, makeDisk } from '../../disk.ts';
import { type Host, HostFailure, type Work } from '../port.ts';
import { makeAccounts } from './accounts.ts';
import { makeAttest } from './attestation.ts';
import { type Commands, makeCommands } from './commands.ts';
import { makeDisposal } from './removal/disposal.ts';
import { makeMounts } from './removal/mounts.ts';
import { type Processes, readProcesses } from './removal/processes.ts';
import { keysFolder, makeKeyFile } from './ssh/authorized-keys.ts';
import { makeShells } from './ssh/shells.ts';
import { ownAddress, type SshDoor } from './ssh/ssh.ts';
import { readText } from './sysfs.ts';
import { makeTenancies } from './tenancies.ts';
import { discoverTopology } from './topology.ts';
import { makeWatch } from './watch.ts';
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
  const watch = makeWatch({ root: order.busRoot ?? root, homes, commands, kernelLog, door, clock });
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
    bootId: order.bootId ?? (() => readText(root, 'proc/sys/kernel/random/boot_id')),
    graceMs,
    patienceMs,
  });
  const refuse = async (): Promise<never> => {
    throw new HostFailure('not_supported', 'This host is given away whole; it makes no machines and images no disks.');
  };

  return {
    kind: 'linux',
    topology: () => discoverTopology(root, commands),
    health: () => watch.health(),
    provisionSlice: refuse,
    releaseSlice: refuse,
    reimage: refuse,
    provisionUser: checked('allocation.provision_user', wholeNode.provision),
    revokeUser: checked('allocation.revoke_user', wholeNode.revoke),
    installKeys: checked('allocation.install_authorized_keys', wholeNode.installKeys),
    attest: checked('allocation.attest', wholeNode.attest),
    restart: checked('allocation.restart', wholeNode.restart),
    endRuntime: wholeNode.endRuntime,
    runtimes: wholeNode.runtimes,
    async gpusOf(allocationId) {
      const here = (await wholeNode.runtimes()).some((runtime) => runtime.allocationId === allocationId);
      return here ? watch.gpusOnBus() : [];
    },
    conditions: () => watch.conditions(),
    async utilization() {
      const { gpus } = (await watch.gpus('recent')).look;
      const loads = gpus.flatMap(({ utilization }) => utilization ?? []);
      return loads.length === gpus.length && loads.length > 0 ? loads : undefined;
    },
    // Slices, and with them their images, are not made here yet.
    images: async () => undefined,
    async openShell(shell) {
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
    close: () => shells.close(),
  };
}

/**
 * The agent has checked params before it writes a task down. Here, in front of programs that run as root, they are
 * checked once more: a caller that forgot is a bug of ours, and nothing is done for it.
 */
function checked<T extends NodeTaskType, R>(
  type: T,
  run: (params: TaskParams<T>, work: Work) => Promise<R>,
): (params: TaskParams<T>, work: Work) => Promise<R> {
  const schema = Compile(nodeTaskKinds[type].params as TSchema) as unknown as Validator;
  return async (params, work) => {
    if (!schema.Check(params)) throw new TypeError(`These are not params of ${type}.`);
    return run(params, work);
  };
}
