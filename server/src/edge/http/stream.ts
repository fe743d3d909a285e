import { Readable } from 'node:stream';
import type { Clock } from '../../kernel/clock.ts';

/** What is sent while nothing happens, so that nobody on the way takes the connection for dead. */
const keepAlive = ': still here\n\n';
/** A credential that was revoked is found out after this long at the latest. */
export const recheckMs = 5_000;

/**
 * Sends pieces for as long as there are any, the caller listens, and `mayStay` holds, which is asked again and again: a
 * stream outlives the moment in which its credential was checked.
 */
export function sendStream(
  pieces: AsyncIterable<string>,
  parts: { readonly mayStay: () => Promise<boolean>; readonly clock: Clock; readonly signal: AbortSignal },
): Readable {
  const { clock, signal } = parts;
  async function* guarded(): AsyncGenerator<string> {
    const source = pieces[Symbol.asyncIterator]();
    let next = source.next();
    // Whoever leaves early leaves it unawaited; what it throws then is nobody's.
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
        if (turn === 'over') return;
        if (turn === 'quiet' || clock.now().getTime() - checkedAt >= recheckMs) {
          if (!(await parts.mayStay())) return;
          checkedAt = clock.now().getTime();
        }
        if (turn === 'quiet') {
          yield keepAlive;
          continue;
        }
        if (turn.done) return;
        yield turn.value;
        next = source.next();
        next.catch(() => undefined);
      }
    } finally {
      // Not awaited: it ends when what it waits for does, and the answer is over now.
      source.return?.().catch(() => undefined);
    }
  }
  return Readable.from(guarded(), { objectMode: false });
}
