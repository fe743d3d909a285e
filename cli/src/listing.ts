import type { Gpuaas } from '@gpuaas/sdk';
import type { Run, Session } from './command.ts';
import { exitCodes, usageFailure } from './failure.ts';
import { showOne, showRows } from './show/output.ts';

/** Most commands are one call and a way to show its answer. These make commands from exactly that. */

const longestList = 100;

type Many = AsyncIterable<object> | Promise<{ readonly data: readonly object[] }>;

/** A list that needs something to be looked up first. Awaited it would be its first page only. */
export async function* over<T>(input: Promise<T>, list: (input: T) => AsyncIterable<object>): AsyncIterable<object> {
  yield* list(await input);
}

/** `none` is what a person reads when there is nothing. */
export const listing =
  (call: (api: Gpuaas, session: Session) => Many, columns: readonly string[], none: string): Run =>
  async (session) => {
    const asked = session.text('limit');
    const most = asked === undefined ? longestList : Number(asked);
    if (!Number.isInteger(most) || most < 1) throw usageFailure('--limit is a number from 1.');
    const found = call(await session.api(), session);
    // A page is something to await as well; what can be walked through is walked through.
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

export const showing =
  (call: (api: Gpuaas, session: Session) => Promise<object>, columns: readonly string[]): Run =>
  async (session) => {
    showOne(session, await call(await session.api(), session), columns);
    return exitCodes.ok;
  };

/** A flag that a command cannot do without. */
export function needed(session: Session, flag: string): string {
  const value = session.text(flag);
  if (value === undefined || value === '') throw usageFailure(`--${flag} is needed.`, 'See the examples with --help.');
  return value;
}

export function oneOf<T extends string>(session: Session, flag: string, choices: readonly T[]): T | undefined {
  const value = session.text(flag);
  if (value === undefined) return undefined;
  const found = choices.find((each) => each === value);
  if (!found) throw usageFailure(`--${flag} is one of ${choices.join(', ')}; not ${JSON.stringify(value)}.`);
  return found;
}

export function readPairs(texts: readonly string[], flag: string): Record<string, string> {
  return Object.fromEntries(
    texts.map((text): [string, string] => {
      const at = text.indexOf('=');
      if (at < 1) throw usageFailure(`--${flag} takes KEY=VALUE; not ${JSON.stringify(text)}.`);
      return [text.slice(0, at), text.slice(at + 1)];
    }),
  );
}
