import { type Clock, sleepWell } from '../clock.ts';
import type { Bell } from './bell.ts';
import type { Link } from './link.ts';
import type { Output } from './output.ts';

/** The last output and the exit code are worth this much time after the shell has ended. */
const farewellMs = 5_000;

/** Sends the last output, then the exit code, for as long as there is a connection and time. */
export async function takeLeave(
  code: number | undefined,
  parts: {
    readonly clock: Clock;
    readonly changed: Bell;
    readonly output: Output;
    readonly pump: () => void;
    readonly link: () => Link | undefined;
  },
): Promise<void> {
  const { changed, output } = parts;
  output.ignoreWindow(true);
  parts.pump();
  const limit = AbortSignal.timeout(farewellMs);
  limit.addEventListener('abort', () => changed.ring(), { once: true });
  while (parts.link() && output.hasMore && !limit.aborted) await changed.wait();
  const link = parts.link();
  if (!link) return;
  link.say({ type: 'exit', code: code ?? null });
  link.close(1000);
  await Promise.race([link.closed, sleepWell(parts.clock, farewellMs, limit)]);
}
