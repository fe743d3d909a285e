import { terminalLimits } from '@gpuaas/contract/terminal';
import { backoffMs, type Chance } from '../chance.ts';
import { type Clock, sleepWell } from '../clock.ts';
import type { Log } from '../telemetry/log.ts';
import { type Bell, makeBell } from './bell.ts';
import type { Dial } from './dial.ts';
import { type Link, type LinkListener, openLink } from './link.ts';

/** Keeps one connection to a gateway for a session: dials again when it is lost, and gives up after the grace time. */
export interface Connection {
  connected(): Promise<void>;
  redial(): void;
}
export interface Connector {
  readonly dial: Dial;
  readonly chance: Chance;
  /** Counts milliseconds that nobody sets. */
  readonly elapsedMs: () => number;
}
type Ending =
  | 'rights_lost'
  | 'allocation_ended'
  | 'time_over'
  | 'closed_by_operator'
  | 'recorder_failed'
  | 'gateway_lost';

/** With these the gateway says that the session is over. Any other close is about the connection alone. */
const endings: Readonly<Record<number, Ending>> = {
  4403: 'rights_lost',
  4404: 'allocation_ended',
  4408: 'time_over',
  4410: 'closed_by_operator',
  4507: 'recorder_failed',
};
const between = { firstMs: 200, maxMs: 5_000 };
const goingAway = 1_001;
const noHello = 4_400;

interface ConnectionOrder {
  readonly sessionId: string;
  readonly gatewayUrl: string;
  readonly graceMs: number;
}
interface ConnectionParts extends Connector, LinkListener {
  readonly clock: Clock;
  readonly log: Log;
  readonly signal: AbortSignal;
  /** The connection is open; the gateway is waiting for the first frame. */
  readonly greet: (link: Link) => void;
  readonly onLost: () => void;
  readonly onEnd: (reason: Ending) => void;
}

export function keepConnected(order: ConnectionOrder, parts: ConnectionParts): Connection {
  const { clock, chance, log, signal, elapsedMs } = parts;
  const changed = makeBell();
  let link: Link | undefined;
  let isUp = false;
  let isHurried = false;
  let lostAtMs = elapsedMs();
  let failures = 0;

  const complain = (error: unknown) => {
    log.error({ session_id: order.sessionId, err: error }, 'the connection of a terminal went wrong');
  };
  /** Until the connection is over; answers the code that it was closed with. */
  const connectOnce = async (): Promise<number> => {
    const resumed = new AbortController();
    const opened = await openLink(await parts.dial(order), {
      onInput: parts.onInput,
      onDrained: parts.onDrained,
      onOrder(said) {
        parts.onOrder(said);
        if (said.type === 'redial') redial();
        if (said.type !== 'resume' || isUp) return;
        isUp = true;
        failures = 0;
        resumed.abort();
        changed.ring();
      },
    });
    link = opened;
    parts.greet(opened);
    sleepWell(clock, terminalLimits.helloSeconds * 1_000, resumed.signal)
      .then((isLate) => isLate && !isUp && opened.close(noHello))
      .catch(complain);
    try {
      return await opened.closed;
    } finally {
      resumed.abort();
      if (isUp) lostAtMs = elapsedMs();
      isUp = false;
      link = undefined;
      parts.onLost();
    }
  };
  const recover = async () => {
    failures += 1;
    const graceLeftMs = Math.max(0, lostAtMs + order.graceMs - elapsedMs());
    const pauseMs = Math.min(backoffMs(between, failures, chance), graceLeftMs);
    await sleepUnlessHurried({ clock, pauseMs, signal, changed, isHurried: () => isHurried });
    isHurried = false;
  };
  const run = async () => {
    while (!signal.aborted) {
      const code = await connectOnce().catch((error: unknown) => {
        log.warn({ session_id: order.sessionId, err: error }, 'the gateway of a terminal could not be reached');
        return undefined;
      });
      const ending = code === undefined ? undefined : endings[code];
      if (ending) return parts.onEnd(ending);
      if (elapsedMs() - lostAtMs >= order.graceMs && !isHurried) return parts.onEnd('gateway_lost');
      await recover();
    }
  };
  const redial = () => {
    isHurried = true;
    failures = 0;
    // Not connected from now on, also while the other side takes its time to answer the close.
    if (isUp) lostAtMs = elapsedMs();
    isUp = false;
    link?.close(goingAway);
    changed.ring();
  };
  signal.addEventListener('abort', () => changed.ring(), { once: true });
  run().catch(complain);

  return {
    async connected() {
      while (!isUp) {
        if (signal.aborted) throw new Error('the session ended before its gateway was reached');
        await changed.wait();
      }
    },
    redial,
  };
}

/** Sleeps before the next attempt, or shorter when one is asked for at once. */
async function sleepUnlessHurried(parts: {
  readonly clock: Clock;
  readonly pauseMs: number;
  readonly signal: AbortSignal;
  readonly changed: Bell;
  readonly isHurried: () => boolean;
}): Promise<void> {
  if (parts.isHurried()) return;
  const waited = new AbortController();
  const signal = AbortSignal.any([parts.signal, waited.signal]);
  const hurried = async () => {
    while (!parts.isHurried() && !signal.aborted) await parts.changed.wait();
  };
  await Promise.race([sleepWell(parts.clock, parts.pauseMs, signal), hurried()]);
  waited.abort();
  parts.changed.ring();
}
