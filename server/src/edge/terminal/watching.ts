import { type TerminalInternalOutput, terminalLimits } from '@gpuaas/contract/terminal';
import type { Clock } from '../../kernel/clock.ts';
import type { Log } from '../../kernel/telemetry/log.ts';
import type { TerminalApi } from './api.ts';
import type { Homes } from './home/homes.ts';
import { nowMs } from './later.ts';
import type { Peers } from './peer-link.ts';

/** The standing question of a copy to the api: which of my sessions are over? It is the sign of life of the copy, too. */
export interface Watching {
  /** What this copy would say has changed. */
  changed(): void;
  /** How long no question was answered. */
  readonly silenceMs: number;
  /** Asks once and answers when the api has; throws when it cannot be reached. */
  begin(): Promise<void>;
  close(): Promise<void>;
}

const askAgainMs = 1_000;
/** Changes come in bursts; the api hears of them at most this often. */
const gatherMs = 300;
const mostSessions = 10_000;

export function makeWatching(parts: {
  readonly copyId: string;
  readonly peerUrl: () => string;
  readonly api: TerminalApi;
  readonly homes: () => Homes;
  readonly peers: Peers;
  readonly log: Log;
  readonly clock: Clock;
  /** Without an answer for longer than this, sessions end. */
  readonly outageMs: number;
}): Watching {
  const { api, log, clock } = parts;
  const leaving = new AbortController();
  let heardAtMs = nowMs(clock);
  let interrupt = new AbortController();
  let running: Promise<void> = Promise.resolve();

  const ask = async (waitSeconds: number, signal: AbortSignal) => {
    const sessions = [...parts.homes().all.values()].slice(0, mostSessions).map((home) => ({
      ...{ id: home.sessionId, writer: home.hasWriter, watchers: home.watchers },
      ...{ sent: home.sent, written: home.written },
    }));
    const mine = { copy_id: parts.copyId, peer_url: parts.peerUrl() };
    const answer = await api.ask('watch', { ...mine, wait_seconds: waitSeconds, sessions }, signal);
    if (!answer.ok) throw new Error(`the api refuses this gateway: ${answer.code} ${answer.message}`);
    heardAtMs = nowMs(clock);
    return answer.value;
  };
  const obey = ({ end, gone_copies }: TerminalInternalOutput<'watch'>): void => {
    for (const { session_id, reason } of end) parts.homes().all.get(session_id)?.end(reason);
    parts.peers.drop(gone_copies);
  };
  const endAll = (): void => {
    for (const home of [...parts.homes().all.values()]) home.end('api_unreachable');
  };
  const run = async (): Promise<void> => {
    while (!leaving.signal.aborted) {
      interrupt = new AbortController();
      const signal = AbortSignal.any([leaving.signal, interrupt.signal]);
      let pauseMs = 0;
      try {
        obey(await ask(terminalLimits.waitSeconds, signal));
      } catch (error) {
        if (!interrupt.signal.aborted && !leaving.signal.aborted) {
          log.warn({ err: error }, 'the api does not answer; open terminals go on for now');
          pauseMs = askAgainMs;
        }
      }
      if (nowMs(clock) - heardAtMs > parts.outageMs) endAll();
      await clock.sleep(pauseMs || gatherMs, leaving.signal).catch(() => undefined);
    }
  };
  return {
    changed: () => interrupt.abort(new Error('there is news')),
    get silenceMs() {
      return nowMs(clock) - heardAtMs;
    },
    async begin() {
      obey(await ask(0, leaving.signal));
      running = run();
    },
    async close() {
      leaving.abort(new Error('the gateway is stopping'));
      await running;
    },
  };
}
