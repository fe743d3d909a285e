import { mkdir, symlink, truncate, writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { bannerQuery, gpuQuery } from '../nvidia-smi.ts';

/**
 * Trees of machines that are not here, as their kernels would show them. The figures are those of real H200 hosts; the
 * trees hold what the adapter reads and nothing else.
 */
export interface MachineSpec {
  readonly gpus?: number;
  /** Indexes of GPUs that are on the bus and do not answer. */
  readonly silent?: readonly number[];
  /** The driver that holds the GPUs. */
  readonly driver?: string;
  readonly hasIommu?: boolean;
  readonly hasKvm?: boolean;
  readonly hasCloudLocalds?: boolean;
  readonly hasFabric?: boolean;
  readonly hasDisks?: boolean;
  /** Lines of /proc/mounts beside the root's own. */
  readonly mounts?: readonly string[];
  /** Devices that share the IOMMU group of the first GPU. */
  readonly crowded?: boolean;
  /** The GPUs are joined by a switch of NVLink. */
  readonly hasSwitch?: boolean;
  /** A virtual machine with one GPU passed through: one side, and firmware that does not say which. */
  readonly isVirtual?: boolean;
}
export interface Machine {
  readonly root: string;
  readonly gpuUuids: readonly string[];
  /** What nvidia-smi says to the adapter's questions, by their words. */
  readonly says: ReadonlyMap<string, { readonly status: number; readonly stdout: string; readonly stderr: string }>;
}

export const h200 = { model: 'NVIDIA H200', memoryMib: 143_771, driver: '580.159.04', cuda: '13.0' } as const;
const buses = [0x18, 0x2a, 0x3a, 0x5d, 0x9a, 0xab, 0xba, 0xdb];
const perSide = 4;
const hex = (value: number) => value.toString(16).padStart(2, '0');
/** The serial number of a disk, by its number. */
export const serialOf = (index: number) => `S6EUNX0R${String(index).padStart(6, '0')}`;
const diskBytes = 256 * 1_024;
export const gpuUuid = (index: number) => `GPU-${hex(index + 1).padStart(8, '0')}-5eed-4000-8000-${'0'.repeat(12)}`;

export async function growMachine(root: string, spec: MachineSpec = {}): Promise<Machine> {
  const { gpus = spec.isVirtual ? 1 : 8, silent = [], hasIommu = !spec.isVirtual } = spec;
  const hasExtras = !spec.isVirtual;
  const put = async (path: string, text: string) => {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), `${text}\n`);
  };
  const link = async (path: string, target: string) => {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await symlink(relative(dirname(join(root, path)), join(root, target)), join(root, path));
  };
  let groups = 0;
  const addDevice = async (way: string, facts: { readonly [file: string]: string }, options: DeviceOptions = {}) => {
    const at = join('sys/devices', way);
    const address = way.slice(way.lastIndexOf('/') + 1);
    for (const [file, text] of Object.entries(facts)) await put(join(at, file), text);
    await link(join('sys/bus/pci/devices', address), at);
    if (options.driver) await link(join(at, 'driver'), join('sys/bus/pci/drivers', options.driver));
    if (options.physfn) await link(join(at, 'physfn'), join('sys/devices', options.physfn));
    if (hasIommu) {
      const group = options.group ?? groups;
      if (options.group === undefined) groups += 1;
      await mkdir(join(root, 'sys/kernel/iommu_groups', String(group)), { recursive: true });
      await put(`dev/vfio/${group}`, '');
      await link(join(at, 'iommu_group'), join('sys/kernel/iommu_groups', String(group)));
    }
  };
  const addDisk = async (index: number, way: string, numaNode: string) => {
    await addDevice(way, { vendor: '0x144d', class: '0x010802', numa_node: numaNode }, { driver: 'nvme' });
    const block = `${join('sys/devices', way)}/nvme/nvme${index}/nvme${index}n1`;
    await put(join(block, 'size'), '7501476528');
    await put(join(block, 'device/serial'), serialOf(index));
    await put(`dev/nvme${index}n1`, '');
    await truncate(join(root, `dev/nvme${index}n1`), diskBytes);
    await link(`sys/block/nvme${index}n1`, block);
  };

  const rows: string[] = [];
  for (let index = 0; index < gpus; index += 1) {
    const bus = buses[index] ?? 0;
    const side = spec.isVirtual ? '-1' : String(Math.floor(index / perSide));
    const switchWay = spec.isVirtual ? 'pci0000:00' : `pci0000:${hex(bus - 3)}/0000:${hex(bus - 3)}:01.0`;
    const address = spec.isVirtual ? '0000:00:06.0' : `0000:${hex(bus)}:00.0`;
    const gpuFacts = { vendor: '0x10de', device: '0x2335', class: '0x030200', numa_node: side, reset: '' };
    await addDevice(`${switchWay}/${address}`, gpuFacts, { driver: spec.driver ?? 'nvidia' });
    if (spec.crowded && index === 0) {
      const audio = { vendor: '0x10de', class: '0x040300', numa_node: side };
      await addDevice(`${switchWay}/0000:${hex(bus)}:00.1`, audio, { group: groups - 1 });
    }
    if (hasExtras && spec.hasFabric !== false) {
      const port = `${switchWay}/0000:${hex(bus + 1)}:00.0`;
      const facts = { vendor: '0x15b3', class: '0x020700', numa_node: side };
      await addDevice(port, facts, { driver: 'mlx5_core' });
      await addDevice(port.replace(/0$/, '2'), facts, { driver: 'mlx5_core', physfn: port });
    }
    if (hasExtras && spec.hasDisks !== false) await addDisk(index + 1, `${switchWay}/0000:${hex(bus + 2)}:00.0`, side);
    if (!silent.includes(index) && (spec.driver ?? 'nvidia') === 'nvidia') {
      const cells = [gpuUuid(index), h200.model, `0000${address.toUpperCase()}`, h200.driver, h200.memoryMib];
      rows.push([...cells, index, 0, 'Disabled'].join(', '));
    }
  }
  if (spec.hasSwitch)
    await addDevice('pci0000:00/0000:07:00.0', { vendor: '0x10de', class: '0x068000', numa_node: '0' });
  // The machine's own disk, which is nobody else's.
  if (hasExtras) await addDisk(0, 'pci0000:00/0000:00:1b.0/0000:01:00.0', '0');

  const sides = spec.isVirtual ? ['0-15'] : ['0-95', '96-191'];
  const kib = spec.isVirtual ? 131_900_000 : 1_056_000_000;
  for (const [id, cpus] of sides.entries()) {
    await put(`sys/devices/system/node/node${id}/cpulist`, cpus);
    await put(`sys/devices/system/node/node${id}/meminfo`, `Node ${id} MemTotal:       ${kib} kB`);
  }
  await put('sys/devices/system/cpu/online', spec.isVirtual ? '0-15' : '0-191');
  await put('proc/meminfo', `MemTotal:       ${kib * sides.length} kB\nMemFree:        1024 kB`);
  await put('proc/cmdline', `BOOT_IMAGE=/vmlinuz root=/dev/nvme0n1p2 ro${hasIommu ? ' intel_iommu=on iommu=pt' : ''}`);
  await put('proc/sys/kernel/hostname', 'gpu-17');
  await put('proc/sys/kernel/osrelease', '6.8.0-79-generic');
  await put('proc/sys/kernel/random/boot_id', '6f1f2a54-0000-4000-8000-000000000001');
  await put('proc/swaps', 'Filename\tType\tSize\tUsed\tPriority');
  await put('proc/mounts', ['/dev/nvme0n1p2 / ext4 rw 0 0', ...(spec.mounts ?? [])].join('\n'));
  if (spec.hasKvm ?? hasExtras) await put('dev/kvm', '');
  if (spec.hasCloudLocalds ?? hasExtras) await put('usr/bin/cloud-localds', '');

  const lost = silent.length > 0 ? `Unable to determine the device handle for GPU${silent[0]}: Unknown Error\n` : '';
  const none = { status: 9, stdout: '', stderr: 'No devices were found\n' };
  const answer = { status: lost === '' ? 0 : 15, stdout: `${rows.join('\n')}\n`, stderr: lost };
  const banner = `| NVIDIA-SMI ${h200.driver}    Driver Version: ${h200.driver}    CUDA Version: ${h200.cuda}     |\n`;
  return {
    root,
    gpuUuids: rows.map((row) => row.split(',', 1)[0] ?? ''),
    says: new Map([
      [gpuQuery.join(' '), rows.length > 0 ? answer : none],
      [bannerQuery.join(' '), rows.length > 0 ? { ...answer, stdout: banner } : none],
    ]),
  };
}

interface DeviceOptions {
  readonly driver?: string;
  readonly physfn?: string;
  readonly group?: number;
}
