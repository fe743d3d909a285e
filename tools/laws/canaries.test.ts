import { beforeAll, describe, expect, it } from 'vitest';
import { type Report, readCanaries, reportsOnCanaries } from './canary.ts';
import { nobody, sourceLaws } from './source-laws.ts';
import { walls } from './walls.ts';

const canaries = readCanaries();
const laws = [...sourceLaws(nobody), walls];
let reports: readonly Report[] = [];

beforeAll(async () => {
  reports = await reportsOnCanaries(laws);
}, 120_000);

const of = (name: string, half: 'broken' | 'whole') =>
  reports.filter(({ path }) => path.startsWith(`${name}/${half}/`)).map(({ rule, message }) => `${rule}: ${message}`);

describe('a rule that was never seen failing is not a rule', () => {
  it.each(canaries)('$name is reported when it is broken and silent when it is whole', ({ name, rule, message }) => {
    const hit = of(name, 'broken').filter((line) => line.startsWith(`${rule}: `) && line.includes(message));
    expect(hit, `nothing reported ${rule} on ${name}; it got ${of(name, 'broken').join('; ')}`).not.toEqual([]);
    expect(of(name, 'whole')).toEqual([]);
  });

  it('every law of ours has a canary', () => {
    const covered = new Set(canaries.map(({ rule }) => rule));
    expect(laws.map(({ name }) => name).filter((name) => !covered.has(name))).toEqual([]);
  });
});
