import type { BillingBalance } from '@gpuaas/contract';
import { minuteMs, secondMs } from '../../../kernel/units.ts';
import type { LadderRules } from './decide.ts';

type Steps = BillingBalance['steps'];

/** What happens to an account while its balance falls, and when that would be: the longest runway first. */
export function stepsOf(at: {
  readonly rules: LadderRules;
  readonly minimumMinutes: number;
  readonly runway: number | undefined;
  readonly now: Date;
}): Steps {
  const { rules, runway, now } = at;
  if (!rules.enforced) return [];
  const minutes: readonly (readonly [Steps[number]['step'], number])[] = [
    ...[...new Set(rules.warnMinutes)].filter((each) => each > 0).map((each) => ['warning', each] as const),
    ['launches_refused', at.minimumMinutes],
    ['release_announced', rules.noticeMinutes],
    ['depleted', 0],
  ];
  return minutes
    .map(([step, each]) => ({ step, runway_seconds: (each * minuteMs) / secondMs }))
    .toSorted((a, b) => b.runway_seconds - a.runway_seconds)
    .map((each) => ({
      ...each,
      at:
        runway === undefined || runway <= each.runway_seconds
          ? null
          : timeAfter(now, (runway - each.runway_seconds) / rules.speed),
    }));
}

/** A runway may be longer than the calendar. */
const timeAfter = (now: Date, seconds: number): string | null => {
  const then = new Date(now.getTime() + seconds * secondMs);
  return Number.isNaN(then.getTime()) ? null : then.toISOString();
};
