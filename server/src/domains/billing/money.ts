import type { Money } from '@gpuaas/contract';

export const money = (amount: bigint, currency: string): Money => ({ amount_minor: amount.toString(), currency });

/** `25.00 USD`, for messages. The decimal point is inserted into the digits, so that no cent is lost. */
export function showMoney(amount: bigint, currency: string): string {
  const { maximumFractionDigits: digits = 0 } = new Intl.NumberFormat('en', {
    style: 'currency',
    currency,
  }).resolvedOptions();
  const text = (amount < 0n ? -amount : amount).toString().padStart(digits + 1, '0');
  const point = text.length - digits;
  return `${amount < 0n ? '-' : ''}${text.slice(0, point)}${digits === 0 ? '' : `.${text.slice(point)}`} ${currency}`;
}
