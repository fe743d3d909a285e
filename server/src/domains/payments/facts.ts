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
