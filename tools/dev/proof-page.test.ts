import { describe, expect, it } from 'vitest';
import type { Facts } from '../bench/machine.ts';
import { targets } from '../chaos/mutation.ts';
import { type Proofs, pageOf } from './proof-page.ts';

const facts: Facts = {
  ...{ at: '2026-11-18T12:00:00.000Z', commit: 'c648773fe9e7', modified: false, lockfile: 'abc' },
  ...{ cores: 2, cpu: 'AMD EPYC', memoryGib: 24, kernel: '6.18', node: 'v24.21.0', load: 0.1 },
};
const proof = { claim: 'One wins', unit: 'races', whole: 10_000, files: ['races.test.ts'], env: {} };
const proven = { ...proof, count: 10_000, seconds: 60, passed: 1, failures: [] };
const mutated = targets.map(({ name }) => ({ name, killed: 90, mutants: 100, survivors: [], seconds: 60 }));
const whole: Proofs = { proven: [proven], mutated, isAll: true };
const statusOf = (proofs: Proofs) => /^status: (\w+)$/m.exec(pageOf(proofs, facts, facts))?.[1];

describe('the page of proofs', () => {
  it('is shipped when everything was run in whole counts and holds', () => {
    expect(statusOf(whole)).toBe('shipped');
    expect(pageOf(whole, facts, facts)).toContain('All counts are whole.');
  });

  it.each<[string, Proofs]>([
    ['a line does not hold', { ...whole, proven: [{ ...proven, failures: ['races > one wins'] }] }],
    ['a run ended without a test that passed', { ...whole, proven: [{ ...proven, passed: 0 }] }],
    ['too few planted faults were noticed', { ...whole, mutated: mutated.map((one) => ({ ...one, killed: 84 })) }],
    ['a count was lowered', { ...whole, proven: [{ ...proven, count: 9_999 }] }],
    ['a part was left out', { ...whole, isAll: false }],
    ['faults were planted in some of the code only', { ...whole, mutated: mutated.slice(1) }],
  ])('is partial when %s', (_, proofs) => {
    expect(statusOf(proofs)).toBe('partial');
  });

  it('names what failed, and how many more there are', () => {
    const failures = ['races > one wins', 'races > another', ...Array.from({ length: 5 }, (_, at) => `case ${at}`)];
    const page = pageOf({ ...whole, proven: [{ ...proven, failures }] }, facts, facts);
    expect(page).toContain('- One wins:\n  - races > one wins\n  - races > another\n');
    expect(page).toContain('  - and 2 more\n');
    expect(pageOf(whole, facts, facts)).not.toContain('does not hold');
  });
});
