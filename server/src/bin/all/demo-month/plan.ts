/** What the people of the demo ran in the last four weeks: more on weekdays than on weekends, by two of them. */
export interface PlannedRun {
  readonly name: string;
  readonly login: 'member' | 'admin';
  readonly fromMs: number;
  readonly toMs: number;
  readonly gpus: number;
}

const [minuteMs, hourMs, dayMs] = [60_000, 3_600_000, 86_400_000];
const days = 28;
/** Hours of a day's main run, week by week, so that no two weeks are the same. */
const hours = [3, 2, 4, 3] as const;

export function planMonth(nowMs: number): readonly PlannedRun[] {
  const today = Math.floor(nowMs / dayMs) * dayMs;
  return Array.from({ length: days }, (_, index) => days - index).flatMap((back) => {
    const day = today - back * dayMs;
    const weekday = new Date(day).getUTCDay();
    const isWeekend = weekday === 0 || weekday === 6;
    const long = hours[back % hours.length] ?? 1;
    const main: PlannedRun = {
      ...{ name: `training-${29 - back}`, login: 'member', gpus: 1 },
      ...{ fromMs: day + 9 * hourMs, toMs: day + (9 + (isWeekend ? 1 : long)) * hourMs + 20 * minuteMs },
    };
    if (isWeekend) return [main];
    const evening: PlannedRun = {
      ...{ name: `evaluation-${29 - back}`, login: 'admin', gpus: 1 },
      ...{ fromMs: day + 19 * hourMs, toMs: day + 20 * hourMs },
    };
    return [main, evening];
  });
}
