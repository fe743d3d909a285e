import { minuteMs, secondMs } from '../../kernel/units.ts';

/** Events that are read, published and settled together: large enough for the bus, small enough to repeat. */
export const batchSize = 1_000;
/** A wake-up that was lost costs this long. */
export const pollMs = 2 * secondMs;
/** How far the relay came is noted with its next look; when no event makes it look, it does so after this long. */
export const noteMs = 250;
/** While events wait for an older transaction to end: nobody says when it does. */
export const heldUp = { firstMs: 4, maxMs: 128 };
/** While the bus or the database is away. */
export const away = { firstMs: 50, maxMs: 5 * secondMs };
/** A refusal is about the event, and everything behind it waits meanwhile: all tries together take about a second. */
export const refused = { firstMs: 25, maxMs: 250 };

/** A consumer that says nothing for this long has died, and its event goes to another one. */
export const ackWaitMs = 5 * secondMs;
/** Between two deliveries of an event that a consumer failed on. */
export const redelivery = { backoffMs: 500, maxBackoffMs: minuteMs };
/** Tries of a consumer that lets go of what it cannot handle. */
export const looseAttempts = 5;
/** Keys that one consumer works on at a time; events of one key stay in order. */
export const keysAtOnce = 8;

/** As much of a reason as a person reads; the log has the rest. */
export const maxReasonLength = 1_000;
/** Old rows that one statement removes, so that housekeeping never holds locks for long. */
export const sweepBatch = 5_000;
