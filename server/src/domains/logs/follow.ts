import type { Database, Viewer } from '../../kernel/act.ts';
import type { Clock } from '../../kernel/clock.ts';
import { followedAtOnce, gatherMs, logsChannel, lookEveryMs, walkedAtOnce } from './facts.ts';
import { type LineRow, lastLine, linesBetween, type Wanted } from './store.ts';

/** Wakes the followers of a process after lines were stored anywhere. */
export interface LogBell {
  /** Resolves when lines were stored, after `ms`, or when the signal aborts. */
  wait(ms: number, signal: AbortSignal): Promise<void>;
  close(): Promise<void>;
}

export async function openLogBell(parts: {
  readonly clock: Clock;
  readonly listen: (channel: string, listener: (payload: string) => void) => Promise<{ close(): Promise<void> }>;
}): Promise<LogBell> {
  let rung = Promise.withResolvers<void>();
  const listening = await parts.listen(logsChannel, () => {
    rung.resolve();
    rung = Promise.withResolvers();
  });
  return {
    async wait(ms, signal) {
      const timer = new AbortController();
      const pause = parts.clock.sleep(ms, AbortSignal.any([timer.signal, signal])).catch(() => undefined);
      await Promise.race([rung.promise, pause]);
      timer.abort();
    },
    close: () => listening.close(),
  };
}

/**
 * Server-Sent Events: a line each, in the order in which they arrived. A reader who is slow is read for when it is ready; nothing is
 * kept for it meanwhile.
 */
export function followLines(
  parts: { readonly db: Database; readonly clock: Clock; readonly bell: LogBell },
  who: Viewer,
  of: {
    readonly wanted: Wanted;
    readonly after: string | undefined;
    /** False: it ends with the lines that are there. */
    readonly waits: boolean;
    readonly show: (row: LineRow) => object;
  },
): AsyncIterable<string> {
  return {
    [Symbol.asyncIterator]: () => {
      const leaving = new AbortController();
      const pieces = follow(parts, who, of, leaving.signal);
      return {
        next: () => pieces.next(),
        // A generator ends only where it yields. One that waits for news is woken first.
        return: () => {
          leaving.abort();
          return pieces.return(undefined);
        },
      };
    },
  };
}

async function* follow(
  { db, clock, bell }: Parameters<typeof followLines>[0],
  who: Viewer,
  { wanted, after, waits, show }: Parameters<typeof followLines>[2],
  signal: AbortSignal,
): AsyncGenerator<string> {
  const last = () => db.read(who, (tx) => lastLine(tx));
  const end = await last();
  // An id in the future belongs to a database that was restored meanwhile: the reader starts with new lines.
  let at = after === undefined || BigInt(after) > end ? end : BigInt(after);
  yield `retry: 1000\n${frame('ready', at, {})}`;
  while (!signal.aborted) {
    const newest = await last();
    const to = newest - at > walkedAtOnce ? at + walkedAtOnce : newest;
    const rows = to > at ? await db.read(who, (tx) => linesBetween(tx, wanted, { after: at, to }, followedAtOnce)) : [];
    const isFull = rows.length === followedAtOnce;
    at = isFull ? (rows.at(-1)?.id ?? to) : to;
    if (rows.length > 0) yield rows.map((row) => frame('line', row.id, show(row))).join('');
    if (isFull || at < newest) continue;
    if (!waits) return;
    await bell.wait(lookEveryMs, signal);
    await clock.sleep(gatherMs, signal).catch(() => undefined);
  }
}

/** JSON has no raw line breaks, so one line of data is enough. */
const frame = (event: string, id: bigint, data: object): string =>
  `id: ${id}\nevent: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
