import { type Static, Type } from 'typebox';
import { Compile } from 'typebox/compile';
import type { Clock } from './clock.ts';
import type { Disk } from './disk.ts';

/**
 * What time it is for the control plane. Deadlines and expiries are written in its time, and the clock of a host may be
 * wrong by hours or be set while we look at it. So the agent takes the time from each answer it gets and counts on from
 * there with a counter that nobody sets. The difference is kept on disk: after a restart with the control plane away
 * the host's clock plus that difference has to do, and time never falls behind the last time that was heard.
 */
export interface ServerTime {
  nowMs(): number;
  now(): Date;
  /** An answer that was asked for at `askedAtMs` (of `elapsedMs`) said that it was this late. */
  learn(serverTime: string, askedAtMs: number): Promise<void>;
}

const Remembered = Type.Object({ offset_ms: Type.Number(), heard_at_ms: Type.Number() });
type Remembered = Static<typeof Remembered>;
const remembered = Compile(Remembered);

/** Answers wobble by the network's delay; smaller changes are not worth a write. */
const worthKeepingMs = 2_000;
const floorEveryMs = 60_000;
const slowestMs = 30_000;

export async function openServerTime(parts: {
  readonly clock: Clock;
  readonly elapsedMs: () => number;
  readonly disk: Disk;
  readonly path: string;
}): Promise<ServerTime> {
  const { clock, elapsedMs, disk, path } = parts;
  let kept = readKept(await disk.read(path));
  let base: { serverMs: number; elapsedMs: number } | undefined;
  const nowMs = () => {
    if (base) return base.serverMs + (elapsedMs() - base.elapsedMs);
    const wallMs = clock.now().getTime();
    return kept ? Math.max(wallMs + kept.offset_ms, kept.heard_at_ms) : wallMs;
  };
  return {
    nowMs,
    now: () => new Date(nowMs()),
    async learn(serverTime, askedAtMs) {
      const heardMs = Date.parse(serverTime);
      const at = elapsedMs();
      // An answer that was on its way for long says little about now; only a clock that knows nothing listens to it.
      if (Number.isNaN(heardMs) || (base && at - askedAtMs > slowestMs)) return;
      base = { serverMs: heardMs + Math.max(0, at - askedAtMs) / 2, elapsedMs: at };
      const next = { offset_ms: base.serverMs - clock.now().getTime(), heard_at_ms: heardMs };
      const isNews =
        !kept ||
        Math.abs(next.offset_ms - kept.offset_ms) > worthKeepingMs ||
        Math.abs(next.heard_at_ms - kept.heard_at_ms) > floorEveryMs;
      if (!isNews) return;
      kept = next;
      await disk.write(path, JSON.stringify(next));
    },
  };
}

function readKept(text: string | undefined): Remembered | undefined {
  if (text === undefined) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return remembered.Check(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
