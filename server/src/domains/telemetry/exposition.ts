import {
  type GpuMeasure,
  gpuMeasures,
  type HostMeasure,
  hostMeasures,
  type Measure,
  type MetricPoint,
  namesOfThrottle,
  throttleReasons,
} from '@gpuaas/contract';
import { secondMs } from '../../kernel/units.ts';
import { exportedDigits } from './facts.ts';

/**
 * The last values in the text format of Prometheus. All are gauges: a counter of a GPU begins anew when its driver does, and the
 * values are those of the time of the sample, which has its own metric.
 */
export interface Exported {
  readonly labels: Readonly<Record<string, string>>;
  readonly point: MetricPoint | null;
}

const escaped = (text: string): string => text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');
const labelled = (labels: Readonly<Record<string, string>>): string =>
  `{${Object.entries(labels)
    .map(([name, value]) => `${name}="${escaped(value)}"`)
    .join(',')}}`;
const scaled = (value: number, scale: number): string => String(Number((value * scale).toPrecision(exportedDigits)));

export function exposition(prefix: 'gpuaas_allocation' | 'gpuaas_node', of: readonly Exported[]): string {
  const lines: string[] = [];
  const family = (name: string, help: string, samples: readonly string[]) => {
    const whole = `${prefix}_${name}`;
    if (samples.length > 0)
      lines.push(`# HELP ${whole} ${help}`, `# TYPE ${whole} gauge`, ...samples.map((each) => whole + each));
  };
  family(
    'telemetry_up',
    'Whether values were measured within the last minute.',
    of.map(({ labels, point }) => `${labelled(labels)} ${point ? 1 : 0}`),
  );
  const measured = of.flatMap(({ labels, point }) => (point ? [{ labels, point }] : []));
  family(
    'telemetry_timestamp_seconds',
    'When the values were measured.',
    measured.map(({ labels, point }) => `${labelled(labels)} ${Date.parse(point.at) / secondMs}`),
  );
  for (const [name, { label, exported }] of Object.entries(hostMeasures) as [HostMeasure, Measure][]) {
    family(
      exported.name,
      `${label}.`,
      measured.flatMap(({ labels, point }) => {
        const value = (point.host as Partial<Record<HostMeasure, number>>)[name];
        return value === undefined ? [] : [`${labelled(labels)} ${scaled(value, exported.scale)}`];
      }),
    );
  }
  for (const [name, { label, exported }] of Object.entries(gpuMeasures) as [GpuMeasure, Measure][]) {
    family(
      exported.name,
      `${label}.`,
      measured.flatMap(({ labels, point }) => gpuLines(labels, point, name, exported.scale)),
    );
  }
  return `${lines.join('\n')}\n`;
}

function gpuLines(labels: Exported['labels'], point: MetricPoint, name: GpuMeasure, scale: number): string[] {
  const values = (point.gpu as Partial<Record<GpuMeasure, (number | null)[]>>)[name] ?? [];
  return values.flatMap((value, index) => {
    if (value === null) return [];
    const ofGpu = { ...labels, gpu: String(index), uuid: point.gpus[index] ?? '' };
    if (name !== 'throttle') return [`${labelled(ofGpu)} ${scaled(value, scale)}`];
    const active = new Set<string>(namesOfThrottle(value));
    return Object.keys(throttleReasons).map(
      (reason) => `${labelled({ ...ofGpu, reason })} ${active.has(reason) ? 1 : 0}`,
    );
  });
}
