import { showMoney } from '@gpuaas/contract';
import type { CheckoutOrder } from './port.ts';

/** The largest amount that the provider of cards takes at once: eight digits of minor units. */
const mostMinor = 99_999_999n;

/** Why no provider could take this order. */
export function findObjection({ amountMinor, currency, expiresAt }: CheckoutOrder, now: Date): string | undefined {
  if (!/^[A-Z]{3}$/.test(currency)) return 'the currency is not three capital letters';
  if (amountMinor <= 0n) return 'the amount is not more than nothing';
  if (amountMinor > mostMinor) return `one payment is at most ${showMoney(mostMinor, currency)}`;
  if (expiresAt <= now) return 'the checkout would have ended before it began';
  return undefined;
}
