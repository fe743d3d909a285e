import { createHash } from 'node:crypto';
import type { SlotCandidate } from '@gpuaas/contract/node';

/** The kinds of GPU that a simulated host can be built with. */
export const gpuModels = {
  H200: { name: 'NVIDIA H200', memoryMib: 143_771, powerW: 700, vbios: '96.00.A5.00.1A' },
  H100: { name: 'NVIDIA H100 80GB HBM3', memoryMib: 81_559, powerW: 700, vbios: '96.00.74.00.1A' },
  MI300X: { name: 'AMD Instinct MI300X', memoryMib: 196_608, powerW: 750, vbios: '113-M3000100-102' },
} as const;
export type GpuModel = keyof typeof gpuModels;

export interface Hardware {
  readonly hostname: string;
  readonly model: GpuModel;
  readonly vendor: 'nvidia' | 'amd';
  readonly driverVersion: string;
  readonly cudaVersion: string;
  readonly cpuCount: number;
  readonly memoryMib: number;
  readonly numaNodes: readonly { readonly id: number; readonly cpus: string; readonly memoryMib: number }[];
  readonly slots: readonly Omit<SlotCandidate, 'blockers'>[];
}

export interface HardwareOrder {
  /** The name of the node. The same name is the same machine, down to every address. */
  readonly seed: string;
  readonly model?: GpuModel | undefined;
  readonly gpuCount?: number | undefined;
}

const sockets = 2;
const cpusPerSocket = 96;
const memoryPerSocketMib = 1_048_576;
/** Where the eight GPUs of a common dual-socket board sit, four behind each socket. */
const gpuBuses = [0x18, 0x2a, 0x3a, 0x5d, 0x9a, 0xab, 0xba, 0xdb];
export const mostGpus = gpuBuses.length;

/** Bytes that only the seed and the purpose decide. */
export const drawBytes = (seed: string, purpose: string): Buffer =>
  createHash('sha256').update(`${seed}\0${purpose}`).digest();

const hex = (bytes: Buffer, from: number, to: number): string => bytes.toString('hex', from, to);

function drawGpuUuid(seed: string, index: number): string {
  const bytes = drawBytes(seed, `gpu ${index}`);
  // Version and variant as in any random UUID.
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x40, 6);
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
  return `GPU-${hex(bytes, 0, 4)}-${hex(bytes, 4, 6)}-${hex(bytes, 6, 8)}-${hex(bytes, 8, 10)}-${hex(bytes, 10, 16)}`;
}

const twoDigits = (value: number): string => value.toString(16).padStart(2, '0');

/** A dual-socket machine with up to eight GPUs, each with its own fabric function, disk and address on the same side. */
export function drawHardware({ seed, model = 'H200', gpuCount = mostGpus }: HardwareOrder): Hardware {
  if (!Number.isInteger(gpuCount) || gpuCount < 1 || gpuCount > mostGpus) {
    throw new RangeError(`A simulated host has 1 to ${mostGpus} GPUs, not ${gpuCount}.`);
  }
  const { name, memoryMib } = gpuModels[model];
  const vendor = model === 'MI300X' ? 'amd' : 'nvidia';
  const subnet = drawBytes(seed, 'subnet');
  const perSocket = Math.ceil(gpuCount / sockets);
  const slots = Array.from({ length: gpuCount }, (_, index) => {
    const socket = Math.floor(index / perSocket);
    // The first places behind each socket are filled first, so that a host with four GPUs has two on each side.
    const bus = gpuBuses[socket * (mostGpus / sockets) + (index % perSocket)] ?? 0;
    const mac = drawBytes(seed, `mac ${index}`);
    return {
      slot_index: index,
      gpu_uuid: drawGpuUuid(seed, index),
      gpu_model: name,
      gpu_memory_mib: memoryMib,
      pci_address: `0000:${twoDigits(bus)}:00.0`,
      fabric_vf_pci_address: `0000:${twoDigits(bus + 1)}:00.2`,
      nvme_device: `/dev/nvme${index + 1}n1`,
      // 52:54:00 is what virtual machines of this kind carry.
      mac_address: `52:54:00:${[0, 1, 2].map((at) => twoDigits(mac.readUInt8(at))).join(':')}`,
      private_ip: `10.${subnet.readUInt8(0)}.${subnet.readUInt8(1)}.${10 + index}`,
      numa_node: socket,
    };
  });
  return {
    hostname: seed,
    model,
    vendor,
    driverVersion: vendor === 'nvidia' ? '580.159.04' : '6.12.12',
    cudaVersion: vendor === 'nvidia' ? '13.0' : 'ROCm 6.4',
    cpuCount: sockets * cpusPerSocket,
    memoryMib: sockets * memoryPerSocketMib,
    numaNodes: Array.from({ length: sockets }, (_, id) => ({
      id,
      cpus: `${id * cpusPerSocket}-${(id + 1) * cpusPerSocket - 1}`,
      memoryMib: memoryPerSocketMib,
    })),
    slots,
  };
}
