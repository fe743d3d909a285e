import { describe, expect, it } from 'vitest';
import { whyNot } from './orders.ts';
import type { Run } from './port.ts';
import type { Standing } from './standing.ts';

const now = new Date('2026-01-01T00:00:00Z');
const later = now.getTime() + 60_000;
const standing = (more: Partial<Standing>): Standing => ({
  step: 'boot',
  doing: 'working',
  untilMs: undefined,
  isUndoing: false,
  isLast: false,
  calledOff: undefined,
  reason: undefined,
  place: 1,
  ...more,
});
/** Which orders a run would take. */
const taken = (more: Partial<Standing>, state: Run['state'] = 'running', isCalledOff = false): string[] =>
  Object.entries(whyNot({ state, standing: standing(more), isCalledOff }, now)).flatMap(([kind, why]) =>
    why === undefined ? [kind] : [],
  );

describe('what can be wanted of a run', () => {
  it.each([
    ['queued', { doing: 'queued' }, ['cancel']],
    ['queued before its only step', { doing: 'queued', isLast: true }, ['cancel']],
    ['at work', { doing: 'working' }, ['cancel']],
    ['at work in its last step', { doing: 'working', isLast: true }, []],
    ['pausing', { doing: 'pausing', untilMs: later }, ['retry', 'cancel']],
    ['pausing in its last step', { doing: 'pausing', untilMs: later, isLast: true }, ['retry']],
    ['past its pause', { doing: 'pausing', untilMs: now.getTime() }, ['cancel']],
    ['waiting', { doing: 'waiting', untilMs: later }, ['cancel']],
    ['waiting in its last step', { doing: 'waiting', untilMs: later, isLast: true }, ['cancel']],
    ['being undone', { isUndoing: true }, []],
    ['pausing in an undo', { doing: 'pausing', untilMs: later, isUndoing: true }, ['retry']],
  ] as const)('of one that is %s', (_, more, kinds) => {
    expect(taken(more)).toEqual(kinds);
  });

  it('is only another try when it is stuck, and nothing twice', () => {
    expect(taken({ doing: 'stuck', isUndoing: true }, 'stuck')).toEqual(['retry']);
    expect(taken({ doing: 'working' }, 'running', true)).toEqual([]);
    expect(taken({ doing: 'working', isUndoing: true, calledOff: 'not wanted' })).toEqual([]);
  });

  it.each(['done', 'undone', 'cancelled', 'stuck'] as const)(
    'is nothing once it has ended as %s, with a reason',
    (state) => {
      const reasons = whyNot({ state, standing: undefined, isCalledOff: false }, now);
      expect(reasons.retry).toMatch(/\.$/);
      expect(reasons.cancel).toBe(reasons.retry);
    },
  );
});
