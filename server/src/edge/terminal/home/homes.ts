import type { TerminalSessionFacts } from '@gpuaas/contract/terminal';
import { terminalLimits } from '@gpuaas/contract/terminal';
import type { Clock } from '../../../kernel/clock.ts';
import type { Log } from '../../../kernel/telemetry/log.ts';
import type { TerminalApi } from '../api.ts';
import { nowMs } from '../later.ts';
import type { GatewayMetrics } from '../metrics.ts';
import { type Home, makeHome } from './home.ts';
import { makeRecorder } from './recorder.ts';
import { makeReports } from './reports.ts';

/** The sessions whose agent is, or was a moment ago, connected to this copy. */
export interface Homes {
  readonly all: ReadonlyMap<string, Home>;
  /** The home of an agent that arrives. */
  open(facts: TerminalSessionFacts): Home;
  /** The home of a session whose agent is here now. */
  find(sessionId: string): Home | undefined;
  /** Resolves when the agent of this session comes to this copy. */
  arrival(sessionId: string, signal: AbortSignal): Promise<Home>;
  /** An agent has settled in. */
  announce(home: Home): void;
  /** All agents dial again and all clients look elsewhere. */
  moveOut(): void;
  /** Waits until every end was reported, or gave up. */
  flush(): Promise<void>;
}

const askAgainMs = 1_000;

export function makeHomes(parts: {
  readonly copyId: string;
  readonly api: TerminalApi;
  readonly metrics: GatewayMetrics;
  readonly log: Log;
  readonly clock: Clock;
  /** How long a session without its agent is kept here. */
  readonly nodeGraceMs: number;
  readonly stopping: AbortSignal;
  readonly onChanged: () => void;
}): Homes {
  const { api, clock, stopping } = parts;
  const homes = new Map<string, Home>();
  const waiting = new Map<string, Set<(home: Home) => void>>();
  const reports = makeReports(parts);

  const forget = (home: Home): void => {
    if (homes.get(home.sessionId) === home) homes.delete(home.sessionId);
    parts.onChanged();
  };
  /** The shell may come back here, or at another copy, or not at all. */
  const lookFor = async (home: Home): Promise<void> => {
    const until = nowMs(clock) + parts.nodeGraceMs;
    const isLost = () => homes.get(home.sessionId) === home && !home.hasNode && !stopping.aborted;
    while (isLost() && nowMs(clock) < until) {
      const elsewhere = await findElsewhere(home.sessionId, until - nowMs(clock), parts);
      if (!isLost()) return;
      if (elsewhere === 'over' || elsewhere === 'moved') {
        forget(home);
        home.moveOut();
        return;
      }
    }
    if (isLost()) home.end('node_lost');
  };

  return {
    all: homes,
    open(facts) {
      const known = homes.get(facts.id);
      if (known) return known;
      const home = makeHome(facts, {
        ...{ clock, metrics: parts.metrics, log: parts.log },
        onChanged: parts.onChanged,
        onLost: (lost) => void lookFor(lost),
        makeRecorder: (place, from, listener) =>
          makeRecorder(place, from, {
            ...{ sessionId: facts.id, copyId: parts.copyId, api, clock, metrics: parts.metrics },
            ...listener,
          }),
        onEnded(ended, reason, exitCode, recorded) {
          forget(ended);
          // The end of the recording comes first: the report seals its digest.
          reports.keep(recorded.then(() => (reason ? reports.report(ended, reason, exitCode) : undefined)));
        },
      });
      homes.set(facts.id, home);
      return home;
    },
    find(sessionId) {
      const home = homes.get(sessionId);
      return home?.hasNode ? home : undefined;
    },
    arrival: (sessionId, signal) =>
      new Promise((resolve, reject) => {
        const own = waiting.get(sessionId) ?? new Set();
        waiting.set(sessionId, own.add(resolve));
        const leave = () => {
          own.delete(resolve);
          if (own.size === 0 && waiting.get(sessionId) === own) waiting.delete(sessionId);
          reject(signal.reason as Error);
        };
        if (signal.aborted) leave();
        else signal.addEventListener('abort', leave, { once: true });
      }),
    announce(home) {
      for (const resolve of waiting.get(home.sessionId) ?? []) resolve(home);
      parts.onChanged();
    },
    moveOut() {
      for (const home of [...homes.values()]) {
        homes.delete(home.sessionId);
        home.moveOut();
      }
    },
    flush: () => reports.flush(),
  };
}

/** Waits for the agent to arrive at another copy. */
async function findElsewhere(
  sessionId: string,
  leftMs: number,
  parts: { readonly api: TerminalApi; readonly copyId: string; readonly clock: Clock; readonly stopping: AbortSignal },
): Promise<'moved' | 'over' | 'nowhere'> {
  try {
    const seconds = Math.min(terminalLimits.waitSeconds, Math.max(1, Math.floor(leftMs / 1_000)));
    const question = { session_id: sessionId, wait_seconds: seconds, except_copy_id: parts.copyId };
    const answer = await parts.api.ask('home', question, parts.stopping);
    if (!answer.ok) return 'over';
    return answer.value.home ? 'moved' : 'nowhere';
  } catch {
    await parts.clock.sleep(Math.min(askAgainMs, leftMs), parts.stopping).catch(() => undefined);
    return 'nowhere';
  }
}
