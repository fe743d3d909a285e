import { describe, expect, it } from 'vitest';
import { stepsOf } from './steps.ts';

const rules = {
  ...{
    enforced: true,
    warnMinutes: [1_440, 360, 60],
    thresholdMinor: 500n,
    noticeMinutes: 30,
    keepMinutes: 60,
    speed: 1,
  },
};
const now = new Date('2026-03-01T00:00:00.000Z');

describe('the steps of a falling balance', () => {
  it('come in the order in which they happen, each with its time at the present rate', () => {
    const steps = stepsOf({ rules, minimumMinutes: 90, runway: 7 * 3_600, now });
    expect(steps.map(({ step, runway_seconds }) => [step, runway_seconds / 60])).toEqual([
      ['warning', 1_440],
      ['warning', 360],
      ['launches_refused', 90],
      ['warning', 60],
      ['release_announced', 30],
      ['depleted', 0],
    ]);
    expect(steps.map(({ at }) => at)).toEqual([
      null,
      '2026-03-01T01:00:00.000Z',
      '2026-03-01T05:30:00.000Z',
      '2026-03-01T06:00:00.000Z',
      '2026-03-01T06:30:00.000Z',
      '2026-03-01T07:00:00.000Z',
    ]);
  });

  it('have no time when nothing is active, and for a runway beyond the calendar', () => {
    for (const runway of [undefined, Number.MAX_SAFE_INTEGER]) {
      expect(stepsOf({ rules, minimumMinutes: 0, runway, now }).every(({ at }) => at === null)).toBe(true);
    }
  });

  it('are none where the organization does not pay ahead', () => {
    expect(stepsOf({ rules: { ...rules, enforced: false }, minimumMinutes: 60, runway: 60, now })).toEqual([]);
  });
});
