import { showMoney } from '@gpuaas/contract';
import { hourMs } from '../../../kernel/units.ts';
import { hourDigits, rateDigits, ten, two } from '../facts.ts';

/** A whole number with a decimal point this many digits from its end; zeros at the end are left out. */
export function decimal(value: bigint, digits: number): string {
  const text = (value < 0n ? -value : value).toString().padStart(digits + 1, '0');
  const fraction = digits === 0 ? '' : text.slice(-digits).replace(/0+$/, '');
  const whole = digits === 0 ? text : text.slice(0, -digits);
  return `${value < 0n ? '-' : ''}${whole}${fraction === '' ? '' : `.${fraction}`}`;
}

/** `25.00` for 2500 cents. */
export const major = (amount: bigint, currency: string): string => showMoney(amount, currency).split(' ')[0] ?? '';

/** The price of an hour in major units, from 10^-6 minor units. */
export const majorRate = (rateMicro: bigint, currency: string): string => {
  const [, fraction = ''] = major(1n, currency).split('.');
  return decimal(rateMicro, rateDigits + fraction.length);
};

/** Milliseconds as hours with six digits behind the point, rounded half up. */
export const hours = (ms: bigint): string => {
  const scaled = ms * ten ** BigInt(hourDigits);
  const hour = BigInt(hourMs);
  return decimal((scaled * two + hour) / (hour * two), hourDigits);
};
