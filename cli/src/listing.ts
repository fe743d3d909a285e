import type { Gpuaas } from '@gpuaas/sdk';
import type { Run, Session } from './command.ts';
import { exitCodes, usageFailure } from './failure.ts';
import { showRows } from './show/output.ts';

/** A list command, from a call and its columns. */

const longestList = 100;

export type Many = AsyncIterable<object> | Promise<{ readonly data: readonly object[] }>;

/** A list that needs a lookup first. Awaiting it directly would return its first page only. */
export async function* over<T>(input: Promise<T>, list: (input: T) => AsyncIterable<object>): AsyncIterable<object> {
  yield* list(await input);
}

/** `none` is the text for an empty list. */
export const listing =
  (call: (api: Gpuaas, session: Session) => Many, columns: readonly string[], none: string): Run =>
  async (session) => {
    const asked = session.text('limit');
    const most = asked === undefined ? longestList : Number(asked);
    if (!Number.isInteger(most) || most < 1) throw usageFailure('--limit is a number from 1.');
    const found = call(await session.api(), session);
    // A paged answer can be awaited or iterated; it is iterated.
    const many = Symbol.asyncIterator in found ? found : await found;
    const rows: object[] = [];
    let more = false;
    if (Symbol.asyncIterator in many) {
      for await (const row of many) {
        more = rows.length >= most;
        if (more) break;
        rows.push(row);
      }
    } else {
      rows.push(...many.data.slice(0, most));
      more = many.data.length > most;
    }
    showRows(session, rows, columns, none);
    if (more) session.say(`There are more than ${most}; --limit shows more of them.`);
    return exitCodes.ok;
  };
