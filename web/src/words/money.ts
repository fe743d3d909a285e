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
