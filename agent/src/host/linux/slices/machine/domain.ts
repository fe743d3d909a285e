import { type Element, element, render } from './xml.ts';

/** The machine of a slice, as libvirt gets it. */
export interface Machine {
  /** The id of the allocation: libvirt allows each once, so no allocation has two machines. */
  readonly uuid: string;
  readonly name: string;
  readonly vcpus: number;
  readonly memoryMib: number;
  /** The side of the machine on which everything of it lies; undefined where the firmware does not say. */
  readonly side: { readonly id: number; readonly cpus: string } | undefined;
  readonly hugePages: boolean;
  /** Block devices; the first holds the system. */
  readonly disks: readonly string[];
  readonly seed: string;
  readonly network: { readonly bridge: string; readonly tap: string; readonly mac: string };
  /** PCI addresses of what is handed through. */
  readonly devices: readonly string[];
  readonly serialLog: string;
}

export const describeMachine = (machine: Machine): string => `${render(domainOf(machine))}\n`;

/**
 * A machine with the processor of the host, no graphics, and nothing shared but the bridge. Firmware is UEFI: the memory of a GPU
 * is larger than what a BIOS can map. Disks are the devices themselves, without a format in between.
 */
function domainOf(machine: Machine): Element {
  const { side } = machine;
  return element(
    'domain',
    { type: 'kvm' },
    element('name', {}, machine.name),
    element('uuid', {}, machine.uuid),
    element('memory', { unit: 'MiB' }, String(machine.memoryMib)),
    machine.hugePages ? element('memoryBacking', {}, element('hugepages')) : undefined,
    element('vcpu', { placement: 'static', cpuset: side?.cpus }, String(machine.vcpus)),
    side && element('numatune', {}, element('memory', { mode: 'strict', nodeset: side.id })),
    element(
      'os',
      { firmware: 'efi' },
      element('type', { arch: 'x86_64', machine: 'q35' }, 'hvm'),
      element('firmware', {}, element('feature', { enabled: 'no', name: 'secure-boot' })),
      element('boot', { dev: 'hd' }),
    ),
    element('features', {}, element('acpi'), element('apic')),
    element('cpu', { mode: 'host-passthrough' }),
    element('clock', { offset: 'utc' }),
    element('on_poweroff', {}, 'destroy'),
    element('on_reboot', {}, 'restart'),
    element('on_crash', {}, 'destroy'),
    element(
      'devices',
      {},
      ...machine.disks.map((device, index) => diskOf(device, index)),
      seedOf(machine.seed, machine.disks.length),
      networkOf(machine.network),
      ...machine.devices.map(passedThrough),
      element(
        'serial',
        { type: 'file' },
        element('source', { path: machine.serialLog, append: 'on' }),
        element('target', { port: 0 }),
      ),
      element('rng', { model: 'virtio' }, element('backend', { model: 'random' }, '/dev/urandom')),
      element('memballoon', { model: 'none' }),
    ),
  );
}

const letter = (index: number) => String.fromCharCode('a'.charCodeAt(0) + index);

const diskOf = (device: string, index: number): Element =>
  element(
    'disk',
    { type: 'block', device: 'disk' },
    element('driver', { name: 'qemu', type: 'raw', cache: 'none', discard: 'unmap' }),
    element('source', { dev: device }),
    element('target', { dev: `vd${letter(index)}`, bus: 'virtio' }),
  );

/** Not a CD: the kernels of cloud images have no driver for one. */
const seedOf = (path: string, index: number): Element =>
  element(
    'disk',
    { type: 'file', device: 'disk' },
    element('driver', { name: 'qemu', type: 'raw' }),
    element('source', { file: path }),
    element('target', { dev: `vd${letter(index)}`, bus: 'virtio' }),
    element('readonly'),
  );

const networkOf = ({ bridge, tap, mac }: Machine['network']): Element =>
  element(
    'interface',
    { type: 'bridge' },
    element('mac', { address: mac }),
    element('source', { bridge }),
    element('target', { dev: tap }),
    element('model', { type: 'virtio' }),
    element('port', { isolated: 'yes' }),
  );

/** `managed` is off: the agent binds and unbinds itself, and proves both. */
function passedThrough(address: string): Element {
  const [, domain, bus, slot, fn] = /^([0-9a-f]{4,8}):([0-9a-f]{2}):([0-9a-f]{2})\.([0-7])$/.exec(address) ?? [];
  if (fn === undefined) throw new TypeError(`${address} is not an address on the PCI bus.`);
  const at = { domain: `0x${domain}`, bus: `0x${bus}`, slot: `0x${slot}`, function: `0x${fn}` };
  return element(
    'hostdev',
    { mode: 'subsystem', type: 'pci', managed: 'no' },
    element('driver', { name: 'vfio' }),
    element('source', {}, element('address', at)),
  );
}
