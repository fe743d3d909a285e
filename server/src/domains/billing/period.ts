import { Fault } from '../../kernel/fault.ts';
import { lengthOfDayMs, mostUsageDays, usualUsageDays } from './facts.ts';

export const dayOf = (at: Date): string => at.toISOString().slice(0, 'yyyy-mm-dd'.length);
/** The days that are asked for, or why they are none. */
export function periodOf(
  query: { readonly from?: string; readonly to?: string },
  now: Date,
): { readonly from: string; readonly to: string } | Fault<'period_invalid'> {
  const to = query.to ?? dayOf(now);
  const toMs = Date.parse(to);
  const from = query.from ?? (Number.isNaN(toMs) ? to : dayOf(new Date(toMs - (usualUsageDays - 1) * lengthOfDayMs)));
  const fromMs = Date.parse(from);
  const isReal = (day: string, ms: number) => !Number.isNaN(ms) && dayOf(new Date(ms)) === day;
  if (!isReal(to, toMs) || !isReal(from, fromMs))
    return new Fault('period_invalid', 'Not a valid date. Use YYYY-MM-DD.');
  if (fromMs > toMs) return new Fault('period_invalid', `${from} is after ${to}.`);
  if (toMs - fromMs >= mostUsageDays * lengthOfDayMs) {
    return new Fault('period_invalid', `A period has at most ${mostUsageDays} days.`);
  }
  return { from, to };
}
