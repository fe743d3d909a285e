import type { Quote } from '@gpuaas/sdk';
import { describe, expect, it } from 'vitest';
import { isLineId } from './adjustments.ts';
import { levelOf, objectToThresholds, tellScope, tellThresholds } from './budgets.ts';
import { nameCard, tellAutoTopUp } from './cards.ts';
import { type DetailsDraft, detailsOf, objectToDetails } from './details.ts';
import { warnOf } from './invoices.ts';
import { countDown, remedyFor, tellBudget, tellQuote } from './quote.ts';
import { tellRelease } from './release.ts';

const dollars = (minor: string) => ({ amount_minor: minor, currency: 'USD' });
const id = '01960000-0000-7000-8000-000000000001';
const quote: Quote = {
  ...{ id, project_id: id, sku: 'h200', gpus: 1, region: 'local', created_at: '', expires_at: '' },
  price: { price_id: null, unit: 'gpu_hour', unit_price: dollars('450'), per_hour: dollars('450') },
  ...{ ends: null, hold: dollars('450'), affordable: true, why_not: null, budgets: [] },
  account: {
    ...{ balance: dollars('25000'), balance_after: dollars('24550'), per_hour_after: dollars('900') },
    ...{ runway_seconds: 200_000, runway_seconds_after: 100_000 },
  },
};

describe('a quote in words', () => {
  it('says the price, the end, the hold, the balance and the runway after the launch', () => {
    expect(tellQuote(quote)).toEqual([
      '$4.50 per hour, from when the host has verified the GPUs.',
      'It runs until you release it.',
      'The launch holds $4.50 of the balance of $250.00, until usage is charged.',
      'With it, what you have lasts 1 d 3 h, instead of 2 d 7 h.',
    ]);
  });
  it('says what a limit costs, and which one ends it', () => {
    const ends = { after_seconds: 20_000, because: 'max_spend', cost: dollars('2500') } as const;
    expect(tellQuote({ ...quote, ends })[1]).toBe(
      'It is released after 5 h 33 m, before it costs more than you allow: at most $25.00.',
    );
    expect(tellQuote({ ...quote, ends: { ...ends, because: 'max_duration' } })[1]).toBe(
      'It is released after 5 h 33 m and costs at most $25.00.',
    );
  });
  it('says nothing of the account to people who may not see it', () => {
    expect(tellQuote({ ...quote, account: null }).slice(2)).toEqual([
      'The launch holds $4.50 of the balance, and gives it back as usage is charged.',
    ]);
    expect(tellQuote({ ...quote, account: null, hold: dollars('0') })).toHaveLength(2);
  });
  it('says what a budget counts with the launch, and whether it is too much', () => {
    const budget = { id, name: 'Team', scope: 'project' as const, counted: dollars('4200'), blocks: false };
    expect(tellBudget({ ...budget, soft: null, hard: dollars('10000') })).toBe('$42.00 of $100.00 with this launch.');
    expect(tellBudget({ ...budget, soft: dollars('4000'), hard: null })).toBe(
      '$42.00 of $40.00 with this launch: past its warning.',
    );
    expect(tellBudget({ ...budget, soft: null, hard: dollars('4000'), blocks: true })).toBe(
      '$42.00 of $40.00 with this launch: more than the budget allows.',
    );
  });
  it('counts down the time of its price', () => {
    const now = Date.parse('2026-03-01T00:00:00.000Z');
    expect(countDown('2026-03-01T00:09:41.900Z', now)).toBe('9:41');
    expect(countDown('2026-03-01T00:00:09.000Z', now)).toBe('0:09');
    expect(countDown('2026-03-01T00:00:00.000Z', now)).toBeUndefined();
  });
  it('leads from a refusal to what helps', () => {
    expect(['insufficient_balance', 'budget_exceeded', 'quote_expired', 'no_capacity'].map(remedyFor)).toEqual([
      ...['top up', 'budgets', 'new quote', undefined],
    ]);
  });
});

describe('a budget in words', () => {
  const budget = { spent: dollars('3000'), held: dollars('1000'), soft: dollars('4000'), hard: dollars('5000') };
  it('is a bar against its hard threshold, with a mark where it warns', () => {
    expect(levelOf({ ...budget, state: 'soft_reached' })).toEqual({
      ...{ counted: dollars('4000'), percent: 80, mark: 80, tone: 'warn' },
    });
    expect(levelOf({ ...budget, soft: null, state: 'hard_reached' })).toMatchObject({ mark: undefined, tone: 'bad' });
  });
  it('names whom it is about, and what its thresholds do', () => {
    const of = (
      scope: 'organization' | 'project' | 'user' | 'tag',
      subject: string | null,
      subject_name: string | null,
    ) => tellScope({ scope, subject, subject_name }, scope === 'user' ? 'Ada' : undefined);
    expect([
      of('organization', null, null),
      of('project', id, 'Vision'),
      of('user', id, null),
      of('tag', 'a=b', null),
    ]).toEqual(['The organization', 'Project Vision', 'Ada', 'Tag a=b']);
    expect(tellThresholds(budget)).toBe('warns at $40.00, refuses launches at $50.00');
  });
  it.each([
    [undefined, undefined, /at least one/],
    ['0', undefined, /more than nothing/],
    ['200', '100', /has to come before/],
    ['100', '100', undefined],
    [undefined, '1', undefined],
  ])('takes thresholds that fit: %s and %s', (soft, hard, fault) => {
    const said = objectToThresholds(soft, hard);
    if (fault === undefined) expect(said).toBeUndefined();
    else expect(said).toMatch(fault);
  });
});

describe('billing details', () => {
  const draft: DetailsDraft = {
    ...{ legal_name: ' Lab GmbH ', address: ' 1 Street \n\n', postal_code: '', city: 'Bonn', country: 'de' },
    ...{ tax_id: 'de123456788', customer_type: 'business', invoice_email: '' },
  };
  it('are sent as a tax office writes them', () => {
    expect(objectToDetails(draft)).toBeUndefined();
    expect(detailsOf(draft)).toEqual({
      ...{ legal_name: 'Lab GmbH', address_lines: ['1 Street'], postal_code: null, city: 'Bonn', country: 'DE' },
      ...{ tax_id: 'DE123456788', customer_type: 'business', invoice_email: null },
    });
  });
  it.each([
    [{ address: ' ' }, /street/],
    [{ address: '1\n2\n3\n4' }, /at most 3 lines/],
    [{ country: 'Germany' }, /two letters/],
    [{ tax_id: '?' }, /tax office/],
  ])('that do not fit are refused with a reason: %o', (change, fault) =>
    expect(objectToDetails({ ...draft, ...change })).toMatch(fault),
  );
});

describe('a release for lack of money in words', () => {
  it('says what was released and what it had cost', () => {
    const at = '2026-03-01T00:00:00.000Z';
    const told = { from: at, to: at, count: 3, cost: dollars('5420'), allocations: [] };
    expect(tellRelease(told)[0]).toMatch(/^The balance was used up, so 3 allocations were released at /);
    expect(tellRelease(told)[1]).toBe(
      'They had cost $54.20 from beginning to end. Nothing is charged after a release.',
    );
    expect(tellRelease({ ...told, count: 1, to: '2026-03-01T00:05:00.000Z' })[0]).toMatch(
      /1 allocation was released by /,
    );
  });
});

describe('cards, corrections and invoices in words', () => {
  it('names a card by its brand and its last figures', () =>
    expect(nameCard({ brand: 'visa', last4: '4242' })).toBe('Visa ending in 4242'));
  it('says when and how much is added', () => {
    const it = {
      ...{ enabled: true, threshold: dollars('1000'), amount: dollars('5000'), monthly_limit: dollars('20000') },
      ...{ added_this_month: dollars('0'), failures: 0, last_failure: null, turned_off: null, next_attempt_at: null },
      ...{ pending: null, version: 1 },
    };
    expect(tellAutoTopUp(it)).toBe(
      'When the balance is at most $10.00, $50.00 is added: at most $200.00 in a month, $0.00 of it in this one.',
    );
    expect(tellAutoTopUp({ ...it, enabled: false })).toBe('The balance is not topped up automatically.');
  });
  it('knows the id of a line', () =>
    expect([id, ` ${id.toUpperCase()} `, 'x'].map(isLineId)).toEqual([true, true, false]));
  it('says what voiding an invoice does', () => {
    expect(warnOf('void', 'draft')).toContain('discarded');
    expect(warnOf('void', 'final')).toContain('credit note');
  });
});
