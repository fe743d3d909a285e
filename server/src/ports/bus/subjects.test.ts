import { describe, expect, it } from 'vitest';
import { covers, isPattern, isSubject, overlap } from './subjects.ts';

describe('subjects', () => {
  it.each([
    ['billing.>', 'billing.low', true],
    ['billing.>', 'billing.balance.low', true],
    ['billing.>', 'billing', false],
    ['billing.>', 'billings.low', false],
    ['billing.low', 'billing.low', true],
    ['billing.low', 'billing.low.very', false],
    ['>', 'anything.at_all', true],
  ])('say whether %s covers %s', (pattern, subject, expected) => {
    expect(covers(pattern, subject)).toBe(expected);
  });

  it.each([
    ['billing.>', 'billing.low', true],
    ['>', 'billing.>', true],
    ['billing.balance.>', 'billing.>', true],
    ['billing.balance', 'billing', false],
    ['apps.>', 'billing.>', false],
    ['apps.started', 'apps.started', true],
  ])('say whether %s and %s have something in common', (one, other, expected) => {
    expect(overlap(one, other)).toBe(expected);
    expect(overlap(other, one)).toBe(expected);
  });

  it.each(['', '.', 'a.', '.a', 'a..b', 'a b', 'a.*', 'a.>', 'ä.b', 'a\n.b', 'x'.repeat(256)])('refuse %j', (text) => {
    expect(isSubject(text)).toBe(false);
  });

  it('allow a wildcard for the rest, at the end of a pattern only', () => {
    expect(['>', 'a.>', 'a.b.>', 'a.b'].every(isPattern)).toBe(true);
    expect(['>.a', 'a.>.b', 'a.*', 'a>', ''].some(isPattern)).toBe(false);
  });
});
