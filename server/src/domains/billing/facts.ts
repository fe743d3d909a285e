import { dayMs, hourMs, minuteMs, secondMs } from '../../kernel/units.ts';

/** Meters that one transaction charges: large enough to be cheap for each, small enough to hold no account for long. */
export const metersAtOnce = 10_000;
/** Windows of one meter that one transaction charges. After an outage the next round takes the next ones. */
export const windowsAtOnce = 60;
/** Projects whose storage one transaction charges. Their uploads wait for it, so it is short. */
export const bucketsAtOnce = 1_000;
/** App instances whose counted units one transaction charges. */
export const instancesAtOnce = 1_000;
/** Units at which the meter of an app ends: more are no count of anything, and sums of many such meters still fit into the ledger. */
export const mostMeterUnits = 1_000_000_000_000_000n;
/** Minor units at which it ends, whatever its units cost: a number of the ledger holds millions of such meters. */
export const mostMeterMinor = 1_000_000_000_000n;
/** How often it is looked whether stored files are due: a part of the shortest window. */
export const storageEveryMs = 15 * secondMs;
/** A window that is not full is charged when its meter has been silent this long. What comes later is charged behind it. */
export const tailAfterMs = 15 * minuteMs;
/** A window is charged when it has been over this long. A release that was accepted in it is committed by then, and cuts it. */
export const settleAfterMs = 2 * secondMs;
/** Where it is announced that evidence came. A name between processes of one installation. */
export const evidenceChannel = 'gpuaas_usage';
/** A worker whose rounds have not ended well for this long is not ready. */
export const staleAfterMs = 2 * minuteMs;
/** How often the accrual looks when nothing wakes it: a part of the shortest window. */
export const accrueEveryMs = 5 * secondMs;
/** Evidence from the future waits on its node until this much of it is left: clocks of servers differ a little. */
export const aheadMs = 5 * secondMs;
/** Reports of usage that wait to be written together, by node. A node has one on its way at a time. */
export const mostReportsWaiting = 10_000;
/** Evidence of all nodes is one transaction in this time. */
export const evidenceEveryMs = secondMs;
/** Months are made ahead this often. They are made two months early, so a missed round does no harm. */
export const monthsEveryMs = hourMs;
/** How often balances are compared with the sums of their ledgers. */
export const compareEveryMs = 10 * minuteMs;
/** Accounts that one comparison adds up before it rests. */
export const accountsAtOnce = 200;
/** What usage of one day is shown for when nobody says from when: a month. */
export const usualUsageDays = 30;
/** The longest stretch of usage that one question may be about. */
export const mostUsageDays = 400;
export const lengthOfDayMs = dayMs;
/** Groups that one answer about usage shows. */
export const mostUsageRows = 1_000;
/** Prices are for an hour, runways are in minutes. */
export const minutesPerHour = 60;
export const secondsPerHour = hourMs / secondMs;
/** Prices are whole minor units an hour; rates are kept in millionths, so that a price may be finer one day. */
export const microPerMinor = 1_000_000n;
/** How often the worker looks how far balances reach when nothing wakes it. */
export const ladderEveryMs = 5 * secondMs;
/** Accounts that one look reads before the next page. */
export const ladderPage = 1_000;
/** Allocations whose release one decision asks for. */
export const releasesAtOnce = 10_000;
/** A release that was asked for and has not begun is asked for again: an event may have become a dead letter. */
export const releaseAgainMs = 5 * minuteMs;
/** Hours are added up from windows, so fewer days of them are shown at once. */
export const mostHourDays = 7;
/** Rows on a page of usage over time: a month of days with a few groups. */
export const usualSeriesRows = 200;
/** The history that a forecast rests on: four of each weekday. */
export const forecastDays = 28;
/** How far a forecast looks near the end of a month. */
export const forecastAheadDays = 14;
/** Allocations with the highest idle cost that one answer shows. */
export const idleRows = 20;
/** How often it is noted whether GPUs are idle. */
export const sampleEveryMs = 5 * minuteMs;
/** A report of a host that is older says nothing about now. */
export const sampleStaleMs = 2 * minuteMs;
/** Rows of revenue in one answer: a year of days with a few dozen SKUs. */
export const mostRevenueRows = 10_000;
/** Lines that an export reads and sends at a time, which bounds its memory. */
export const exportLines = 2_000;
/** Links of the ledger that an export reads at a time; a link has the entries of one statement. */
export const exportLinks = 200;
/** Time that one look at idle GPUs may stand for: a missed round is left out, not guessed. */
export const sampleMostMs = 2 * sampleEveryMs;
/** Forecasts know seven kinds of days. */
export const weekDays = 7;
/** Fewer whole days say nothing about the next ones. */
export const fewestForecastDays = 3;
/** With less than two of each weekday, a forecast takes all days as one kind. */
export const fewestWeekdayDays = 2 * weekDays;
/** A day lies in the band of its forecast with 80 % probability. */
export const forecastBand = [0.1, 0.9] as const;
/** A share is given in hundredths. */
export const wholePercent = 100n;
/** Rates are in 10^-6 minor units, so they have six more digits behind the point than amounts. */
export const rateDigits = 6;
/** Hours in files have six digits behind the point: a millisecond is 0.00000028 hours, and exact figures stand beside them. */
export const hourDigits = 6;
/** Prices of units that apps count are for one, a thousand or a million of them: so many digits of a count are behind the point. */
export const unitDigits: Readonly<Record<string, number>> = { unit: 0, thousand_units: 3, million_units: 6 };
/** Numbers in files are decimal. */
export const ten = 10n;
/** Rounding half up adds a half, which in whole numbers is done to twice the value. */
export const two = 2n;
/** A hold is given back in this many parts while usage is charged: fewer lines in the ledger than windows. */
export const holdParts = 4;
/** Holds that one transaction gives back. */
export const holdsAtOnce = 1_000;
/** How long after its deadline a capped allocation may still be active before the billing-worker asks for its release, too. */
export const capLateMs = minuteMs;
/** How often budgets are compared with what was spent when no charge wakes them. */
export const budgetsEveryMs = 15 * secondMs;
/** How often holds and caps are looked at when no charge wakes them. */
export const holdsEveryMs = 5 * secondMs;
/** Budgets that one answer shows, and that one look compares. */
export const mostBudgets = 1_000;
/** How far back a release for lack of money is still shown. */
export const releaseToldMs = 30 * dayMs;
/** Releases for lack of money that lie this close together are one: a decision asks for many, and hosts take their time. */
export const oneReleaseMs = hourMs;
/** Allocations that the story of a release names. */
export const releasedRows = 20;
/** Links of a ledger that are read at once to count credit, and after so many the worker keeps the count. */
export const linksAtOnce = 500;
/** How often credit is looked at: it expires by the day. */
export const creditEveryMs = 30 * secondMs;
