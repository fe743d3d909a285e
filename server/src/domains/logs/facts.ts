import { minuteMs, secondMs } from '../../kernel/units.ts';

/** A node counts the control plane's time on by itself; what is further ahead is no clock that can be believed. */
export const aheadMs = minuteMs;
/** Lines that one page looks through for a text or a level: some tens of milliseconds. */
export const searchedAtOnce = 5_000;
/** Lines that a follower gets at once. */
export const followedAtOnce = 200;
/** Lines that a follower who is far behind looks through at once. */
export const walkedAtOnce = 20_000n;
/** Commits come in bursts; a follower reads at most this often. */
export const gatherMs = 250;
/** In case a wake-up was lost. */
export const lookEveryMs = 5 * secondMs;
/** Lines that one round removes, of each stream. */
export const prunedAtOnce = 10_000;
/** Rings after lines were stored. */
export const logsChannel = 'node_logs';
