import { tellAction } from '@gpuaas/sdk/actions';
import { showDuration, showValue, valueAt } from './value.ts';

/**
 * Rows as people read them: times as distances, words instead of codes, numbers aligned at their last digit. Programs ask
 * for json, yaml or csv, which have every value as the API gives it.
 */
export function makeTable(
  rows: readonly object[],
  paths: readonly string[],
  { now, width }: { readonly now: number; readonly width?: number | undefined },
): string {
  // Beside a name an action is a sentence. Lists for operators have the code, which their filters take.
  const hasActor = paths.includes('actor_name');
  const cells = rows.map((row) =>
    paths.map((path) => {
      const value = valueAt(row, path);
      return hasActor && path === 'action' ? tellAction(String(value)) : cellOf(path, value, now);
    }),
  );
  const isNumeric = paths.map((path) => path === quantity || rows.every((row) => isFigure(valueAt(row, path))));
  const titles = paths.map((path) => headOf(path).replace(isMoment(path) ? / AT$/ : /$^/, ''));
  return tableOf(fitted([titles, ...cells], paths.map(isId), width), isNumeric);
}

export const headOf = (path: string): string =>
  heads[path] ?? (path.split('.').at(-1) ?? path).replaceAll('_', ' ').toUpperCase();
const heads: Readonly<Record<string, string>> = {
  actor_name: 'WHO',
  quantity_ms: 'GPU OR NODE HOURS',
  target_name: 'ON',
};

/** Columns of moments. The column `at` of a history stays a time: there the seconds matter. */
const isMoment = (path: string): boolean => path.endsWith('_at');
const isFigure = (value: unknown): boolean =>
  typeof value === 'number' || (typeof value === 'object' && value !== null && 'amount_minor' in value);
/** Ids are copied, so they are shown whole. */
const isId = (path: string): boolean => /(?:^|[._])id$/.test(path);
/** Fields whose values are names of states or kinds. */
const isWord = (path: string): boolean => /(?:^|[._])(?:state|status|phase|shape|unit|kind|outcome|result)$/.test(path);

/** What was used, in milliseconds of a GPU or of a whole node. */
const quantity = 'quantity_ms';
const hourMs = 3_600_000;

function cellOf(path: string, value: unknown, now: number): string {
  if (path === 'actor_name' && value === null) return 'the platform';
  if (path === quantity && (typeof value === 'number' || typeof value === 'string')) {
    return (Number(value) / hourMs).toFixed(2);
  }
  // A value that people set is shown as they type it.
  if (typeof value === 'boolean' && path !== 'value') return value ? 'yes' : 'no';
  if (typeof value !== 'string') return showValue(value);
  if (isMoment(path)) return showDistance(value, now);
  return isWord(path) && /^[a-z]+(?:_[a-z]+)+$/.test(value) ? value.replaceAll('_', ' ') : showValue(value);
}

const minuteMs = 60_000;
const longMs = 30 * 24 * 60 * minuteMs;

/** `3 min ago`, `in 2 h`; a day when it is far away. */
export function showDistance(iso: string, now: number): string {
  const at = Date.parse(iso);
  if (Number.isNaN(at) || !/^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(iso)) return showValue(iso);
  const ms = Math.abs(at - now);
  if (ms >= longMs) return iso.slice(0, 'yyyy-mm-dd'.length);
  const text = showDuration(ms < minuteMs ? Math.round(ms / 1_000) : ms / 1_000);
  return at > now ? `in ${text}` : `${text} ago`;
}

const gap = 2;
/** Narrower than this, a cell says nothing. */
const leastWidth = 8;
const widthsOf = (rows: readonly (readonly string[])[]): number[] =>
  (rows[0] ?? []).map((_, at) => Math.max(...rows.map((row) => (row[at] ?? '').length)));

const cut = (text: string, width: number): string => (text.length <= width ? text : `${text.slice(0, width - 1)}…`);

/** Cuts the widest columns, letter by letter, until a line fits the terminal. Without a terminal nothing is cut. */
function fitted(
  rows: readonly (readonly string[])[],
  isWhole: readonly boolean[],
  width: number | undefined,
): readonly (readonly string[])[] {
  if (width === undefined) return rows;
  const widths = widthsOf(rows);
  let over = widths.reduce((sum, each) => sum + each, 0) + gap * (widths.length - 1) - width;
  for (; over > 0; over -= 1) {
    const widest = widths.reduce((best, each, at) => (!isWhole[at] && each > (widths[best] ?? 0) ? at : best), -1);
    if (widest < 0 || (widths[widest] ?? 0) <= leastWidth) break;
    widths[widest] = (widths[widest] ?? 0) - 1;
  }
  return rows.map((row) => row.map((cell, at) => cut(cell, widths[at] ?? cell.length)));
}

export function tableOf(rows: readonly (readonly string[])[], isNumeric: readonly boolean[] = []): string {
  const widths = widthsOf(rows);
  const pad = (cell: string, at: number) =>
    isNumeric[at] ? cell.padStart(widths[at] ?? 0) : cell.padEnd(widths[at] ?? 0);
  return rows.map((row) => `${row.map(pad).join(' '.repeat(gap)).trimEnd()}\n`).join('');
}
