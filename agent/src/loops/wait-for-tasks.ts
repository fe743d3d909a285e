import { knownTasksHeader, mostKnownTasks, nodeTransport } from '@gpuaas/contract/node';
import { backoffMs, type Chance } from '../chance.ts';
import { type Clock, sleepWell } from '../clock.ts';
import type { Executor } from '../tasks/executor.ts';
import type { Log } from '../telemetry/log.ts';
import type { Client } from '../transport/client.ts';

/** Longer than a control plane holds a question open; shorter than a dead connection would be believed. */
const limitMs = 90_000;
const retry = { firstMs: 1_000, maxMs: 30_000 };
/** An empty answer that comes faster than this was not waited for. */
const hastyMs = 1_000;

/**
 * Asks for the next task, for as long as there is room for one. The answer comes when there is something to do. After
 * the line broke, an answer may have been lost with it: then the question says which tasks are here, until there is
 * nothing more to make up for.
 */
export async function waitForTasks(parts: {
  readonly nodeId: string;
  readonly client: () => Client;
  readonly executor: Executor;
  /** Tasks that were taken and whose results are not acknowledged. */
  readonly known: () => readonly string[];
  readonly clock: Clock;
  readonly chance: Chance;
  readonly log: Log;
  readonly signal: AbortSignal;
}): Promise<void> {
  const { executor, clock, chance, log, signal } = parts;
  const path = nodeTransport.wait.path.replace('{id}', parts.nodeId);
  let troubles = 0;
  let mayHaveMissed = true;
  const saying = () => {
    const known = parts.known();
    return mayHaveMissed && known.length <= mostKnownTasks
      ? { headers: { [knownTasksHeader]: known.join(',') } }
      : undefined;
  };
  while (!signal.aborted) {
    if (!executor.mayTakeMore) {
      await Promise.race([executor.room(), sleepWell(clock, retry.maxMs, signal)]);
      continue;
    }
    const askedAtMs = clock.now().getTime();
    let wasGood = false;
    try {
      const answer = await parts.client().call({ method: 'GET', path, limitMs, signal, ...saying() });
      if (answer.status === 200) {
        const offered = await executor.offer(answer.body);
        wasGood = offered === 'accepted' || offered === 'answered';
      } else if (answer.status === 204) wasGood = clock.now().getTime() - askedAtMs >= hastyMs;
      else log.warn({ status: answer.status }, 'the control plane gives no tasks');
      if (answer.status === 204 || (answer.status === 200 && !wasGood)) mayHaveMissed = false;
      if (answer.retryAfterMs !== undefined) await sleepWell(clock, answer.retryAfterMs, signal);
    } catch (error) {
      if (signal.aborted) return;
      mayHaveMissed = true;
      log.warn({ err: error }, 'the control plane could not be asked for tasks');
    }
    // A task that was refused without an answer, or is known already, will come again; asking at once would only turn a
    // wheel. One that was answered is over, and what waits behind it may be a release.
    troubles = wasGood ? 0 : troubles + 1;
    if (troubles > 0) await sleepWell(clock, backoffMs(retry, troubles, chance), signal);
  }
}
