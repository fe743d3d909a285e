import type { Proof } from '@gpuaas/contract/node';
import { type Argv, type Commands, complaintOf } from './commands.ts';

/** One GPU as the driver knows it. */
export interface GpuReading {
  readonly uuid: string;
  readonly model: string;
  readonly pciAddress: string;
  readonly memoryMib: number;
  /** Percent; not every GPU tells. */
  readonly utilization: number | undefined;
  readonly uncorrectedErrors: number | undefined;
  readonly isPartitioned: boolean;
}
export interface GpuQuery {
  readonly answers: Proof;
  readonly gpus: readonly GpuReading[];
  readonly driverVersion: string | undefined;
}

const fields = [
  'uuid',
  'name',
  'pci.bus_id',
  'driver_version',
  'memory.total',
  'utilization.gpu',
  'ecc.errors.uncorrected.volatile.total',
  'mig.mode.current',
] as const;
export const gpuQuery: Argv = ['nvidia-smi', `--query-gpu=${fields.join(',')}`, '--format=csv,noheader,nounits'];
export const bannerQuery: Argv = ['nvidia-smi'];
/** A GPU that has fallen off the bus makes the tool wait; heartbeats do not. */
const limitMs = 15_000;

/**
 * Asks the driver. A GPU that is lost makes the tool complain and answer for the others, so its rows count whatever
 * it exits with, and the complaint is what the proof says.
 */
export async function queryGpus(commands: Commands): Promise<GpuQuery> {
  const result = await commands.run(gpuQuery, { limitMs });
  const rows = result.stdout.split('\n').map((line) => line.split(',').map((cell) => cell.trim()));
  const gpus = rows.flatMap((row) => readRow(row) ?? []);
  gpus.sort((a, b) => (a.pciAddress < b.pciAddress ? -1 : 1));
  const driverVersion = rows.find((row) => readRow(row))?.[3];
  const isWell = result.status === 0 && gpus.length > 0;
  return {
    gpus,
    driverVersion: driverVersion && /^[\d.]{1,50}$/.test(driverVersion) ? driverVersion : undefined,
    answers: {
      passed: isWell,
      detail: isWell
        ? `nvidia-smi answers for ${gpus.length} GPUs.`
        : `nvidia-smi does not answer: ${result.status === 0 ? 'it names no GPU' : complaintOf(result)}.`,
    },
  };
}

function readRow(row: readonly string[]): GpuReading | undefined {
  const [uuid = '', model = '', bus = '', , memory = '', load = '', errors = '', mig = ''] = row;
  const pciAddress = pciAddressOf(bus);
  const memoryMib = Number(memory);
  const isReadable = /^GPU-[0-9a-f-]{36}$/.test(uuid) && model !== '' && Number.isInteger(memoryMib) && memoryMib > 0;
  if (!isReadable || pciAddress === undefined) return undefined;
  return {
    uuid,
    model: model.slice(0, 100),
    pciAddress,
    memoryMib,
    utilization: countIn(load),
    uncorrectedErrors: countIn(errors),
    isPartitioned: mig === 'Enabled',
  };
}

/** Unknown values are in brackets: "[N/A]", "[Not Supported]". */
const countIn = (cell: string): number | undefined => (/^\d+$/.test(cell) ? Number(cell) : undefined);

/** The driver writes domains with eight digits, the kernel with four; capitals are the driver's own. */
export function pciAddressOf(bus: string): string | undefined {
  const [, domain = '', rest = ''] =
    /^([0-9a-f]{4,8}):([0-9a-f]{2}:[0-9a-f]{2}\.[0-7])$/.exec(bus.trim().toLowerCase()) ?? [];
  return domain === '' ? undefined : `${domain.replace(/^0+/, '').padStart(4, '0')}:${rest}`;
}

/** The newest CUDA that the driver can serve; only the banner says it. */
export async function readCudaVersion(commands: Commands): Promise<string | undefined> {
  const { stdout } = await commands.run(bannerQuery, { limitMs });
  return /CUDA Version\s*:\s*([\d.]{1,20})/.exec(stdout)?.[1];
}
