import { Fault } from './fault.ts';

/**
 * Pages by key, never by offset: a cursor is the last row's sort key, so that page 10,000 costs what page 1 costs. It is
 * opaque to callers, and says which list made it.
 */
export interface Page<T> {
  readonly data: T[];
  readonly next_cursor: string | null;
  readonly has_more: boolean;
}
export const defaultPageSize = 50;

/** What the sort keys of a list look like. Anything else would reach Postgres and fail there, as if it were our fault. */
const keys = {
  uuid: /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/,
  number: /^[0-9]{1,18}$/,
  /** Milliseconds since 1970, and a number. */
  timeAndNumber: /^[0-9]{1,14}\.[0-9]{1,18}$/,
  /** A day, counted from 1970, and an id. */
  dayAndUuid: /^[0-9]{1,5}\.[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/,
  /** Seconds since 1970, and the name of a group. */
  timeAndText: /^[0-9]{1,11}\.[\w:.@/-]{0,130}$/,
  /** A path of storage: signs that can be seen. */
  path: /^[^\p{Cc}]{0,1100}$/u,
  slug: /^[a-z0-9][a-z0-9.-]{0,99}$/,
  /** publisher/slug of an app. */
  reference: /^[a-z0-9-]{1,63}\/[a-z0-9-]{1,63}$/,
  host: /^[a-z0-9][a-z0-9.-]{0,252}$/,
} as const;

export function readCursor(
  list: string,
  cursor: string | undefined,
  key: keyof typeof keys = 'uuid',
): string | undefined | Fault<'cursor_invalid'> {
  if (cursor === undefined) return undefined;
  const text = Buffer.from(cursor, 'base64url').toString();
  const at = text.indexOf(':');
  if (text.slice(0, at) !== list || !keys[key].test(text.slice(at + 1))) {
    return new Fault('cursor_invalid', 'This cursor does not belong to this list: start again without one.');
  }
  return text.slice(at + 1);
}

export const writeCursor = (list: string, key: string): string => Buffer.from(`${list}:${key}`).toString('base64url');

/**
 * A page of a list, from the caller's cursor to the next one. `read` is asked for the rows behind a key, in the order of
 * that key, and for one row more than the page holds; `keyOf` names the key of a row.
 */
export async function readPage<Row, T>(list: {
  readonly name: string;
  readonly query: { readonly cursor?: string; readonly limit?: number };
  readonly key?: keyof typeof keys;
  readonly read: (at: string | undefined, limit: number) => Promise<readonly Row[]>;
  readonly keyOf: (row: Row) => string;
  readonly show: (row: Row) => T;
}): Promise<Page<T> | Fault<'cursor_invalid'>> {
  const { name, query, keyOf, show } = list;
  const at = readCursor(name, query.cursor, list.key);
  if (at instanceof Fault) return at;
  const limit = query.limit ?? defaultPageSize;
  return makePage(name, await list.read(at, limit + 1), limit, keyOf, show);
}

/** Rows were read with one more than the page holds, to know whether there is a next one. */
export function makePage<Row, T>(
  list: string,
  rows: readonly Row[],
  limit: number,
  keyOf: (row: Row) => string,
  show: (row: Row) => T,
): Page<T> {
  const shown = rows.slice(0, limit);
  const last = shown.at(-1);
  const more = rows.length > limit && last !== undefined;
  return {
    data: shown.map(show),
    next_cursor: more ? writeCursor(list, keyOf(last)) : null,
    has_more: more,
  };
}
