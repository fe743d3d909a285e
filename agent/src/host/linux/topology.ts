import type { HostTopology, SlotCandidate } from '@gpuaas/contract/node';
import { type Commands, systemPath } from './commands.ts';
import { type GpuQuery, type GpuReading, queryGpus, readCudaVersion } from './nvidia-smi.ts';
import {
  countList,
  isThere,
  mebibytesIn,
  type NvmeDisk,
  namesIn,
  type PciDevice,
  readNumaNodes,
  readNvmeDisks,
  readPciDevices,
  readText,
} from './sysfs.ts';

/**
 * What this machine is made of: each GPU that the driver answers for, with the fabric function and the disk that are
 * nearest to it on its own side. A look changes nothing, and what it finds missing it says in sentences.
 */
const nvidia = '10de';
const mellanox = '15b3';
const isGpu = ({ vendor, class: kind }: PciDevice) => vendor === nvidia && /^030[02]/.test(kind);
const isFabricFunction = ({ vendor, class: kind, isVirtualFunction }: PciDevice) =>
  vendor === mellanox && kind.startsWith('02') && isVirtualFunction;
/** A switch of NVLink: what is joined by it reaches the memory of the others, past the IOMMU. */
const isSwitch = ({ vendor, class: kind }: PciDevice) => vendor === nvidia && kind.startsWith('0680');
const isBridge = ({ class: kind }: PciDevice) => kind.startsWith('0604');
const mostSlots = 64;
const mostBlockers = 50;
const mostIn = { slot: 20, args: 20, argLetters: 100, sentence: 200 };
const sentence = (text: string) => text.slice(0, mostIn.sentence);

/** What discovery asks of the part that makes slices; without it a host is rented out whole. */
export interface SliceView {
  readonly approvedDisks: readonly string[];
  /** All GPUs, also those that are handed through. */
  complete(look: GpuQuery): Promise<GpuReading[]>;
  names(slotIndex: number): Promise<{ readonly mac: string; readonly address: string }>;
  /** What keeps the host from making slices, beside what is read here. */
  trouble(): Promise<string[]>;
}
const noSlices = 'It is rented out whole: no disk is approved for slices. Name serial numbers in GPUAAS_SLICE_DISKS.';

/** What discovery asks of the part that runs containers. */
export interface ContainerView {
  trouble(): Promise<readonly string[]>;
}
const noContainers = 'It was not asked: only the agent itself knows its settings for containers.';

export async function discoverTopology(
  root: string,
  commands: Commands,
  slices?: SliceView,
  containers?: ContainerView,
): Promise<HostTopology> {
  const [seen, devices, disks, numaNodes, groups, prerequisites] = await Promise.all([
    queryGpus(commands),
    readPciDevices(root),
    readNvmeDisks(root),
    readNumaNodes(root),
    namesIn(root, 'sys/kernel/iommu_groups'),
    readPrerequisites(root),
  ]);
  const look = slices ? { ...seen, gpus: await slices.complete(seen) } : seen;
  const candidates = makeSlots({
    look,
    devices,
    disks,
    sides: numaNodes.map(({ id }) => id),
    approved: slices?.approvedDisks,
  });
  for (const slot of candidates) {
    const names = await slices?.names(slot.slot_index);
    if (names) Object.assign(slot, { mac_address: names.mac, private_ip: names.address });
  }
  const blockers = [
    ...(slices ? await slices.trouble() : [noSlices]),
    ...findBlockers({ look, devices, groups: groups.length, prerequisites }),
  ].map(sentence);
  const [lack] = (await containers?.trouble()) ?? [noContainers];
  const cuda = seen.gpus.length > 0 ? await readCudaVersion(commands) : undefined;
  const cpus = countList(await readText(root, 'sys/devices/system/cpu/online'));
  return {
    hostname: (await readText(root, 'proc/sys/kernel/hostname')).slice(0, 253),
    simulated: false,
    kernel: (await readText(root, 'proc/sys/kernel/osrelease')).slice(0, 200),
    cpu_count: Math.max(1, cpus),
    memory_mib: Math.max(1, mebibytesIn(await readText(root, 'proc/meminfo'))),
    numa_nodes: numaNodes.map(({ id, cpus, memoryMib }) => ({ id, cpus: cpus.slice(0, 500), memory_mib: memoryMib })),
    driver_version: look.driverVersion ?? null,
    cuda_version: cuda ?? null,
    slots: candidates,
    capabilities: [
      { ability: 'slices', able: blockers.length === 0, why_not: blockers[0] ?? null },
      { ability: 'oci', able: lack === undefined, why_not: lack === undefined ? null : sentence(lack) },
      { ability: 'reimage', able: false, why_not: 'The agent images no disks of the machine that it runs on.' },
      { ability: 'partitions', able: false, why_not: 'The agent does not manage NVSwitch partitions yet.' },
      { ability: 'fabric', able: false, why_not: 'The agent hands no fabric function through yet.' },
      { ability: 'ssh_certificates', able: true, why_not: null },
    ],
    prerequisites: { ...prerequisites, iommu_group_count: groups.length },
    blockers: blockers.slice(0, mostBlockers),
  };
}

async function readPrerequisites(root: string) {
  const cmdline = (await readText(root, 'proc/cmdline')).split(/\s+/);
  const folders = systemPath.split(':');
  const found = await Promise.all(folders.map((folder) => isThere(root, `${folder}/cloud-localds`)));
  return {
    kvm_available: await isThere(root, 'dev/kvm'),
    iommu_kernel_args: cmdline
      .filter((word) => /iommu/.test(word))
      .slice(0, mostIn.args)
      .map((word) => word.slice(0, mostIn.argLetters)),
    cloud_localds_available: found.includes(true),
  };
}

function findBlockers(seen: {
  readonly look: GpuQuery;
  readonly devices: readonly PciDevice[];
  readonly groups: number;
  readonly prerequisites: Awaited<ReturnType<typeof readPrerequisites>>;
}): string[] {
  const { look, devices, groups, prerequisites } = seen;
  const onBus = devices.filter(isGpu);
  const answering = new Set(look.gpus.map(({ pciAddress }) => pciAddress));
  const silent = onBus.filter(({ address }) => !answering.has(address));
  return [
    ...(onBus.length === 0 ? ['There is no GPU of NVIDIA on the PCI bus.'] : []),
    ...devices
      .filter(isSwitch)
      .slice(0, 1)
      .map(
        ({ address }) =>
          `The NVSwitch at ${address} joins the GPUs, and the agent does not manage its partitions: slices would reach each other. Let the host whole.`,
      ),
    ...(onBus.length > 0 && !look.answers.passed ? [look.answers.detail] : []),
    ...silent.map(({ address, driver }) =>
      driver === undefined || driver === 'nvidia'
        ? `The GPU at ${address} is on the bus, and the driver does not answer for it.`
        : `The GPU at ${address} is held by ${driver}, so its UUID cannot be read.`,
    ),
    ...(groups === 0
      ? [
          prerequisites.iommu_kernel_args.length === 0
            ? 'The IOMMU is off: there are no groups. Enable it in the firmware and boot with intel_iommu=on or amd_iommu=on.'
            : 'The IOMMU is asked for on the kernel’s command line and has no groups: enable it in the firmware.',
        ]
      : []),
    ...(prerequisites.kvm_available
      ? []
      : ['/dev/kvm is missing: virtualization is off, or the module is not loaded.']),
  ];
}

function makeSlots(seen: {
  readonly look: GpuQuery;
  readonly devices: readonly PciDevice[];
  readonly disks: readonly NvmeDisk[];
  readonly sides: readonly number[];
  readonly approved: readonly string[] | undefined;
}): SlotCandidate[] {
  const byAddress = new Map(seen.devices.map((device) => [device.address, device]));
  const gpus = seen.look.gpus.slice(0, mostSlots).map((reading) => {
    const device = byAddress.get(reading.pciAddress);
    // The firmware may name a side that the kernel does not have.
    const side = device && seen.sides.includes(device.numaNode) ? device.numaNode : -1;
    return { reading, device, side };
  });
  const places = gpus.map(({ device, side }) => ({ way: device?.way ?? [], side }));
  const fabric = seen.devices.filter(isFabricFunction);
  const functions = pairNearest(
    places,
    fabric.map(({ way, numaNode }) => ({ way, side: numaNode })),
  );
  const placed = seen.disks.map((disk) => ({ ...disk, at: byAddress.get(disk.address ?? '') }));
  // What is on a disk that was approved for slices is a tenant's, or the operator's who gave it away.
  const isOffered = ({ serial, held, use }: NvmeDisk) =>
    seen.approved === undefined ? use === undefined : seen.approved.includes(serial ?? '') && held === undefined;
  const free = placed.filter(isOffered);
  const disks = pairNearest(
    places,
    free.map(({ at }) => ({ way: at?.way ?? [], side: at?.numaNode ?? -1 })),
  );
  return gpus.map(({ reading, device, side }, index) => {
    const disk = free[disks[index] ?? -1];
    const taken = placed.filter((disk) => !isOffered(disk) && sameSide(side, disk.at?.numaNode ?? -1));
    return {
      slot_index: index,
      gpu_uuid: reading.uuid,
      gpu_model: reading.model,
      gpu_memory_mib: reading.memoryMib,
      pci_address: reading.pciAddress,
      fabric_vf_pci_address: fabric[functions[index] ?? -1]?.address ?? null,
      nvme_device: disk?.device ?? null,
      mac_address: null,
      private_ip: null,
      numa_node: side,
      blockers: [
        ...blockersOf(reading, device, seen.devices),
        ...(fabric[functions[index] ?? -1] ? [] : ['No free fabric function is on its side.']),
        ...(disk ? [] : [`No free NVMe disk is on its side${taken.map(sayTaken).join('')}.`]),
      ]
        .map(sentence)
        .slice(0, mostIn.slot),
    };
  });
}

const sayTaken = ({ device, serial, use }: NvmeDisk) =>
  `; ${device} ${use ?? `(${serial ?? 'no serial'}) is not approved`}`;

function blockersOf(reading: GpuReading, device: PciDevice | undefined, devices: readonly PciDevice[]): string[] {
  if (!device) return [`The kernel has no device at ${reading.pciAddress}.`];
  const { iommuGroup } = device;
  const neighbours = devices.filter(
    (other) => iommuGroup !== undefined && other.iommuGroup === iommuGroup && other !== device && !isBridge(other),
  );
  return [
    ...(iommuGroup === undefined ? ['The GPU is in no IOMMU group.'] : []),
    ...(neighbours.length > 0
      ? [`The GPU shares IOMMU group ${iommuGroup} with ${neighbours.map(({ address }) => address).join(', ')}.`]
      : []),
    ...(reading.isPartitioned ? ['The GPU is partitioned (MIG); it can only be given away whole.'] : []),
    ...((reading.uncorrectedErrors ?? 0) > 0
      ? [`The GPU has counted ${reading.uncorrectedErrors} memory errors that could not be corrected.`]
      : []),
  ];
}

interface Place {
  readonly way: readonly string[];
  readonly side: number;
}
const sameSide = (a: number, b: number) => a === b || a === -1 || b === -1;

/** For each place the index of what is nearest to it and nobody else's, on the same side; the nearest pairs first. */
function pairNearest(places: readonly Place[], offers: readonly Place[]): (number | undefined)[] {
  const pairs = places.flatMap((place, index) =>
    offers.flatMap((offer, at) =>
      sameSide(place.side, offer.side) ? [{ index, at, common: stepsInCommon(place.way, offer.way) }] : [],
    ),
  );
  pairs.sort((a, b) => b.common - a.common || a.index - b.index || a.at - b.at);
  const found: (number | undefined)[] = places.map(() => undefined);
  const taken = new Set<number>();
  for (const { index, at } of pairs) {
    if (found[index] !== undefined || taken.has(at)) continue;
    found[index] = at;
    taken.add(at);
  }
  return found;
}

function stepsInCommon(a: readonly string[], b: readonly string[]): number {
  let count = 0;
  while (count < a.length && a[count] === b[count]) count += 1;
  return count;
}
