import { join } from 'node:path';
import type { Duplex } from 'node:stream';
import type { OciWorkload, Proof, TaskOutput, TaskParams } from '@gpuaas/contract/node';
import type { Clock } from '../../../clock.ts';
import type { Disk } from '../../../disk.ts';
import { type ConnectOrder, HostFailure, type Work } from '../../port.ts';
import { type Commands, statusMissing } from '../commands.ts';
import { stopIfCalledOff } from '../phases.ts';
import { type DialPort, dialPort, makeConnect } from './connect.ts';
import { makeEndAll, makeHaltAll, makeRelease, makeRuns, makeStop } from './ending.ts';
import { makeImages } from './images.ts';
import { makeLaunch } from './launch.ts';
import { readTail } from './logs.ts';
import { makeContainerNetwork } from './network.ts';
import { type ContainerParts, look, makeTurns, workloadOf } from './parts.ts';
import { makeContainerRecords } from './records.ts';
import { type ContainerSettings, checkContainerSettings, placesIn } from './settings.ts';
import { makeVolumes } from './volumes.ts';

/** The containers of allocations that have this host whole. */
export interface Containers {
  launch(params: TaskParams<'app.oci_launch'>, work: Work): Promise<OciWorkload>;
  stop(params: TaskParams<'app.oci_stop'>, work: Work): Promise<TaskOutput<'app.oci_stop'>>;
  list(params: TaskParams<'app.oci_status'>, work: Work): Promise<OciWorkload[]>;
  logs(params: TaskParams<'app.oci_logs'>, work: Work): Promise<TaskOutput<'app.oci_logs'>>;
  /** A connection to a port that the order of a running container names. */
  connect(order: ConnectOrder): Promise<Duplex>;
  /** Ends what runs for an allocation whose lease ran out. */
  endAll(allocationId: string): Promise<void>;
  /** Ends what runs for an allocation whose machine is stopped. Each can be launched again by the same order. */
  haltAll(allocationId: string): Promise<void>;
  /** Whether a container of an allocation runs. */
  runs(allocationId: string): Promise<boolean>;
  /** Removes everything of an allocation, and proves it. */
  release(allocationId: string, work: Work): Promise<Proof>;
  /** What keeps this host from running containers, in sentences; empty when nothing does. */
  trouble(): Promise<readonly string[]>;
  /** The rules as the records want them, after a restart of the agent or of the machine. */
  resume(): Promise<void>;
}

/** Programs that containers need, and the Debian package of each. */
const programs: readonly (readonly [program: string, from: string])[] = [
  ['podman', 'podman'],
  ['nft', 'nftables'],
  ['mkfs.ext4', 'e2fsprogs'],
  ['losetup', 'mount'],
  ['fallocate', 'util-linux'],
];

export function openContainers(order: {
  readonly folder: string;
  readonly disk: Disk;
  readonly commands: Commands;
  readonly clock: Clock;
  readonly settings: ContainerSettings;
  /** Throws for an allocation that does not live on this host as a whole. */
  readonly living: (allocationId: string) => Promise<unknown>;
  /** The GPUs of the whole host. */
  readonly gpus: () => Promise<readonly string[]>;
  /** How a port of a container is reached, where its network is not the one of this process. */
  readonly dial?: DialPort;
}): Containers {
  const { disk, clock } = order;
  const settings = checkContainerSettings(order.settings);
  const places = placesIn(join(order.folder, 'containers'));
  const commands: Commands = {
    run: (argv, limits) =>
      order.commands.run(['nsenter', `--target=${settings.namespacesOf}`, '--mount', '--net', '--', ...argv], limits),
  };
  const records = makeContainerRecords({ disk, folder: places.records });
  const common = { commands, places, settings, records };
  const missing = async () => {
    const found = await Promise.all(
      [...programs, [settings.runtime, settings.runtime] as const].map(async ([program, from]) => {
        const { status } = await commands.run([program, program === 'mkfs.ext4' ? '-V' : '--version']);
        return status === statusMissing ? [`${program} is missing: install ${from}.`] : [];
      }),
    );
    return found.flat();
  };
  const parts: ContainerParts = {
    ...{ ...common, clock, missing, living: order.living, gpus: order.gpus, turns: makeTurns() },
    images: makeImages({ ...common, clock }),
    volumes: makeVolumes(common),
    network: makeContainerNetwork(common),
  };

  return {
    launch: makeLaunch(parts),
    stop: makeStop(parts),
    endAll: makeEndAll(parts),
    haltAll: makeHaltAll(parts),
    runs: makeRuns(parts),
    release: makeRelease(parts),
    async list({ allocation_id, workload_id }, work) {
      stopIfCalledOff(work.signal);
      const record = await records.get(allocation_id);
      const wanted =
        record?.workloads.filter((one) => workload_id === undefined || one.workload_id === workload_id) ?? [];
      const workloads: OciWorkload[] = [];
      for (const one of wanted) {
        if (record) workloads.push(workloadOf(settings, record, one, await look(parts, one.workload_id)));
      }
      return workloads;
    },
    async logs({ allocation_id, workload_id, tail_lines }, work) {
      stopIfCalledOff(work.signal);
      const record = await records.get(allocation_id);
      if (!record?.workloads.some((one) => one.workload_id === workload_id)) {
        throw new HostFailure('not_found', `Allocation ${allocation_id} has no workload ${workload_id}.`);
      }
      return { simulated: false, ...(await readTail(places.log(allocation_id, workload_id), tail_lines)) };
    },
    connect: makeConnect({ settings, records, living: order.living, dial: order.dial ?? dialPort }),
    async trouble() {
      if (settings.registries.length === 0) {
        return ['No registry is allowed for containers: set GPUAAS_OCI_REGISTRIES.'];
      }
      return missing();
    },
    async resume() {
      if ((await records.all()).length > 0) await parts.network.reconcile();
    },
  };
}
