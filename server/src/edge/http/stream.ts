import { Readable } from 'node:stream';
import type { Clock } from '../../kernel/clock.ts';

/** Sent while nothing happens, so that proxies do not close the connection. */
const keepAlive = ': still here\n\n';
/** A revoked credential is noticed after this time at the latest. */
export const recheckMs = 5_000;

/**
 * Sends chunks while there are any, the caller listens, and `mayStay` holds, which is checked repeatedly: a stream
 * outlives the check of its credential.
 */
export function sendStream(
  pieces: AsyncIterable<string | Uint8Array>,
  parts: {
    readonly mayStay: () => Promise<boolean>;
    readonly clock: Clock;
    readonly signal: AbortSignal;
    /** A file, into which nothing may be put that does not belong to it. One that ends early is cut off with an error. */
    readonly isFile?: boolean;
  },
): Readable {
  const { clock, signal } = parts;
  const cutOff = (): void => {
    if (parts.isFile)
      throw new Error('the file was cut off: the caller may not have it any more, or the process stops');
  };
  async function* guarded(): AsyncGenerator<string | Uint8Array> {
    const source = pieces[Symbol.asyncIterator]();
    let next = source.next();
    // After an early disconnect nothing awaits it, so its rejection is ignored.
    next.catch(() => undefined);
    let checkedAt = clock.now().getTime();
    try {
      while (!signal.aborted) {
        const timer = new AbortController();
        const pause = clock.sleep(recheckMs, AbortSignal.any([signal, timer.signal])).then(
          () => 'quiet' as const,
          () => 'over' as const,
        );
        const turn = await Promise.race([next, pause]);
        timer.abort();
        if (turn === 'over') return cutOff();
        if (turn === 'quiet' || clock.now().getTime() - checkedAt >= recheckMs) {
          if (!(await parts.mayStay())) return cutOff();
          checkedAt = clock.now().getTime();
        }
        if (turn === 'quiet') {
          if (!parts.isFile) yield keepAlive;
          continue;
        }
        if (turn.done) return;
        yield turn.value;
        next = source.next();
        next.catch(() => undefined);
      }
      return cutOff();
    } finally {
      // Not awaited: it ends when its source does, and the answer is over now.
      source.return?.().catch(() => undefined);
    }
  }
  return Readable.from(guarded(), { objectMode: false });
}
