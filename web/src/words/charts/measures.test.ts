import type { MetricPoint } from '@gpuaas/sdk';
import { describe, expect, it } from 'vitest';
import {
  heightOf,
  linesOf,
  type Measured,
  measured,
  namesOfLines,
  spellMeasure,
  spellValues,
  tellValues,
  valuesOf,
  warmthOf,
  warmthWords,
} from './measures.ts';

const startMs = Date.parse('2026-01-01T00:00:00.000Z');
const point = (second: number, gpu: MetricPoint['gpu'], host: MetricPoint['host'] = {}): MetricPoint => ({
  at: new Date(startMs + second * 1_000).toISOString(),
  gpus: ['GPU-a', 'GPU-b'],
  unavailable: null,
  gpu,
  host,
});
const about = (name: string, of = 'gpu'): Measured => {
  const found = measured.find((each) => each.name === name && each.of === of);
  if (!found) throw new Error(`nothing is measured as ${name}`);
  return found;
};
const figures = (lines: ReturnType<typeof linesOf>) =>
  lines.map((pieces) => pieces.map((piece) => piece.map(({ value }) => value)));

describe('a chart', () => {
  it('has a line for each GPU, which is broken where samples are missing', () => {
    const points = [
      point(0, { utilization: [20, 60] }),
      point(10, { utilization: [null, 50] }),
      point(20, { utilization: [30, 40] }),
      point(30, {}),
      point(60, { utilization: [70, 80] }),
    ];
    expect(figures(linesOf(points, about('utilization'), 10))).toEqual([
      [[20, 30], [70]],
      [[60, 50, 40], [80]],
    ]);
    expect(linesOf([], about('utilization'), 10)).toEqual([]);
  });

  it('has one line for the host, and none of what the host does not tell', () => {
    const points = [point(0, {}, { cpu_percent: 7.25 })];
    expect(figures(linesOf(points, about('cpu_percent', 'host'), 10))).toEqual([[[7.25]]]);
    expect(linesOf(points, about('memory_used_mib', 'host'), 10)).toEqual([]);
  });

  it('reaches to its limit, or a little above the highest value', () => {
    const points = [point(0, { utilization: [5], power_watts: [400] })];
    const high = (name: string) => heightOf(linesOf(points, about(name), 10), about(name));
    expect(high('utilization')).toBe(100);
    expect(high('power_watts')).toBeCloseTo(460);
  });

  it('says the figures of a moment, and which GPU does not tell', () => {
    const values = valuesOf(point(0, { utilization: [20, null, 60] }), about('utilization'));
    expect(spellValues(values, '%')).toBe('20 % to 60 %');
    expect(tellValues(values, '%')).toBe('GPU 0 20 %, GPU 1 unknown, GPU 2 60 %');
    expect([spellValues([40, 40], '°C'), spellValues([null], '°C'), spellValues([], '%')]).toEqual([
      '40 °C',
      'unknown',
      'unknown',
    ]);
  });

  it('spells figures with the unit that fits', () => {
    expect([spellMeasure(512, 'MiB'), spellMeasure(143_771, 'MiB'), spellMeasure(0, 'W')]).toEqual([
      '512 MiB',
      '140 GiB',
      '0 W',
    ]);
  });

  it('names the colours, of which the last GPUs share one', () => {
    expect(namesOfLines(2, 6)).toEqual(['GPU 0', 'GPU 1']);
    expect(namesOfLines(8, 6)).toEqual(['GPU 0', 'GPU 1', 'GPU 2', 'GPU 3', 'GPU 4', 'GPU 5 to 7']);
  });
});

describe('a tile that is coloured by a measure', () => {
  it.each([
    [0, 'utilization', 0],
    [25, 'utilization', 2],
    [100, 'utilization', 4],
    [31, 'temperature_celsius', 0],
    [89, 'temperature_celsius', 4],
  ] as const)('of %s %s has warmth %s', (value, heat, warmth) => {
    expect(warmthOf(value, heat)).toBe(warmth);
  });

  it('has a legend with every step', () => {
    expect(warmthWords('temperature_celsius').map(([, words]) => words)).toEqual([
      ...['below 40 °C', 'from 40 °C', 'from 55 °C', 'from 70 °C', 'from 85 °C'],
    ]);
  });
});
