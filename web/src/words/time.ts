/** Times in words. `now` is a parameter: a page has one clock. */

const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;

/** `1 m 05 s`, `3 h 12 m`, `4 d 2 h`: two units at most, as people say it. */
export function spellDuration(ms: number): string {
  if (ms > 0 && ms < second) return '< 1 s';
  const whole = Math.max(0, Math.round(ms / second)) * second;
  if (whole < minute) return `${whole / second} s`;
  if (whole < hour) return `${Math.floor(whole / minute)} m ${String((whole % minute) / second).padStart(2, '0')} s`;
  if (whole < day) return joined(Math.floor(whole / hour), 'h', Math.floor((whole % hour) / minute), 'm');
  return joined(Math.floor(whole / day), 'd', Math.floor((whole % day) / hour), 'h');
}
const joined = (big: number, bigUnit: string, small: number, smallUnit: string) =>
  small === 0 ? `${big} ${bigUnit}` : `${big} ${bigUnit} ${small} ${smallUnit}`;

/** `just now`, `4 m ago`, `in 3 h`: one unit, since nobody needs two here. */
export function spellAgo(at: string | null | undefined, now: number): string {
  if (!at) return 'never';
  const ms = now - Date.parse(at);
  if (Number.isNaN(ms)) return 'at an unknown time';
  const size = Math.abs(ms);
  if (size < 10 * second) return 'just now';
  const [unit, name] = [
    [day, 'd'],
    [hour, 'h'],
    [minute, 'min'],
    [second, 's'],
  ].find(([length]) => size >= (length as number)) as [number, string];
  // Past times have one unit; remaining times have a second one.
  return ms >= 0 ? `${Math.floor(size / unit)} ${name} ago` : `in ${spellDuration(size)}`;
}

const exact = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'medium' });
export const spellMoment = (at: string): string => exact.format(new Date(at));
const clockFace = new Intl.DateTimeFormat('en-GB', { timeStyle: 'medium' });
export const spellClock = (at: string): string => clockFace.format(new Date(at));

const todays = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium' });
/** The time of day alone where it was today, with the date where it was not. */
export const spellWhen = (at: string, now: number): string =>
  todays.format(new Date(at)) === todays.format(new Date(now)) ? spellClock(at) : spellMoment(at);

/** Server messages, with their timestamps in local form. */
export const spellMoments = (text: string): string =>
  text.replaceAll(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g, (at) => spellMoment(at));

const unitLengths: Readonly<Record<string, number>> = { seconds: second, minutes: minute, hours: hour };
/** The value of a policy with its unit, and a long time also as people say it: `604,800 seconds (7 d)`. */
export function spellSetting(value: unknown, unit: string | undefined): string {
  if (typeof value !== 'number' || unit === undefined) return unit === undefined ? String(value) : `${value} ${unit}`;
  if (unit === 'minor units') return `${(value / 100).toFixed(2)} (${value.toLocaleString('en')} ${unit})`;
  const said = `${value.toLocaleString('en')} ${value === 1 ? unit.replace(/s\b/, '') : unit}`;
  const length = unitLengths[unit];
  return length === undefined || value <= 60 ? said : `${said} (${spellDuration(value * length).replace(' 00 s', '')})`;
}
