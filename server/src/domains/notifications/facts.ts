import { dayMs, hourMs, minuteMs } from '../../kernel/units.ts';

/** A message of the cache has at most 64 KiB; an id of a person has 36 characters and a comma. */
export const peopleInOneWake = 1_000;
/** Unread notifications are counted up to here: a bell shows no larger number. */
export const mostUnread = 100;
/** Expired rows that one round removes. */
export const forgetBatch = 1_000;
/** Mails that one round takes: few enough to be sent within the time of a claim. */
export const mailBatch = 20;
/** How long a worker has to send what it took; after that another one may take it. */
export const claimMs = 10 * minuteMs;
/** The pause after the first failed try of a mail. */
export const firstRetryMs = minuteMs;
/** Each further pause is so many times as long. */
export const retryGrowth = 2;
/** A mail server that is away for a day is tried four times in it. */
export const longestRetryMs = 6 * hourMs;
/** As long as a reason of a mail server is kept. */
export const maxReasonLength = 1_000;
/** What one daily mail takes from the queue. */
export const digestBatch = 500;
/** Lines that a person reads in one mail; the rest is counted. */
export const digestLines = 50;
/** How long a mail waits that its address cannot get now, because it got too many within an hour. */
export const overLimitMs = 10 * minuteMs;
/** Daily mails are a day apart. */
export const digestEveryMs = dayMs;
