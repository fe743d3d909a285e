import { type GpuValues, type HostValues, NodeSample } from '@gpuaas/contract/node';
import { Compile } from 'typebox/compile';
import type { HostSample } from '../../../port.ts';
import { readGpuValues } from '../../measure/gpu-values.ts';
import { countersIn, levelsIn, ratesBetween, type SystemCounters } from '../../measure/system.ts';

/** The longest report of a machine. */
export const mostReportBytes = 64 * 1_024;
/** Beyond any counter; what a machine says beyond it is not believed. The contract has the same bound. */
const largest = 1e15;
const kibPerMib = 1_024;
const second = 1_000;
const samples = Compile(NodeSample);

export interface GuestLook {
  readonly atMs: number;
  readonly counters: SystemCounters;
}

/**
 * Reads what a machine says about itself. It is the word of the tenant, who is root there: GPUs that are not its own are left out, and a
 * number that cannot be is not known. Undefined when it is no report at all.
 */
export function readReport(
  text: string,
  slice: { readonly allocationId: string; readonly gpus: readonly string[] },
  before: GuestLook | undefined,
  atMs: number,
): { readonly sample: HostSample; readonly look: GuestLook } | undefined {
  const parts = sectionsOf(text);
  const of = (name: string) => parts.get(name) ?? '';
  if (!/^cpu\s+\d/.test(of('stat'))) return undefined;
  const counters = countersIn({ stat: of('stat'), disks: of('diskstats'), net: of('net') });
  const rates = before ? ratesBetween(before.counters, counters, (atMs - before.atMs) / second) : {};
  const looks = readGpuValues(of('gpus'));
  const own = looks.uuids.flatMap((uuid, at) =>
    slice.gpus.includes(uuid) && looks.uuids.indexOf(uuid) === at ? [at] : [],
  );
  const sample: HostSample = {
    source: 'guest',
    allocation_id: slice.allocationId,
    gpus: own.map((at) => looks.uuids[at] ?? ''),
    host: believable({ ...levelsIn(of('meminfo')), ...diskIn(of('disk')), ...rates }),
    gpu: valuesAt(looks.values, own),
    ...(own.length === 0 && { unavailable: 'The driver inside the machine names none of its GPUs.' }),
  };
  const isWhole = samples.Check({ ...sample, at: new Date(0).toISOString() });
  return isWhole ? { sample, look: { atMs, counters } } : undefined;
}

function sectionsOf(text: string): Map<string, string> {
  const found = new Map<string, string>();
  for (const part of text.split(/^== /m).slice(1)) {
    const end = part.indexOf('\n');
    if (end > 0) found.set(part.slice(0, end), part.slice(end + 1));
  }
  return found;
}

/** One line of `df -Pk`: device, KiB in all, KiB used. */
function diskIn(line: string): HostValues {
  const [, total, used] = /^\S+\s+(\d{1,15})\s+(\d{1,15})\s/.exec(line) ?? [];
  if (total === undefined || used === undefined) return {};
  return { disk_total_mib: Math.round(Number(total) / kibPerMib), disk_used_mib: Math.round(Number(used) / kibPerMib) };
}

const isBelievable = (value: number | null): value is number =>
  value !== null && Number.isFinite(value) && value >= 0 && value <= largest;

const believable = (values: HostValues): HostValues =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => isBelievable(value)));

const valuesAt = (values: GpuValues, places: readonly number[]): GpuValues =>
  Object.fromEntries(
    Object.entries(values).map(([name, all]) => [
      name,
      places.map((at) => {
        const value = all[at] ?? null;
        return isBelievable(value) ? value : null;
      }),
    ]),
  );
