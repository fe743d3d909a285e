import { type OutputFormat, outputs, type Session } from '../command.ts';
import { usageFailure } from '../failure.ts';
import { settingOf } from '../setting.ts';
import { headOf, makeTable } from './table.ts';
import { jsonOf, plain, showDuration, showLines, showValue, valueAt } from './value.ts';

/** The output format: from a flag, the environment, a file, or a table by default. jq reads JSON. */
export function formatOf(session: Session): OutputFormat {
  const { value: asked = 'table' } = settingOf(session, 'output');
  if (session.is('json') || session.text('fields') !== undefined) return 'json';
  if (session.text('jq') !== undefined) return asked === 'ndjson' ? 'ndjson' : 'json';
  const found = outputs.find((each) => each === asked);
  if (!found) throw usageFailure(`There is no output ${JSON.stringify(asked)}.`, `There are: ${outputs.join(', ')}.`);
  return found;
}

const chosen = (text: string | undefined): readonly string[] | undefined =>
  text?.split(',').map((name) => name.trim().toLowerCase());

/** Rows in the chosen format. `columns` are the fields of a table, by path. */
export function showRows(session: Session, rows: readonly object[], columns: readonly string[], none: string): void {
  const { stdout } = session.around;
  assertKnown(session, rows);
  const picked = rows.map((row) => pick(session, row));
  const shown = chosen(session.text('columns')) ?? columns;
  switch (formatOf(session)) {
    case 'json':
      return void stdout.write(`${jsonOf(picked, 2)}\n`);
    case 'ndjson':
      for (const row of picked) stdout.write(`${jsonOf(row)}\n`);
      return;
    case 'yaml':
      return void stdout.write(picked.length === 0 ? '[]\n' : picked.map((row) => yamlItem(row)).join(''));
    case 'csv':
      stdout.write(`${shown.join(',')}\r\n`);
      for (const row of rows) stdout.write(`${shown.map((path) => csvCell(valueAt(row, path))).join(',')}\r\n`);
      return;
    case 'name':
      for (const row of rows) stdout.write(`${nameOfRow(row)}\n`);
      return;
    default:
      if (rows.length === 0) session.say(none);
      else
        stdout.write(
          makeTable(rows, shown, { now: session.now(), width: stdout.isTTY === true ? stdout.columns : undefined }),
        );
  }
}

/** One object. As a table: its fields, one below the other. */
export function showOne(session: Session, row: object, columns: readonly string[]): void {
  const { stdout } = session.around;
  assertKnown(session, [row]);
  switch (formatOf(session)) {
    case 'json':
      return void stdout.write(`${jsonOf(pick(session, row), 2)}\n`);
    case 'ndjson':
      return void stdout.write(`${jsonOf(pick(session, row))}\n`);
    case 'yaml':
      return void stdout.write(yamlOf(pick(session, row), ''));
    case 'csv':
    case 'name':
      showRows(session, [row], columns, '');
      return;
    default: {
      const shown = chosen(session.text('columns')) ?? columns;
      const lines = shown
        .filter((path) => valueAt(row, path) !== undefined)
        .flatMap((path) =>
          linesOf(path, valueAt(row, path)).map((line, at) => [at === 0 ? titleOf(path) : '', line] as const),
        );
      stdout.write(pairsOf(lines));
    }
  }
}

/** People read lengths of time in hours and minutes. */
const isLength = (path: string): boolean => path.endsWith('_seconds');
const titleOf = (path: string): string => headOf(path.replace(/_seconds$/, '')).toLowerCase();
const linesOf = (path: string, value: unknown): readonly string[] =>
  isLength(path) && typeof value === 'number' ? [showDuration(value)] : showLines(value);

/** A field that no row has is probably a typing error, so it is reported. */
function assertKnown(session: Session, rows: readonly object[]): void {
  const asked = [...(chosen(session.text('fields')) ?? []), ...(chosen(session.text('columns')) ?? [])];
  const wrong = asked.find((path) => rows.every((row) => !Object.hasOwn(row, path.split('.')[0] ?? path)));
  if (rows.length === 0 || wrong === undefined) return;
  const known = [...new Set(rows.flatMap((row) => Object.keys(row)))].map(plain).join(', ');
  throw usageFailure(`There is no field ${JSON.stringify(wrong)}.`, `There are: ${known}.`);
}

export function pairsOf(lines: readonly (readonly [string, string])[], indent = ''): string {
  const width = Math.max(0, ...lines.map(([left]) => left.length));
  return lines.map(([left, right]) => `${indent}${left.padEnd(width)}  ${right}\n`).join('');
}

function pick(session: Session, row: object): object {
  const fields = session.text('fields')?.split(',');
  if (!fields) return row;
  return Object.fromEntries(fields.map((path) => [path, valueAt(row, path.trim()) ?? null]));
}

function nameOfRow(row: object): string {
  for (const path of ['id', 'sku', 'slug', 'key', 'stream_seq', 'allocation_id', 'name']) {
    const value = valueAt(row, path);
    if (typeof value === 'string') return plain(value);
  }
  return '-';
}

/** A CSV cell that a spreadsheet does not calculate. */
function csvCell(value: unknown): string {
  const text =
    value === null || value === undefined ? '' : typeof value === 'object' ? showValue(value) : plain(String(value));
  const safe = /^[=+\-@\t\r]/.test(text) && typeof value !== 'number' ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** YAML in its JSON subset, in lines: strings are quoted, so none is misread. */
export function yamlOf(value: unknown, indent: string): string {
  if (typeof value !== 'object' || value === null) return `${indent}${jsonOf(value ?? null)}\n`;
  if (Array.isArray(value)) return value.map((each) => yamlItem(each, indent)).join('');
  return Object.entries(value)
    .map(([name, each]) => {
      const key = /^[a-z_][a-z0-9_]*$/i.test(name) ? name : jsonOf(name);
      return isNested(each)
        ? `${indent}${key}:\n${yamlOf(each, `${indent}  `)}`
        : `${indent}${key}: ${jsonOf(each ?? null)}\n`;
    })
    .join('');
}
const yamlItem = (value: unknown, indent = ''): string =>
  isNested(value)
    ? `${indent}- ${yamlOf(value, `${indent}  `).slice(indent.length + 2)}`
    : `${indent}- ${jsonOf(value ?? null)}\n`;
const isNested = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && Object.keys(value).length > 0;
