import type { AutoTopUp, PaymentMethod } from '@gpuaas/sdk';
import { spellMoney } from '../money.ts';

/** `Visa ending in 4242`. */
export const nameCard = ({ brand, last4 }: Pick<PaymentMethod, 'brand' | 'last4'>): string =>
  `${brand.charAt(0).toUpperCase()}${brand.slice(1)} ending in ${last4}`;

/** Whether and when the balance is topped up automatically. */
export const tellAutoTopUp = ({ enabled, threshold, amount, monthly_limit, added_this_month }: AutoTopUp): string =>
  enabled
    ? `When the balance is at most ${spellMoney(threshold)}, ${spellMoney(amount)} is added: at most ${spellMoney(monthly_limit)} in a month, ${spellMoney(added_this_month)} of it in this one.`
    : 'The balance is not topped up automatically.';
