import { terminalCloseOfRefusal, terminalLimits } from '@gpuaas/contract/terminal';
import type { Clock } from '../../kernel/clock.ts';
import type { TerminalApi } from './api.ts';
import type { Homes } from './home/homes.ts';
import { nowMs } from './later.ts';
import { type JoinOrder, type Link, linkHere } from './link.ts';
import type { Peers } from './peer-link.ts';

/** Where a session is, as far as the api knows. */
interface Place {
  readonly copyId: string;
  readonly peerUrl: string;
}
const askAgainMs = 500;

/**
 * Finds the home of a session and joins it there. The agent may not have come yet, may be at this copy or at another one, and
 * may move while we look: the question is asked again until there is a home, or the time is over. Answers the code to close the
 * client with when there is none.
 */
export function makeFindHome(parts: {
  readonly copyId: string;
  readonly api: TerminalApi;
  readonly homes: Homes;
  readonly peers: Peers;
  readonly homeWaitMs: number;
  readonly clock: Clock;
}) {
  const { copyId, api, homes, peers, clock } = parts;

  /** The next place to try: here, at another copy, or a code that ends the search. */
  async function ask(sessionId: string, except: string, leftMs: number, signal: AbortSignal) {
    const seconds = Math.max(1, Math.min(terminalLimits.waitSeconds, Math.floor(leftMs / 1_000)));
    const enough = new AbortController();
    const until = AbortSignal.any([signal, enough.signal]);
    const asked = api
      .ask('home', { session_id: sessionId, wait_seconds: seconds, except_copy_id: except }, until)
      .catch(() => undefined);
    const here = homes.arrival(sessionId, until).then(
      () => 'here' as const,
      () => undefined,
    );
    try {
      const first = await Promise.race([asked, here]);
      if (first === 'here') return 'here' as const;
      if (first === undefined) return undefined;
      if (!first.ok) return terminalCloseOfRefusal(first.code);
      const { home } = first.value;
      return home ? { copyId: home.copy_id, peerUrl: home.peer_url } : undefined;
    } finally {
      enough.abort(new Error('a home was found'));
    }
  }

  return async (
    sessionId: string,
    first: Place | undefined,
    makeOrder: () => JoinOrder,
    signal: AbortSignal,
  ): Promise<Link | number> => {
    const until = nowMs(clock) + parts.homeWaitMs;
    let place: Place | undefined = first;
    let except = copyId;
    while (!signal.aborted && nowMs(clock) < until) {
      const here = homes.find(sessionId);
      if (here) return linkHere(here, makeOrder());
      if (place && place.copyId !== copyId) {
        const there = place;
        place = undefined;
        const link = await peers.join(there, sessionId, makeOrder()).catch(() => undefined);
        if (link) return link;
        // It does not answer: the agent will dial another one.
        except = there.copyId;
        continue;
      }
      const found = await ask(sessionId, except, until - nowMs(clock), signal);
      if (typeof found === 'number') return found;
      place = found === 'here' ? undefined : found;
      const isStale = found === undefined || (place?.copyId === copyId && !homes.find(sessionId));
      if (isStale) await clock.sleep(askAgainMs, signal).catch(() => undefined);
      if (found === undefined) except = copyId;
    }
    return signal.aborted ? 4503 : 4504;
  };
}
export type FindHome = ReturnType<typeof makeFindHome>;
