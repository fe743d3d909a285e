import { dayMs, hourMs, minuteMs } from '../../kernel/units.ts';

/** Where it is announced that a refund waits or a payment is to be compared. A name between processes of one installation. */
export const paymentsChannel = 'gpuaas_payments';
/** How often the worker looks when nothing wakes it. */
export const lookEveryMs = 30_000;
/** Payments that one round asks the provider about, and refunds that it sends. */
export const atOnce = 20;
/** While a payment can be made the provider is asked this often: that is how late a lost webhook is noticed. */
export const openCheckMs = minuteMs;
/** A payment that was made is compared first after this time, then ever more seldom: at twice its age. */
export const firstCheckMs = 10 * minuteMs;
/** At least this often, for as long as it can still be refunded or disputed. */
export const slowestCheckMs = dayMs;
/** Banks let their customers dispute a payment for about half a year. */
export const checkForMs = 180 * dayMs;
/** A payment that does not fit is looked at this often, in case it has been mended at the provider. */
export const unfitCheckMs = hourMs;
/** How long a reason that the ledger keeps may be. */
export const longestReason = 500;
/** Settled payments that are counted at most: no limit grows beyond as many. */
export const mostSettled = 1_000;
/** How long a charge may be repeated: its provider remembers what it was asked for a day. */
export const chargeAgainForMs = 20 * hourMs;
/** Each failure of an automatic payment doubles the wait for the next attempt. */
export const backoffBase = 2;
/** A threshold is at most this many automatic payments: the payments that follow one fall of the balance stay few. */
export const mostThresholdPayments = 5;
/** No wait becomes longer than this, however often an attempt failed. */
export const longestBackoffMs = 7 * dayMs;
/** An automatic payment that was begun and not charged for this long is shown as stuck. */
export const stuckAfterMs = 15 * minuteMs;
