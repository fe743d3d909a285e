/** One value as text. Foreign text may contain control characters, which are removed for a terminal. */
export function plain(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Bidi_Control}]/gu, '\u00b7');
}

/** JSON with control characters escaped that a terminal would obey. */
export const jsonOf = (value: unknown, indent?: number): string =>
  JSON.stringify(value, undefined, indent).replaceAll(
    /[\u007f-\u009f\p{Bidi_Control}]/gu,
    (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );

export interface MoneyLike {
  readonly amount_minor: string;
  readonly currency: string;
}
const isMoney = (value: object): value is MoneyLike => 'amount_minor' in value && 'currency' in value;

export const fractionOf = (currency: string): number => {
  try {
    return new Intl.NumberFormat('en', { style: 'currency', currency }).resolvedOptions().maximumFractionDigits ?? 2;
  } catch {
    return 2;
  }
};

/** `3.10 EUR`, from whole minor units: money is never a floating-point number. */
export function showMoney({ amount_minor, currency }: MoneyLike): string {
  const digits = fractionOf(currency);
  const sign = amount_minor.startsWith('-') ? '-' : '';
  const text = amount_minor.replace('-', '').padStart(digits + 1, '0');
  const whole = text.slice(0, text.length - digits);
  return `${sign}${whole}${digits > 0 ? `.${text.slice(-digits)}` : ''} ${currency}`;
}

export const showTime = (iso: string): string => iso.replace(/^(\d{4}-\d\d-\d\d)T(\d\d:\d\d:\d\d).*$/, '$1 $2Z');

/** In a list, an object is shown by its name and a condition by its text. */
function shortOf(value: unknown): string {
  if (typeof value !== 'object' || value === null) return showValue(value);
  if ('id' in value && 'name' in value) return showValue(value.name);
  if (!('type' in value && 'status' in value && 'message' in value)) return showValue(value);
  return `${showValue(value.type)}=${showValue(value.status)}${value.message ? ` ${showValue(value.message)}` : ''}`;
}

/** Objects are one per line; single words share a line. */
export function showLines(value: unknown): readonly string[] {
  const areThings = Array.isArray(value) && value.some((each) => typeof each === 'object' && each !== null);
  return areThings ? value.map(shortOf) : [showValue(value)];
}

export function showValue(value: unknown): string {
  if (value === null || value === undefined || value === '') return '-';
  if (Array.isArray(value)) return value.length === 0 ? '-' : value.map(shortOf).join(',');
  if (typeof value === 'object') {
    if (isMoney(value)) return showMoney(value);
    const pairs = Object.entries(value);
    return pairs.length === 0 ? '-' : pairs.map(([name, each]) => `${plain(name)}=${showValue(each)}`).join(' ');
  }
  const text = plain(String(value));
  return /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d/.test(text) ? showTime(text) : text;
}

/** The value at `price.per_hour` of a row. */
export const valueAt = (row: unknown, path: string): unknown =>
  path.split('.').reduce<unknown>((value, name) => {
    if (typeof value !== 'object' || value === null) return undefined;
    return Object.hasOwn(value, name) ? (value as Record<string, unknown>)[name] : undefined;
  }, row);

const units: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600, d: 86_400 };
/** Parses `90s`, `30m`, `3h`, `1h30m`, `2d` to seconds. */
export function readDuration(text: string): number | undefined {
  if (!/^(?:\d+[smhd])+$/.test(text)) return undefined;
  return [...text.matchAll(/(\d+)([smhd])/g)].reduce(
    (sum, [, count, unit]) => sum + Number(count) * (units[unit ?? ''] ?? 0),
    0,
  );
}

export function showDuration(seconds: number): string {
  if (seconds < 60) return `${Math.round(seconds * 10) / 10} s`;
  const minutes = Math.round(seconds / 60);
  if (minutes < 60) return `${minutes} min`;
  const [hours, rest] = [Math.floor(minutes / 60), minutes % 60];
  return hours >= 48 ? `${Math.round(hours / 24)} d` : `${hours} h${rest > 0 ? ` ${rest} min` : ''}`;
}
