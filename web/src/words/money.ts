/** Money on the wire: minor units as text, never a floating-point number. */
export interface Amount {
  readonly amount_minor: string;
  readonly currency: string;
}

const digitsOf = (currency: string): number => {
  try {
    return new Intl.NumberFormat('en', { style: 'currency', currency }).resolvedOptions().maximumFractionDigits ?? 2;
  } catch {
    return 2;
  }
};

/** `$4.50`. The decimal point is inserted into the digits, so that no cent is lost however large the amount. */
export function spellMoney({ amount_minor, currency }: Amount): string {
  const digits = digitsOf(currency);
  const negative = amount_minor.startsWith('-');
  const bare = (negative ? amount_minor.slice(1) : amount_minor).padStart(digits + 1, '0');
  const whole = bare.slice(0, bare.length - digits).replaceAll(/\B(?=(\d{3})+$)/g, ',');
  const parts = digits === 0 ? whole : `${whole}.${bare.slice(-digits)}`;
  const sign = symbols[currency];
  return `${negative ? '−' : ''}${sign ?? ''}${parts}${sign ? '' : ` ${currency}`}`;
}
const symbols: Readonly<Record<string, string>> = { USD: '$', EUR: '€', GBP: '£' };

/** `4.50`: as a person would type it. */
export function plainAmount({ amount_minor, currency }: Amount): string {
  const digits = digitsOf(currency);
  const sign = amount_minor.startsWith('-') ? '-' : '';
  const bare = amount_minor.slice(sign.length).padStart(digits + 1, '0');
  return `${sign}${digits === 0 ? bare : `${bare.slice(0, -digits)}.${bare.slice(-digits)}`}`;
}

/** An amount times a count, in whole minor units. */
export const timesAmount = ({ amount_minor, currency }: Amount, times: number): Amount => ({
  amount_minor: String(BigInt(amount_minor) * BigInt(times)),
  currency,
});

/** What a person typed, in minor units; undefined where it is no amount. */
export function minorOf(text: string, currency: string): string | undefined {
  const digits = digitsOf(currency);
  const [, whole = '', rest = ''] = /^(\d{1,12})(?:[.,](\d*))?$/.exec(text.trim()) ?? [];
  if (whole === '' || rest.length > digits) return undefined;
  return String(BigInt(whole + rest.padEnd(digits, '0')));
}

/** What is wrong with an amount that a person typed; undefined for an amount, and for nothing yet. */
export function faultOfAmount(text: string, currency: string): string | undefined {
  const said = text.trim();
  if (said === '' || minorOf(said, currency) !== undefined) return undefined;
  if (/^[-−]/.test(said)) return 'A price cannot be negative.';
  if (!/^\d+(?:[.,]\d*)?$/.test(said)) return 'Write a number, as 4.50: no letters, signs or spaces.';
  const digits = digitsOf(currency);
  if (/[.,]/.test(said)) return `${currency} has ${digits === 0 ? 'no' : digits} decimal places: round the price.`;
  return 'The number is too large.';
}

/** How far a new price is from the one that counts now, where it is more than twice as much or less than half. */
export function leapOf(minor: string | undefined, current: string | undefined): string | undefined {
  if (minor === undefined || current === undefined) return undefined;
  const [next, now] = [BigInt(minor), BigInt(current)];
  if (next === 0n || now === 0n) return undefined;
  if (next > now * 2n) return `${(Number(next) / Number(now)).toFixed(1)} times the current price`;
  return next * 2n < now ? `${(Number(now) / Number(next)).toFixed(1)} times less than the current price` : undefined;
}
