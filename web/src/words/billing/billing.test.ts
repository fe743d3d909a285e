import type { BillingBalance, LedgerCheck, UsageReport } from '@gpuaas/sdk';
import { describe, expect, it } from 'vitest';
import { balanceMark, gaugeOf, hasHeld, ladderOf, tellEnforced, tellHeld, tellRunway } from './balance.ts';
import { barsOf, spellHours, spellQuantity, spellRate, tellCheck, tellGrant, tellGroup } from './usage.ts';

const dollars = (minor: string) => ({ amount_minor: minor, currency: 'USD' });
const balance = (minor: string, runway: number | null, enforced = false): BillingBalance => ({
  organization_id: '01960000-0000-7000-8000-000000000001',
  balance: dollars(minor),
  held: dollars('0'),
  per_hour: dollars(runway === null ? '0' : '450'),
  runway_seconds: runway,
  state: 'healthy',
  releases_at: null,
  charged_to: null,
  enforced,
  minimum_runway_minutes: 60,
  low_balance_threshold: dollars('500'),
  steps: [],
});

describe('a balance in words', () => {
  it.each([
    ['5625', 45_000, 'At $4.50/h, 12 h 30 m left.'],
    ['0', 0, 'At $4.50/h, the balance is used up.'],
    ['-12', 0, 'At $4.50/h, the balance is used up.'],
    ['100', null, 'Nothing is running, so nothing is charged.'],
  ])('of %s minor units that lasts %s seconds', (minor, runway, said) => {
    expect(tellRunway(balance(minor, runway))).toBe(said);
  });
  it('names the balance and what is available of it where they are two numbers', () => {
    const held = { ...balance('5000', 3_600), held: dollars('1250') };
    expect([hasHeld(balance('5000', null)), hasHeld(held)]).toEqual([false, true]);
    expect(tellHeld(held)).toBe(
      'The balance is $62.50; $12.50 of it is held for what runs, until its usage is charged.',
    );
  });
  it('says whether launches are refused without it', () => {
    expect(tellEnforced(balance('1', null, true))).toBe(
      'Launches are refused when the balance does not last for 60 minutes.',
    );
    expect(tellEnforced(balance('1', null))).toBe('Launches are not refused, whatever the balance is.');
  });
  it.each([
    ['a day or longer', balance('100000', 86_400), 'calm', '$1,000.00', '1 d left'],
    ['nothing that runs', balance('100', null), 'calm', '$1.00', undefined],
    ['less than a day', balance('5625', 45_000), 'warn', '12 h 30 m left', '$56.25'],
    ['less than an hour', balance('225', 1_790), 'warn', '30 m left', '$2.25'],
    ['an amount that is low', { ...balance('400', null, true), state: 'low_balance' }, 'warn', '$4.00', undefined],
    ['a release', { ...balance('100', 800, true), state: 'auto_release_pending' }, 'bad', '14 m left', '$1.00'],
    ['nothing left, not enforced', balance('0', 0), 'warn', 'Balance used up', undefined],
    ['nothing left, nothing that runs, not enforced', balance('0', null), 'calm', '$0.00', undefined],
    ['nothing left, enforced', balance('0', null, true), 'bad', 'No balance', undefined],
  ] as const)('has a mark for the top bar: %s', (_, it, tone, text, more) =>
    expect(balanceMark(it, 0)).toEqual({ tone, text, more }),
  );
  it('counts down between two answers, and never below nothing', () => {
    expect(balanceMark(balance('5625', 45_000), 3_600_000).text).toBe('11 h 30 m left');
    expect(balanceMark(balance('5625', 45_000), 90_000_000).text).toBe('0 m left');
  });
  const falling = (runway: number | null) => ({
    runway_seconds: runway,
    steps: [
      { step: 'warning' as const, runway_seconds: 86_400, at: null },
      { step: 'launches_refused' as const, runway_seconds: 3_600, at: '2026-03-01T10:00:00.000Z' },
      { step: 'depleted' as const, runway_seconds: 0, at: '2026-03-01T11:00:00.000Z' },
    ],
  });
  it('says what has happened, what is next and what comes after it', () => {
    expect(ladderOf(falling(7_200)).map(({ is, lasts }) => [is, lasts])).toEqual([
      ['past', '1 d left'],
      ['next', '1 h left'],
      ['ahead', 'nothing left'],
    ]);
    expect(ladderOf(falling(null)).map(({ is }) => is)).toEqual(['ahead', 'ahead', 'ahead']);
  });
  it.each([
    [null, 100],
    [1_000_000, 100],
    [172_800, 100],
    [86_400, 67],
    [45_000, 50],
    [3_600, 33],
    [1_800, 17],
    [0, 0],
  ])('fills a gauge in which each step has the same room: %s seconds', (runway, percent) =>
    expect(gaugeOf(falling(runway))).toBe(percent),
  );
});

describe('usage in words', () => {
  it.each([
    ['0', '0'],
    ['10', '< 0.0001'],
    ['60000', '0.0166'],
    ['3600000', '1.00'],
    ['4335300000', '1,204.25'],
    ['90071992547409930000', '25,019,997,929,836.09'],
  ])('spells %s milliseconds as hours', (ms, text) => expect(spellHours(ms)).toBe(text));
  it('has the unit, and a price finer than a cent', () => {
    const window = {
      quantity_ms: '900000',
      unit: 'gpu_hour',
      rate_micro: '450000000',
      amount: dollars('112'),
    } as const;
    expect([spellQuantity(window), spellRate(window)]).toEqual(['0.2500 GPU h', '$4.50/GPU h']);
    expect(spellRate({ ...window, unit: 'node_hour', rate_micro: '450250000' })).toBe('$4.5025/node h');
    expect(spellRate({ ...window, rate_micro: '900500000', amount: { amount_minor: '1', currency: 'JPY' } })).toBe(
      '900.5 JPY/GPU h',
    );
  });
  it('has a bar for each day, the dearest as the whole', () => {
    const report: UsageReport = {
      from: '2026-02-27',
      to: '2026-03-02',
      group_by: 'day',
      total: dollars('1500'),
      rows: [
        { key: '2026-02-28', name: null, amount: dollars('1000'), quantity_ms: '1', simulated: null },
        { key: '2026-03-02', name: null, amount: dollars('500'), quantity_ms: '1', simulated: null },
      ],
    };
    expect(barsOf(report).map(({ day, amount, share }) => [day, amount.amount_minor, share])).toEqual([
      ['2026-02-27', '0', 0],
      ['2026-02-28', '1000', 1_000],
      ['2026-03-01', '0', 0],
      ['2026-03-02', '500', 500],
    ]);
    expect(barsOf({ ...report, rows: [] }).every(({ share }) => share === 0)).toBe(true);
  });
  it('names groups as people do', () => {
    const row = { key: '2026-03-02', name: null, amount: dollars('1'), quantity_ms: '1', simulated: null };
    expect(tellGroup('day', row)).toBe('2 Mar');
    expect(tellGroup('sku', { ...row, key: 'h200-sxm-slice' })).toBe('h200-sxm-slice');
    expect(tellGroup('project', { ...row, name: 'Playground' })).toBe('Playground');
  });
});

describe('the ledger in words', () => {
  const check: LedgerCheck = {
    ok: true,
    entries: 1,
    sum: dollars('100000'),
    balance: dollars('100000'),
    problem: null,
    checked_at: '2026-01-01T00:00:00.000Z',
  };
  it('says what came of recomputing it', () => {
    expect(tellCheck(check)).toBe('The ledger is correct: 1 entry checked; their sum is the balance of $1,000.00.');
    expect(tellCheck({ ...check, ok: false, problem: 'The balance is not the sum of the entries.' })).toBe(
      'The ledger is not correct. The balance is not the sum of the entries. Report this to the operator of the platform.',
    );
  });
  it('says what a grant is about to do', () => {
    expect(tellGrant(dollars('2500'), { name: 'Demo', slug: 'demo' })).toBe(
      'This gives $25.00 of credit to Demo (demo). It counts at once and cannot be taken back here.',
    );
  });
});
