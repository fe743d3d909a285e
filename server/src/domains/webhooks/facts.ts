import { hourMs, secondMs } from '../../kernel/units.ts';

/** Bytes of a secret: within what Standard Webhooks asks for (24 to 64). */
export const secretBytes = 32;
/** The pause after the first failed try of a delivery. */
export const firstRetryMs = 10 * secondMs;
/** Each further pause is so many times as long: twelve tries reach over about two days. */
export const retryGrowth = 3;
/** Longer pauses would keep a receiver waiting that has come back. */
export const longestRetryMs = 8 * hourMs;
/** Posts that one worker has in flight at the same time. */
export const postsAtOnce = 32;
/** Of these, as many may be for one webhook. */
export const postsOfWebhook = 2;
/** And as many for one organization: slow receivers of a few tenants leave room for the others. */
export const postsOfOrganization = 4;
/** How long a worker has to post what it took; after that another one may take it. Longer than any receiver may take. */
export const claimMs = 5 * 60 * secondMs;
/** Tries of a delivery that are kept to be shown. */
export const triesKept = 20;
/** As long as a reason is kept. */
export const maxReasonLength = 500;
/** Old deliveries that one round removes. */
export const forgetBatch = 1_000;
/** The receiver says that it is gone for good (HTTP). */
export const goneStatus = 410;
/** A receiver takes an event by answering from here on (HTTP). */
export const takenFrom = 200;
/** And below this. */
export const takenBelow = 300;
