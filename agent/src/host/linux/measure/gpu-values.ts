import type { GpuMeasure, GpuValues } from '@gpuaas/contract/node';
import { type Argv, type Commands, complaintOf } from '../commands.ts';
import { pciAddressOf } from '../nvidia-smi.ts';

/** What the driver is asked, and where its answer goes. `clocks_throttle_reasons` is known to old drivers and to new ones. */
const columns = {
  utilization: 'utilization.gpu',
  memory_utilization: 'utilization.memory',
  memory_used_mib: 'memory.used',
  memory_total_mib: 'memory.total',
  power_watts: 'power.draw',
  power_limit_watts: 'power.limit',
  temperature_celsius: 'temperature.gpu',
  memory_temperature_celsius: 'temperature.memory',
  sm_clock_mhz: 'clocks.current.sm',
  memory_clock_mhz: 'clocks.current.memory',
  ecc_corrected_total: 'ecc.errors.corrected.volatile.total',
  ecc_uncorrected_total: 'ecc.errors.uncorrected.volatile.total',
  throttle: 'clocks_throttle_reasons.active',
} as const satisfies Partial<Record<GpuMeasure, string>>;
const names = Object.keys(columns) as (keyof typeof columns)[];

export const gpuValuesQuery: Argv = [
  'nvidia-smi',
  `--query-gpu=uuid,pci.bus_id,${Object.values(columns).join(',')}`,
  '--format=csv,noheader,nounits',
];
const limitMs = 8_000;

export interface GpuValueQuery {
  readonly uuids: readonly string[];
  /** As the kernel writes them, in the same order. */
  readonly addresses: readonly string[];
  readonly values: GpuValues;
}

/**
 * Asks the driver for the values of every GPU, by bus address. A GPU that does not tell something says `[N/A]`, one that is lost has
 * no row; neither spoils the rest.
 */
export async function queryGpuValues(commands: Commands): Promise<GpuValueQuery | { readonly trouble: string }> {
  const result = await commands.run(gpuValuesQuery, { limitMs });
  const looks = readGpuValues(result.stdout);
  if (looks.uuids.length > 0) return looks;
  return { trouble: result.status === 0 ? 'nvidia-smi names no GPU' : complaintOf(result) };
}

export function readGpuValues(text: string): GpuValueQuery {
  const rows = text
    .split('\n')
    .map((line) => line.split(',').map((cell) => cell.trim()))
    .flatMap(([uuid = '', bus = '', ...cells]) => {
      const address = pciAddressOf(bus);
      return /^GPU-[0-9a-f-]{36}$/.test(uuid) && address !== undefined ? [{ uuid, address, cells }] : [];
    })
    .sort((a, b) => (a.address < b.address ? -1 : 1));
  return {
    uuids: rows.map(({ uuid }) => uuid),
    addresses: rows.map(({ address }) => address),
    values: Object.fromEntries(names.map((name, at) => [name, rows.map(({ cells }) => amountIn(cells[at] ?? ''))])),
  };
}

/** A number, or a set of bits in hexadecimal. Everything else is not known: `[N/A]`, `[Not Supported]`, `[GPU is lost]`. */
function amountIn(cell: string): number | null {
  if (!/^(?:\d{1,15}(?:\.\d{1,6})?|0x[0-9a-f]{1,16})$/i.test(cell)) return null;
  const value = Number(cell);
  return Number.isSafeInteger(Math.trunc(value)) ? value : null;
}
