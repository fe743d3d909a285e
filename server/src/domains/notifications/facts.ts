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
/** The pause after the first failed try of a mail; each further one is twice as long, up to the longest. */
export const firstRetryMs = minuteMs;
export const longestRetryMs = 6 * hourMs;
/** Lines of one daily mail; the rest is counted. */
export const digestLines = 50;
export const digestEveryMs = dayMs;
