import { access, readdir, readFile, readlink, realpath } from 'node:fs/promises';
import { basename, join, relative } from 'node:path';

/**
 * What the kernel says about the machine, read below a folder that stands for `/`, so that the same code reads this
 * machine and the trees of machines that a test grows. What is missing is empty, never an error: every kernel leaves
 * something out.
 */
export interface PciDevice {
  readonly address: string;
  readonly vendor: string;
  /** Six digits: class, subclass, interface. */
  readonly class: string;
  /** -1 when the firmware does not say. */
  readonly numaNode: number;
  readonly driver: string | undefined;
  readonly iommuGroup: string | undefined;
  /** The way to it over bridges and switches: two devices with a long way in common are near each other. */
  readonly way: readonly string[];
  readonly isVirtualFunction: boolean;
}
export interface NvmeDisk {
  readonly device: string;
  readonly address: string | undefined;
  /** The controller's, which all its namespaces have in common. */
  readonly serial: string | undefined;
  /** Which namespace of its controller it is. */
  readonly namespace: number;
  /** Other namespaces of its controller. Erasing one may erase them all. */
  readonly siblings: readonly string[];
  /** What of this host uses it now, as the end of a sentence: "is mounted at /". */
  readonly held: string | undefined;
  /** Why it cannot be given away to anybody unasked: it is held, or there is something on it. */
  readonly use: string | undefined;
}
export interface NumaNode {
  readonly id: number;
  readonly cpus: string;
  readonly memoryMib: number;
}

const pciAddress = /^[0-9a-f]{4,8}:[0-9a-f]{2}:[0-9a-f]{2}\.[0-7]$/;

export const readText = (root: string, path: string): Promise<string> =>
  readFile(join(root, path), 'utf8').then(
    (text) => text.trim(),
    () => '',
  );
export const namesIn = (root: string, path: string): Promise<string[]> =>
  readdir(join(root, path)).then(
    (names) => names.sort(),
    () => [],
  );
export const isThere = (root: string, path: string): Promise<boolean> =>
  access(join(root, path)).then(
    () => true,
    () => false,
  );
const linkName = (path: string): Promise<string | undefined> => readlink(path).then(basename, () => undefined);

async function wayTo(root: string, path: string): Promise<string[]> {
  const real = await realpath(join(root, path)).catch(() => '');
  return real === '' ? [] : relative(await realpath(root), real).split('/');
}

export async function readPciDevices(root: string): Promise<PciDevice[]> {
  const folder = 'sys/bus/pci/devices';
  const addresses = (await namesIn(root, folder)).filter((name) => pciAddress.test(name));
  return Promise.all(
    addresses.map(async (address) => {
      const at = join(folder, address);
      return {
        address,
        vendor: (await readText(root, join(at, 'vendor'))).replace(/^0x/, ''),
        class: (await readText(root, join(at, 'class'))).replace(/^0x/, ''),
        numaNode: wholeNumber(await readText(root, join(at, 'numa_node'))) ?? -1,
        driver: await linkName(join(root, at, 'driver')),
        iommuGroup: await linkName(join(root, at, 'iommu_group')),
        way: await wayTo(root, at),
        isVirtualFunction: await isThere(root, join(at, 'physfn')),
      };
    }),
  );
}

export async function readNvmeDisks(root: string): Promise<NvmeDisk[]> {
  const names = (await namesIn(root, 'sys/block')).filter((name) => /^nvme\d+n\d+$/.test(name));
  const mounts = (await readText(root, 'proc/mounts')).split('\n').map((line) => line.split(' '));
  const swaps = (await readText(root, 'proc/swaps')).split('\n').map((line) => line.split(/\s+/)[0] ?? '');
  const serials = await Promise.all(names.map((name) => readText(root, join('sys/block', name, 'device/serial'))));
  return Promise.all(
    names.map(async (name, index) => {
      const device = `/dev/${name}`;
      const serial = serials[index] ?? '';
      const isSibling = (other: string, at: number) =>
        other !== name && (controllerOf(other) === controllerOf(name) || (serial !== '' && serials[at] === serial));
      const isPartOf = (source: string) =>
        source === device || (source.startsWith(`${device}p`) && /^\d+$/.test(source.slice(device.length + 1)));
      const mounted = mounts.find(([source = '']) => isPartOf(source));
      const parts = (await namesIn(root, join('sys/block', name))).filter((part) => isPartOf(`/dev/${part}`));
      const holders = await Promise.all(
        [name, ...parts.map((part) => join(name, part))].map((at) => namesIn(root, join('sys/block', at, 'holders'))),
      );
      const held = mounted
        ? `is mounted at ${mounted[1] ?? '?'}`
        : swaps.some(isPartOf)
          ? 'is used for swapping'
          : holders.flat().length > 0
            ? `is part of ${holders.flat().join(', ')}`
            : undefined;
      return {
        device,
        address: await addressOfDisk(root, name),
        serial: serial === '' ? undefined : serial,
        namespace: Number(/\d+$/.exec(name)?.[0]),
        siblings: names.filter(isSibling).map((other) => `/dev/${other}`),
        held,
        use: held ?? (parts.length > 0 ? 'has partitions' : undefined),
      };
    }),
  );
}

const controllerOf = (name: string) => name.replace(/n\d+$/, '');

/** A disk that may have several ways to it hangs below none of them; then its controller tells where it is. */
async function addressOfDisk(root: string, name: string): Promise<string | undefined> {
  const controller = controllerOf(name);
  for (const path of [join('sys/block', name), join('sys/class/nvme', controller)]) {
    const found = (await wayTo(root, path)).findLast((step) => pciAddress.test(step));
    if (found !== undefined) return found;
  }
  return undefined;
}

export async function readNumaNodes(root: string): Promise<NumaNode[]> {
  const folder = 'sys/devices/system/node';
  const ids = (await namesIn(root, folder)).flatMap((name) => /^node(\d+)$/.exec(name)?.[1] ?? []).map(Number);
  ids.sort((a, b) => a - b);
  return Promise.all(
    ids.map(async (id) => ({
      id,
      cpus: await readText(root, join(folder, `node${id}`, 'cpulist')),
      memoryMib: mebibytesIn(await readText(root, join(folder, `node${id}`, 'meminfo'))),
    })),
  );
}

/** "MemTotal: 123 kB", as the kernel writes it for the machine and for each side of it. */
export const mebibytesIn = (meminfo: string): number =>
  Math.floor(Number(/MemTotal:\s*(\d+) kB/.exec(meminfo)?.[1] ?? 0) / 1_024);

/** How many there are in a list such as "0-63,128-191". */
export function countList(list: string): number {
  let count = 0;
  for (const [, from, to] of list.matchAll(/(\d+)(?:-(\d+))?/g)) count += Number(to ?? from) - Number(from) + 1;
  return count;
}

const wholeNumber = (text: string): number | undefined => (/^-?\d+$/.test(text) ? Number(text) : undefined);
