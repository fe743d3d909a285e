import { type NodeHeartbeat, NodeHeartbeatAnswer, nodeTransport } from '@gpuaas/contract/node';
import { Compile } from 'typebox/compile';
import { backoffMs, type Chance, jittered } from '../chance.ts';
import { type Clock, sleepWell } from '../clock.ts';
import type { Log } from '../telemetry/log.ts';
import type { Client } from '../transport/client.ts';

/** Says "still here, and this is what I hold" at an even pace, and passes on what the answer teaches. */
export interface Heartbeats {
  /** Something worth telling happened: do not wait for the next turn. */
  nudge(): void;
  /** Resolves after the first answer: the time is known then, and the keys are fresh. */
  readonly first: Promise<void>;
  readonly lastAnsweredAtMs: number | undefined;
  run(signal: AbortSignal): Promise<void>;
}

const answers = Compile(NodeHeartbeatAnswer);
const limitMs = 10_000;
const spread = 0.1;

export function makeHeartbeats(parts: {
  readonly nodeId: string;
  readonly client: () => Client;
  readonly clock: Clock;
  readonly chance: Chance;
  readonly log: Log;
  readonly elapsedMs: () => number;
  readonly everyMs: () => number;
  readonly compose: () => Promise<NodeHeartbeat>;
  /** Called before the heartbeat is composed; its result gets the answer. */
  readonly listen: () => (answer: NodeHeartbeatAnswer, askedAtMs: number) => Promise<void>;
}): Heartbeats {
  const { clock, chance, log } = parts;
  const path = nodeTransport.heartbeat.path.replace('{id}', parts.nodeId);
  let wake = new AbortController();
  let isNudged = false;
  let lastAnsweredAtMs: number | undefined;
  let markAnswered: () => void = () => undefined;
  const first = new Promise<void>((resolve) => {
    markAnswered = resolve;
  });

  const beat = async (signal: AbortSignal): Promise<void> => {
    const hear = parts.listen();
    const body = await parts.compose();
    const askedAtMs = parts.elapsedMs();
    const answer = await parts.client().call({ method: 'POST', path, body, limitMs, signal });
    if (answer.status !== 200 || !answers.Check(answer.body)) throw new Error(`a heartbeat got ${answer.status}`);
    await hear(answer.body, askedAtMs);
    lastAnsweredAtMs = parts.elapsedMs();
    markAnswered();
  };
  return {
    nudge() {
      isNudged = true;
      wake.abort();
    },
    first,
    get lastAnsweredAtMs() {
      return lastAnsweredAtMs;
    },
    async run(signal) {
      const stop = () => wake.abort();
      signal.addEventListener('abort', stop);
      let failures = 0;
      while (!signal.aborted) {
        isNudged = false;
        try {
          await beat(signal);
          failures = 0;
        } catch (error) {
          if (signal.aborted) break;
          failures += 1;
          log.warn({ failures, err: error }, 'a heartbeat was not answered');
        }
        // What came during the beat went to the old one.
        wake = new AbortController();
        if (signal.aborted) break;
        // While the control plane is away a nudge would only hammer on its door.
        if (isNudged && failures === 0) continue;
        const restMs =
          failures > 0
            ? backoffMs({ firstMs: Math.min(1_000, parts.everyMs()), maxMs: parts.everyMs() }, failures, chance)
            : jittered(parts.everyMs(), spread, chance);
        await sleepWell(clock, restMs, failures > 0 ? signal : wake.signal);
      }
      signal.removeEventListener('abort', stop);
    },
  };
}
