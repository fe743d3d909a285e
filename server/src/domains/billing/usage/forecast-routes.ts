import { type BillingForecast, billingForecastGet } from '@gpuaas/contract';
import { type Database, handlers, type Mounted, type ReadTx } from '../../../kernel/act.ts';
import type { Clock } from '../../../kernel/clock.ts';
import { Fault } from '../../../kernel/fault.ts';
import { forecastAheadDays, forecastDays, lengthOfDayMs } from '../facts.ts';
import { findAccount } from '../ledger-store.ts';
import { money } from '../money.ts';
import { dayOf } from '../period.ts';
import { type Expectation, forecast } from './forecast-method.ts';
import { daysSql, monthSql } from './forecast-store.ts';

const on = handlers<{ readonly db: Database; readonly clock: Clock }>();

const readDays = (tx: ReadTx, organizationId: string, today: string) =>
  tx.rows<{ day: string; amount_minor: bigint }>(daysSql, [organizationId, today, forecastDays]);

const readMonth = async (tx: ReadTx, organizationId: string, today: string): Promise<bigint> =>
  (await tx.rows<{ amount_minor: bigint }>(monthSql, [organizationId, today]))[0]?.amount_minor ?? 0n;

const method =
  'Each day ahead is expected to cost the mean of the same weekday in the last 28 days (of all days, with less than 14). ' +
  'The band is the 10th to the 90th percentile of how far each of those days strayed from the others, and the square root of n ' +
  'times as wide for a sum of n days. Today counts as whatever is higher: its expectation or what it has cost.';

const most = (a: bigint, b: bigint) => (a > b ? a : b);

const read = on(billingForecastGet, async ({ db, clock }, who, { params }) => {
  const now = clock.now();
  const today = dayOf(now);
  const { account, days, monthToDate } = await db.read(who, async (tx) => ({
    account: await findAccount(tx, params.organization_id),
    days: await readDays(tx, params.organization_id, today),
    monthToDate: await readMonth(tx, params.organization_id, today),
  }));
  if (!account) return new Fault('organization_not_found', 'There is no such object.');
  const show = (amount: bigint) => money(amount, account.currency);
  const soFar = days.find(({ day }) => day === today)?.amount_minor ?? 0n;
  const past = days.filter(({ day }) => day < today).map(({ amount_minor }) => amount_minor);
  const monthEnd = Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1, 1);
  const left = Math.round((monthEnd - Date.parse(today)) / lengthOfDayMs);
  const made = forecast(past, now.getUTCDay(), Math.max(left, forecastAheadDays));
  /** Today has cost something already, which no expectation undoes. */
  const atLeast = ({ expected, low, high }: Expectation, floor: bigint) => ({
    ...{ expected: show(most(expected, floor)), low: show(most(low, floor)), high: show(most(high, floor)) },
  });
  const month = made && atLeast(withBase(made.ofSum(left), monthToDate - soFar), monthToDate);
  return {
    state: made ? 'available' : 'unavailable',
    method,
    days_used: past.length,
    month: today.slice(0, 'yyyy-mm'.length),
    month_to_date: show(monthToDate),
    expected: month?.expected ?? null,
    low: month?.low ?? null,
    high: month?.high ?? null,
    days: (made?.ofDays ?? []).map((each, ahead) => ({
      day: dayOf(new Date(Date.parse(today) + ahead * lengthOfDayMs)),
      ...atLeast(each, ahead === 0 ? soFar : 0n),
    })),
  } satisfies BillingForecast;
});

const withBase = ({ expected, low, high }: Expectation, base: bigint): Expectation => ({
  ...{ expected: expected + base, low: low + base, high: high + base },
});

export const forecastRoutes = (parts: { readonly db: Database; readonly clock: Clock }): Mounted[] => [read(parts)];
