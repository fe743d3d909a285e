import type { GpuValues, HostValues, MetricPoint } from '@gpuaas/sdk';

export type Unit = '%' | 'MiB' | 'W' | '°C';
/** A chart of the Metrics panel: what it is about, and how its numbers are read. */
export type Measured = { readonly label: string; readonly unit: Unit; readonly most?: number } & (
  | { readonly of: 'gpu'; readonly name: keyof GpuValues }
  | { readonly of: 'host'; readonly name: keyof HostValues }
);

export const measured: readonly Measured[] = [
  { of: 'gpu', name: 'utilization', label: 'GPU utilization', unit: '%', most: 100 },
  { of: 'gpu', name: 'memory_used_mib', label: 'GPU memory used', unit: 'MiB' },
  { of: 'gpu', name: 'power_watts', label: 'Power', unit: 'W' },
  { of: 'gpu', name: 'temperature_celsius', label: 'Temperature', unit: '°C' },
  { of: 'host', name: 'cpu_percent', label: 'CPU', unit: '%', most: 100 },
  { of: 'host', name: 'memory_used_mib', label: 'Memory used', unit: 'MiB' },
];

/** What a point says: one value for each GPU, or one of the host. */
export function valuesOf(point: MetricPoint, about: Measured): readonly (number | null)[] {
  if (about.of === 'gpu') return point.gpu[about.name] ?? [];
  const value = point.host[about.name];
  return value === undefined ? [] : [value];
}
const known = (values: readonly (number | null)[]): number[] =>
  values.flatMap((value) => (value === null ? [] : [value]));

export interface Dot {
  readonly atMs: number;
  readonly value: number;
}
/** A line for each GPU, in pieces: where nothing was measured it is broken. */
export function linesOf(points: readonly MetricPoint[], about: Measured, resolutionSeconds: number): Dot[][][] {
  const count = Math.max(0, ...points.map((point) => valuesOf(point, about).length));
  // A sample may come late; one that is missing leaves twice the distance.
  const gapMs = resolutionSeconds * 2_500;
  return Array.from({ length: count }, (_, gpu) => {
    const pieces: Dot[][] = [];
    for (const point of points) {
      const value = valuesOf(point, about)[gpu] ?? null;
      if (value === null) continue;
      const dot = { atMs: Date.parse(point.at), value };
      const piece = pieces.at(-1);
      const before = piece?.at(-1);
      if (piece && before && dot.atMs - before.atMs < gapMs) piece.push(dot);
      else pieces.push([dot]);
    }
    return pieces;
  });
}

/** How high a chart reaches: to its limit, or a little above the highest value. */
export const heightOf = (lines: readonly Dot[][][], { most }: Measured): number =>
  most ?? Math.max(1, ...lines.flat(2).map(({ value }) => value)) * 1.15;

const step = 1_024;
const short = (value: number): string =>
  value.toLocaleString('en', { maximumFractionDigits: value > 0 && value < 10 ? 1 : 0 });
export function spellMeasure(value: number, unit: Unit): string {
  if (unit === 'MiB' && value >= step) return `${short(value / step)} GiB`;
  return `${short(value)} ${unit}`;
}

/** One figure, or the lowest and the highest of several GPUs. */
export function spellValues(values: readonly (number | null)[], unit: Unit): string {
  const all = known(values);
  if (all.length === 0) return 'unknown';
  const [low, high] = [spellMeasure(Math.min(...all), unit), spellMeasure(Math.max(...all), unit)];
  return low === high ? low : `${low} to ${high}`;
}

/** Every figure of a moment: `GPU 0 20 %, GPU 1 60 %`. */
export const tellValues = (values: readonly (number | null)[], unit: Unit): string =>
  values.map((value, gpu) => `GPU ${gpu} ${value === null ? 'unknown' : spellMeasure(value, unit)}`).join(', ');

/** What the colours of the lines mean. There are fewer colours than GPUs of a host: the last ones share one. */
export function namesOfLines(count: number, colours: number): string[] {
  const names = Array.from({ length: Math.min(count, colours) }, (_, gpu) => `GPU ${gpu}`);
  return count > colours ? [...names.slice(0, -1), `GPU ${colours - 1} to ${count - 1}`] : names;
}

/** What the wall may be coloured by, besides the state. A tile is one step warmer from each of these values on. */
export const heats = {
  utilization: { label: 'Utilization', unit: '%', from: [1, 25, 50, 85] },
  temperature_celsius: { label: 'Temperature', unit: '°C', from: [40, 55, 70, 85] },
} as const;
export type Heat = keyof typeof heats;
export type Warmth = 0 | 1 | 2 | 3 | 4;
export const isHeat = (word: string | undefined): word is Heat => word !== undefined && Object.hasOwn(heats, word);
export const warmthOf = (value: number, heat: Heat): Warmth =>
  heats[heat].from.filter((limit) => value >= limit).length as Warmth;
/** What each step of warmth means: `below 40 °C`, `from 40 °C`, and so on. */
export const warmthWords = (heat: Heat): readonly (readonly [Warmth, string])[] => {
  const { from, unit } = heats[heat];
  return [
    [0, `below ${from[0]} ${unit}`],
    ...from.map((limit, index) => [(index + 1) as Warmth, `from ${limit} ${unit}`] as const),
  ];
};
