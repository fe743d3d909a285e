import { dayMs, hourMs, minuteMs, secondMs } from '../../kernel/units.ts';

/** Meters that one transaction charges: large enough to be cheap for each, small enough to hold no account for long. */
export const metersAtOnce = 10_000;
/** Windows of one meter that one transaction charges. After an outage the next round takes the next ones. */
export const windowsAtOnce = 60;
/** A window that is not full is charged when its meter has been silent this long. What comes later is charged behind it. */
export const tailAfterMs = 15 * minuteMs;
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
