import type { LedgerCheck, LedgerLine, UsageReport, UsageWindow } from '@gpuaas/sdk';
import { type Amount, spellMoney } from '../money.ts';
import { counted, shortId } from '../sizes.ts';

const hourMs = 3_600_000n;
/** Units of a price times milliseconds, as hours of a unit: `1,204.25`, and `0.0167` below one. Cut, and never 0 for something. */
export function spellHours(quantityMs: string): string {
  const ms = BigInt(quantityMs);
  const digits = ms < hourMs ? 4 : 2;
  const parts = 10n ** BigInt(digits);
  const small = (ms * parts) / hourMs;
  if (small === 0n) return ms === 0n ? '0' : '< 0.0001';
  return `${(small / parts).toLocaleString('en')}.${String(small % parts).padStart(digits, '0')}`;
}

const units: Readonly<Record<UsageWindow['unit'], string>> = {
  gpu_hour: 'GPU h',
  node_hour: 'node h',
  gib_hour: 'GiB h',
  ...{ unit: 'unit', thousand_units: '1,000 units', million_units: '1,000,000 units' },
};
/** `0.25 GPU h`. */
export const spellQuantity = ({ quantity_ms, unit }: Pick<UsageWindow, 'quantity_ms' | 'unit'>): string =>
  isHours(unit) ? `${spellHours(quantity_ms)} ${units[unit]}` : spellCount(quantity_ms);
const isHours = (unit: UsageWindow['unit']): boolean => unit.endsWith('_hour');
const spellCount = (count: string): string => `${BigInt(count).toLocaleString('en')} units`;

const microDigits = 6;
const microPerMinor = 10n ** BigInt(microDigits);
/** `$4.50/GPU h`, with the digits below a cent where there are any. */
export function spellRate({ rate_micro, unit, amount }: Pick<UsageWindow, 'rate_micro' | 'unit' | 'amount'>): string {
  const micro = BigInt(rate_micro);
  const whole = spellMoney({ amount_minor: String(micro / microPerMinor), currency: amount.currency });
  const finer = String(micro % microPerMinor)
    .padStart(microDigits, '0')
    .replace(/0+$/, '');
  const point = whole.includes('.') ? '' : '.';
  return `${finer === '' ? whole : whole.replace(/\d(?=\D*$)/, (digit) => digit + point + finer)}/${units[unit]}`;
}

const kinds: Readonly<Record<LedgerLine['kind'], string>> = {
  usage: 'GPU time',
  top_up: 'Payment',
  refund: 'Refund',
  grant: 'Credit',
  correction: 'Correction',
  hold: 'Set aside',
  hold_release: 'No longer set aside',
  tax: 'Tax',
};
export const meters: Readonly<Record<NonNullable<LedgerLine['meter']>, string>> = {
  gpu_time: 'GPU time',
  storage: 'Stored files',
  app_units: 'Units of apps',
};
export const tellKind = ({ kind, meter }: Pick<LedgerLine, 'kind' | 'meter'>): string =>
  meter ? meters[meter] : kinds[kind];

/** `12.5`, and for stored files `12.5 GiB h`: the column is about hours of GPUs and nodes. */
export const spellAmountOf = (quantityMs: string, meter: LedgerLine['meter']): string =>
  meter === 'app_units'
    ? spellCount(quantityMs)
    : meter === 'storage'
      ? `${spellHours(quantityMs)} GiB h`
      : spellHours(quantityMs);

/** The subject of a line: the allocation, the project that stored, or the given reason. */
export function tellSubject(line: LedgerLine): string {
  const { allocation_id, allocation_name, app_meter, meter, project_name, reason } = line;
  if (meter === 'storage') return `files of ${project_name ?? 'a project'}`;
  if (meter === 'app_units') return app_meter ?? 'units of an app';
  return allocation_name ?? (allocation_id ? `allocation ${shortId(allocation_id)}` : (reason ?? ''));
}

/** The result of a ledger check. */
export const tellCheck = (check: LedgerCheck): string =>
  check.ok
    ? `The ledger is correct: ${counted(check.entries, 'entry', 'entries')} checked; their sum is the balance of ${spellMoney(check.balance)}.`
    : `The ledger is not correct. ${check.problem ?? ''} Report this to the operator of the platform.`;

export interface DayBar {
  readonly day: string;
  readonly amount: Amount;
  /** Of the dearest day, in thousandths. */
  readonly share: number;
}
const dayMs = 86_400_000;
/** A bar for each day of the report; a day without usage has an empty one. */
export function barsOf({ from, to, total, rows }: UsageReport): readonly DayBar[] {
  const amounts = new Map(rows.map(({ key, amount }) => [key, amount]));
  const most = Math.max(0, ...rows.map(({ amount }) => Number(amount.amount_minor)));
  const days = Math.round((Date.parse(to) - Date.parse(from)) / dayMs) + 1;
  return Array.from({ length: days }, (_, index) => {
    const day = new Date(Date.parse(from) + index * dayMs).toISOString().slice(0, 'yyyy-mm-dd'.length);
    const amount = amounts.get(day) ?? { amount_minor: '0', currency: total.currency };
    return { day, amount, share: most === 0 ? 0 : Math.round((Number(amount.amount_minor) / most) * 1_000) };
  });
}

const dayFace = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', timeZone: 'UTC' });
/** `16 Nov`, of a day in UTC. */
export const spellDay = (day: string): string => dayFace.format(new Date(day));

const dateFace = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeZone: 'UTC' });
/** `16 Nov 2026`, of a day in UTC. */
export const spellDate = (day: string): string => dateFace.format(new Date(day));

/** The name of a group. */
export const tellGroup = (by: UsageReport['group_by'], { key, name }: UsageReport['rows'][number]): string =>
  by === 'day' ? spellDay(key) : (name ?? nameOfGroup(by, key));
/** A group whose name the server does not know. */
export const nameOfGroup = (by: string, key: string): string => {
  if (key === '') return by === 'none' ? 'Everything' : 'Without one';
  if (by === 'meter') return (meters as Readonly<Record<string, string>>)[key] ?? key;
  if (key === 'storage') return 'Stored files';
  return by === 'sku' || by === 'app' ? key : shortId(key);
};

/** What a grant will do, shown before it is done. */
export const tellGrant = (amount: Amount, { name, slug }: { readonly name: string; readonly slug: string }): string =>
  `This gives ${spellMoney(amount)} of credit to ${name} (${slug}). It counts at once and cannot be taken back here.`;
