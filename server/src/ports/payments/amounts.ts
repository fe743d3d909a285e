import { showMoney } from '@gpuaas/contract';
import type { ChargeOrder, CheckoutOrder } from './port.ts';

/** The largest amount that the provider of cards takes at once: eight digits of minor units. */
const mostMinor = 99_999_999n;

/** Why no provider could take this order. */
export function findObjection(order: CheckoutOrder, now: Date): string | undefined {
  return findAmountObjection(order) ?? findTimeObjection(order, now);
}
export function findTimeObjection({ expiresAt }: Pick<CheckoutOrder, 'expiresAt'>, now: Date): string | undefined {
  return expiresAt <= now ? 'the checkout would have ended before it began' : undefined;
}
export function findAmountObjection({
  amountMinor,
  currency,
}: Pick<ChargeOrder, 'amountMinor' | 'currency'>): string | undefined {
  if (!/^[A-Z]{3}$/.test(currency)) return 'the currency is not three capital letters';
  if (amountMinor <= 0n) return 'the amount is not more than nothing';
  if (amountMinor > mostMinor) return `one payment is at most ${showMoney(mostMinor, currency)}`;
  return undefined;
}
