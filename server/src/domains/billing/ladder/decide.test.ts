import { billingAccountMachine } from '@gpuaas/contract';
import { describe, expect, it } from 'vitest';
import { hourMs, minuteMs } from '../../../kernel/units.ts';
import { decideLadder, isChange, type LadderRules, type LadderState, type Standing, type Step } from './decide.ts';

const start = new Date('2026-05-01T00:00:00.000Z');
const rules: LadderRules = {
  enforced: true,
  warnMinutes: [1_440, 360, 60],
  thresholdMinor: 500n,
  noticeMinutes: 30,
  keepMinutes: 60,
  speed: 1,
};
const fresh: Standing = {
  ...{ now: start, spendable: 100_000n, perHour: 100n, living: 1, used: true, state: 'healthy' },
  ...{
    warnedSteps: 0,
    warnedBalance: false,
    stopsAt: null,
    stoppedAt: null,
    releasesAt: null,
    releaseRequestedAt: null,
  },
};
/** What is stored after a step. */
const after = (at: Standing, step: Step): Standing => ({
  ...at,
  state: step.state,
  warnedSteps: step.warnedSteps,
  warnedBalance: step.warnedBalance,
  stopsAt: step.stopsAt,
  stoppedAt: step.stoppedAt,
  releasesAt: step.releasesAt,
  releaseRequestedAt:
    step.state !== 'depleted' && step.stoppedAt === null ? null : step.release ? at.now : at.releaseRequestedAt,
});
/** What is said about an account while its time passes and its balance falls. */
function live(from: Standing, minutes: number, perMinute: (minute: number) => bigint, given = rules) {
  const said: string[] = [];
  let at = from;
  for (let minute = 0; minute <= minutes; minute += 1) {
    at = { ...at, now: new Date(start.getTime() + minute * minuteMs) };
    const step = decideLadder(at, given);
    if (step.transition) said.push(step.state);
    if (step.warning) said.push(`warning ${step.warning.seconds ?? step.warning.minor}`);
    if (step.stop) said.push(`stop at ${minute}`);
    if (step.release) said.push(`release at ${minute}`);
    at = { ...after(at, step), spendable: at.spendable - perMinute(minute) };
  }
  return { said, at };
}

describe('a balance that falls', () => {
  it('is warned about once at each threshold, announced, spent, stopped at the announced time, and released after the time of grace', () => {
    // 60 an hour, 30 hours of it; the amount of 5.00 is crossed at 500 minutes of runway, between a day and six hours.
    const { said } = live({ ...fresh, spendable: 1_800n, perHour: 60n }, 1_861, (minute) => (minute < 1_800 ? 1n : 0n));
    expect(said).toEqual([
      ...['low_balance', 'warning 86400', 'warning 500', 'warning 21600', 'warning 3600'],
      ...['auto_release_pending', 'depleted', 'stop at 1800', 'release at 1860'],
    ]);
  });

  it('is warned about by its amount first where that is crossed first', () => {
    const { said } = live({ ...fresh, spendable: 600n, perHour: 10n }, 600, () => 1n);
    expect(said.slice(0, 2)).toEqual(['low_balance', 'warning 500']);
  });

  it('is announced with the whole notice, however suddenly it is gone', () => {
    const step = decideLadder({ ...fresh, spendable: -5n }, rules);
    expect(step).toMatchObject({ state: 'depleted', release: false });
    expect(step.stopsAt).toEqual(new Date(start.getTime() + 30 * minuteMs));
    expect(step.releasesAt).toEqual(new Date(start.getTime() + 90 * minuteMs));
    const { said } = live({ ...fresh, spendable: -5n }, 100, () => 1n);
    expect(said).toEqual(['depleted', 'stop at 30', 'release at 90', 'release at 95', 'release at 100']);
  });

  it('is never released from while something is left of it', () => {
    const low = { ...fresh, spendable: 10n, perHour: 100n };
    const announced = after(low, decideLadder(low, rules));
    const later = { ...announced, now: new Date(start.getTime() + 2 * hourMs) };
    const step = decideLadder(later, rules);
    expect(step).toMatchObject({ state: 'auto_release_pending', release: false });
    expect(step.stopsAt?.getTime()).toBe(later.now.getTime() + 6 * minuteMs);
  });

  it('is released from at the announced time where machines are not kept', () => {
    const { said } = live({ ...fresh, spendable: -5n }, 35, () => 1n, { ...rules, keepMinutes: 0 });
    expect(said).toEqual(['depleted', 'release at 30', 'release at 35']);
  });

  it('keeps disks for the whole time of grace, however late the machines were stopped', () => {
    const spent = { ...fresh, spendable: -5n };
    const announced = after(spent, decideLadder(spent, rules));
    const late = { ...announced, now: new Date(start.getTime() + 24 * hourMs) };
    const step = decideLadder(late, rules);
    expect(step).toMatchObject({ stop: true, release: false, stoppedAt: late.now });
    expect(step.releasesAt?.getTime()).toBe(late.now.getTime() + hourMs);
  });

  it('has no release to announce when nothing runs', () => {
    const idle = { ...fresh, spendable: 0n, perHour: 0n, living: 0 };
    expect(decideLadder(idle, rules)).toMatchObject({ state: 'depleted', releasesAt: null, release: false });
  });

  it('means nothing where the organization does not pay ahead, or has never had a balance', () => {
    expect(decideLadder({ ...fresh, spendable: -900n }, { ...rules, enforced: false }).state).toBe('healthy');
    const unused = { ...fresh, spendable: 0n, perHour: 0n, living: 0, used: false };
    expect(decideLadder(unused, rules).state).toBe('healthy');
    expect(isChange(unused, decideLadder(unused, rules))).toBe(false);
  });
});

describe('a top-up', () => {
  it.each<LadderState>(['low_balance', 'auto_release_pending', 'depleted'])(
    'undoes %s and what was announced',
    (state) => {
      const at = {
        ...fresh,
        state,
        warnedSteps: 3,
        warnedBalance: true,
        stopsAt: start,
        stoppedAt: start,
        releasesAt: start,
      };
      expect(decideLadder(at, rules)).toMatchObject({
        ...{
          state: 'healthy',
          transition: 'recover',
          warnedSteps: 0,
          warnedBalance: false,
          releasesAt: null,
          release: false,
        },
      });
    },
  );

  it('of too little announces the release again, with a new time', () => {
    const at = {
      ...fresh,
      spendable: 1n,
      state: 'depleted' as const,
      stopsAt: start,
      releasesAt: start,
      releaseRequestedAt: start,
    };
    const step = decideLadder(at, rules);
    expect(step).toMatchObject({ state: 'auto_release_pending', transition: 'announce', release: false });
    expect(step.stopsAt).toEqual(new Date(start.getTime() + 30 * minuteMs));
  });

  it('starts stopped machines when the balance lasts longer than the notice, and not before', () => {
    const stopped = {
      ...{ ...fresh, state: 'depleted' as const, stopsAt: start, stoppedAt: start, spendable: 1n },
      releasesAt: new Date(start.getTime() + hourMs),
    };
    const little = decideLadder(stopped, rules);
    expect(little).toMatchObject({ state: 'auto_release_pending', stoppedAt: start, releasesAt: stopped.releasesAt });
    const still = after(stopped, little);
    const due = decideLadder({ ...still, now: new Date(start.getTime() + hourMs) }, rules);
    expect(due).toMatchObject({ stop: false, release: true });
    const enough = decideLadder({ ...still, spendable: 99_999n }, rules);
    expect(enough).toMatchObject({
      state: 'healthy',
      stoppedAt: null,
      stopsAt: null,
      releasesAt: null,
      release: false,
    });
  });

  it('arms the warnings again: the next crossing is told anew', () => {
    const first = live({ ...fresh, spendable: 2_500n, perHour: 100n }, 120, () => 2n);
    expect(first.said).toEqual(['low_balance', 'warning 86400']);
    const paid = live({ ...first.at, spendable: 2_500n }, 120, () => 2n);
    expect(paid.said).toEqual(['healthy', 'low_balance', 'warning 86400']);
  });
});

describe('every step', () => {
  it('is an edge of the machine, from every state, at every balance, and a second look changes nothing', () => {
    for (const state of Object.keys(billingAccountMachine.states) as LadderState[]) {
      for (const spendable of [-100n, 0n, 1n, 49n, 51n, 99n, 101n, 499n, 501n, 2_399n, 2_401n, 99_999n]) {
        for (const perHour of [0n, 1n, 100n, 10_000n]) {
          const at = { ...fresh, state, spendable, perHour, living: perHour === 0n ? 0 : 1 };
          const step = decideLadder(at, rules);
          if (step.transition) expect(billingAccountMachine.next(state, step.transition)).toBe(step.state);
          else expect(step.state).toBe(state);
          const settled = after(at, step);
          expect(isChange(settled, decideLadder(settled, rules))).toBe(false);
        }
      }
    }
  });
});
