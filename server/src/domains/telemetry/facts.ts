import { minuteMs, secondMs } from '../../kernel/units.ts';

/** A node counts the control plane's time on by itself; what is further ahead is no clock that can be believed. */
export const aheadMs = minuteMs;
/** Six samples missed: what is older is not how it is now. */
export const nowMs = minuteMs;
/** What is asked for when no range is. */
export const usualRangeMs = 60 * minuteMs;
/** A coarse point is made when samples that were on their way at its end have come. */
export const settleMs = 30 * secondMs;
/** Coarse points that one round makes: a fleet of a few hundred nodes, in less than a second. */
export const rolledAtOnce = 200;
/** Points that one round removes, of each resolution. */
export const prunedAtOnce = 5_000;
/** Nodes and allocations that an exporter answers for: beyond it a scrape would take too long. */
export const exportedAtMost = 2_000;
/** Digits of an exported number: enough for every counter, without the tail of binary fractions. */
export const exportedDigits = 12;
