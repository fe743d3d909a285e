import { describe, expect, it } from 'vitest';
import type { PaymentFacts } from '../../ports/payments/port.ts';
import { type Decision, decide, isChange, type Standing } from './decide.ts';

const open: Standing = {
  ...{ currency: 'USD', state: 'open', payment_id: null, credit_entry_id: null },
  ...{ credited_minor: 0n, refunded_minor: 0n, disputed_minor: 0n },
};
const paid: Standing = { ...open, state: 'paid', payment_id: 'pi', credit_entry_id: 'e', credited_minor: 2_500n };
const facts: PaymentFacts = { status: 'paid', amountMinor: 2_500n, currency: 'USD', paymentId: 'pi' };
const next: Readonly<Record<string, Standing['state']>> = {
  ...{ pay: 'paid', expire: 'expired', reopen: 'open', dispute: 'disputed', win: 'paid', lose: 'charged_back' },
  fail: 'failed_reconcile',
};
const after = (now: Standing, made: Decision): Standing => ({
  ...now,
  ...{ credited_minor: made.credited, refunded_minor: made.refunded, disputed_minor: made.disputed },
  state: made.transition ? (next[made.transition] ?? now.state) : now.state,
  credit_entry_id: made.entries.some(({ kind }) => kind === 'top_up') ? 'e' : now.credit_entry_id,
});
const summaryOf = ({ entries, transition, problem }: Decision) => ({
  entries: entries.map(({ kind, amount }) => `${kind} ${amount}`),
  transition,
  hasProblem: problem !== undefined,
});

describe('a decision about a payment', () => {
  it.each<[string, Standing, PaymentFacts, boolean, ReturnType<typeof summaryOf>]>([
    ['it was paid', open, facts, false, { entries: ['top_up 2500'], transition: 'pay', hasProblem: false }],
    [
      'it was paid late',
      { ...open, state: 'expired' },
      facts,
      false,
      { entries: ['top_up 2500'], transition: 'pay', hasProblem: false },
    ],
    ['it is paid already', paid, facts, true, { entries: [], transition: undefined, hasProblem: false }],
    ['it expired', open, { status: 'expired' }, false, { entries: [], transition: 'expire', hasProblem: false }],
    [
      'late news that it expired',
      paid,
      { status: 'expired' },
      false,
      { entries: [], transition: undefined, hasProblem: false },
    ],
    [
      'an answer that it expired',
      paid,
      { status: 'expired' },
      true,
      { entries: ['correction -2500'], transition: 'expire', hasProblem: false },
    ],
    [
      'an answer that it is open',
      paid,
      { status: 'open' },
      true,
      { entries: ['correction -2500'], transition: 'expire', hasProblem: false },
    ],
    [
      'less was paid',
      paid,
      { ...facts, amountMinor: 2_000n },
      true,
      { entries: ['correction -500'], transition: undefined, hasProblem: false },
    ],
    [
      'more was paid',
      paid,
      { ...facts, amountMinor: 3_000n },
      true,
      { entries: ['correction 500'], transition: undefined, hasProblem: false },
    ],
    [
      'it says not how much',
      open,
      { status: 'paid', currency: 'USD' },
      false,
      { entries: [], transition: 'fail', hasProblem: true },
    ],
    [
      'another currency',
      open,
      { ...facts, currency: 'EUR' },
      false,
      { entries: [], transition: 'fail', hasProblem: true },
    ],
    [
      'another payment',
      paid,
      { ...facts, paymentId: 'pj' },
      true,
      { entries: [], transition: 'fail', hasProblem: true },
    ],
    [
      'a part went back',
      paid,
      { refundedMinor: 700n },
      false,
      { entries: ['refund -700'], transition: undefined, hasProblem: false },
    ],
    [
      'more went back than was paid',
      paid,
      { refundedMinor: 2_501n },
      false,
      { entries: [], transition: 'fail', hasProblem: true },
    ],
    [
      'less went back than we know of',
      { ...paid, refunded_minor: 900n },
      { refundedMinor: 700n },
      false,
      { entries: [], transition: undefined, hasProblem: false },
    ],
    [
      'a dispute',
      paid,
      { dispute: { amountMinor: 2_500n, outcome: 'open' } },
      false,
      { entries: ['hold -2500'], transition: 'dispute', hasProblem: false },
    ],
    [
      'a dispute of more than is left',
      { ...paid, refunded_minor: 500n },
      { dispute: { amountMinor: 2_500n, outcome: 'open' } },
      false,
      { entries: ['hold -2000'], transition: 'dispute', hasProblem: false },
    ],
    [
      'a dispute before the payment',
      open,
      { dispute: { amountMinor: 2_500n, outcome: 'open' } },
      false,
      { entries: [], transition: undefined, hasProblem: false },
    ],
    [
      'a dispute with nothing left',
      { ...paid, refunded_minor: 2_500n },
      { dispute: { amountMinor: 2_500n, outcome: 'open' } },
      false,
      { entries: [], transition: undefined, hasProblem: false },
    ],
    [
      'a dispute that is over already',
      paid,
      { dispute: { amountMinor: 900n, outcome: 'won' } },
      true,
      { entries: [], transition: undefined, hasProblem: false },
    ],
    [
      'a dispute that was lost unheard',
      paid,
      { dispute: { amountMinor: 900n, outcome: 'lost' } },
      true,
      { entries: ['refund -900'], transition: 'lose', hasProblem: false },
    ],
    [
      'the end of a payment',
      { ...paid, state: 'charged_back' },
      { status: 'expired', currency: 'EUR' },
      true,
      { entries: [], transition: undefined, hasProblem: false },
    ],
    [
      'one that did not fit and does',
      { ...open, state: 'failed_reconcile' },
      { status: 'open' },
      true,
      { entries: [], transition: 'reopen', hasProblem: false },
    ],
    [
      'one that did not fit, paid',
      { ...paid, state: 'failed_reconcile' },
      facts,
      true,
      { entries: [], transition: 'pay', hasProblem: false },
    ],
    [
      'news of one that did not fit',
      { ...paid, state: 'failed_reconcile' },
      { refundedMinor: 0n },
      false,
      { entries: [], transition: undefined, hasProblem: false },
    ],
  ])('is made on %s', (_, now, said, whole, expected) => {
    expect(summaryOf(decide(now, said, whole))).toEqual(expected);
  });

  it('shows money in its problems', () => {
    const { problem } = decide(paid, { refundedMinor: 2_501n }, false);
    expect(problem).toBe('25.01 USD went back or is disputed, and 25.00 USD was paid.');
  });

  it('ends a dispute in both ways', () => {
    const disputed: Standing = { ...paid, state: 'disputed', disputed_minor: 2_500n };
    const said = (outcome: 'won' | 'lost'): PaymentFacts => ({ dispute: { amountMinor: 2_500n, outcome } });
    expect(summaryOf(decide(disputed, said('won'), false))).toMatchObject({
      entries: ['hold_release 2500'],
      transition: 'win',
    });
    const lost = decide(disputed, said('lost'), false);
    expect(summaryOf(lost)).toMatchObject({ entries: ['hold_release 2500', 'refund -2500'], transition: 'lose' });
    expect([lost.refunded, lost.disputed]).toEqual([2_500n, 0n]);
  });

  it('leaves nothing to decide when it is made again, and the balance follows from its entries', () => {
    const states = ['open', 'paid', 'expired', 'disputed', 'failed_reconcile', 'charged_back'] as const;
    const amounts = [undefined, 0n, 700n, 2_500n, 4_000n];
    const outcomes = [undefined, 'open', 'won', 'lost'] as const;
    for (const state of states) {
      for (const status of [undefined, 'open', 'paid', 'expired'] as const) {
        for (const [amountMinor, refundedMinor] of amounts.flatMap((one) => amounts.map((two) => [one, two]))) {
          for (const outcome of outcomes) {
            for (const whole of [true, false]) {
              const start: Standing =
                state === 'open' || state === 'expired'
                  ? { ...open, state }
                  : { ...paid, state, disputed_minor: state === 'disputed' ? 2_500n : 0n };
              const dispute = outcome && { amountMinor: 2_500n, outcome };
              const said: PaymentFacts = { status, amountMinor, refundedMinor, dispute, currency: 'USD' };
              const made = decide(start, said, whole);
              const then = after(start, made);
              const sum = made.entries.reduce((all, { amount }) => all + amount, 0n);
              const worth = (one: Standing) => one.credited_minor - one.refunded_minor - one.disputed_minor;
              expect(worth(then) - worth(start)).toBe(sum);
              expect(worth(then)).toBeGreaterThanOrEqual(0n);
              expect(made.entries.every(({ amount }) => amount !== 0n)).toBe(true);
              // A payment that was just paid learns of its dispute with the next comparison; then it is at rest.
              const second = decide(then, said, whole);
              expect(isChange(decide(after(then, second), said, whole))).toBe(false);
            }
          }
        }
      }
    }
  });
});
