import { describe, expect, it } from 'vitest';
import { makeTestClock } from '../../kernel/clock.ts';
import { makeNodeBudget } from './budget.ts';

describe('the budget of a node', () => {
  it('is spent by that node alone, fills evenly, and never holds more than a minute’s worth', async () => {
    const clock = makeTestClock(new Date(0));
    const budget = makeNodeBudget({ clock, callsPerMinute: 60 });
    const spend = (nodeId: string) => {
      let allowed = 0;
      while (budget.take(nodeId) === undefined) allowed += 1;
      return allowed;
    };
    expect(spend('a')).toBe(60);
    expect(budget.take('a')).toBe(1);
    expect(spend('b')).toBe(60);
    await clock.advance(10_000);
    expect(spend('a')).toBe(10);
    await clock.advance(3_600_000);
    expect(spend('a')).toBe(60);
  });
});
