import { mostUsageRecords, NodeUsageAnswer, type NodeUsageRecord, nodeTransport } from '@gpuaas/contract/node';
import { Compile } from 'typebox/compile';
import { backoffMs, type Chance } from '../chance.ts';
import { type Clock, sleepWell } from '../clock.ts';
import type { Log } from '../telemetry/log.ts';
import type { Client } from '../transport/client.ts';
import type { UsageFiles } from './usage-files.ts';

/** Hands in usage records until the control plane has answered for each, in the order of each lease. */
export interface UsageDelivery {
  /** There is a new record. */
  nudge(): void;
  wasSent(record: NodeUsageRecord): boolean;
  readonly waiting: number;
  run(signal: AbortSignal): Promise<void>;
}

const answers = Compile(NodeUsageAnswer);
const limitMs = 20_000;
const retry = { firstMs: 1_000, maxMs: 60_000 };
const malformed = 400;

export function makeUsageDelivery(parts: {
  readonly nodeId: string;
  readonly client: () => Client;
  readonly files: UsageFiles;
  readonly clock: Clock;
  readonly chance: Chance;
  readonly log: Log;
}): UsageDelivery {
  const { files, log } = parts;
  const path = nodeTransport.usage.path.replace('{id}', parts.nodeId);
  // What is there at the start may have been sent by the process before this one.
  const sent = new Set(files.pending().map(({ signature }) => signature));
  let wake = new AbortController();
  let isNudged = false;
  let atOnce = mostUsageRecords;

  const settle = async (record: NodeUsageRecord, outcome: 'stored' | 'refused'): Promise<void> => {
    if (outcome === 'refused') {
      const { allocation_id, generation, sequence } = record;
      log.error({ allocation_id, generation, sequence }, 'the control plane will not take a usage record');
    }
    sent.delete(record.signature);
    await files.drop(record);
  };
  /** Answers whether something is left that has to wait. */
  const deliver = async (signal: AbortSignal): Promise<boolean> => {
    const postponed = new Set<string>();
    for (;;) {
      const batch = files
        .pending()
        .filter(({ allocation_id }) => !postponed.has(allocation_id))
        .slice(0, atOnce);
      if (batch.length === 0) return postponed.size > 0;
      for (const { signature } of batch) sent.add(signature);
      const answer = await parts.client().call({ method: 'POST', path, body: { records: batch }, limitMs, signal });
      if (answer.status === malformed) {
        const [first] = batch;
        // One of them is at fault: each goes alone, and the one that is still refused is given up.
        if (batch.length === 1 && first) await settle(first, 'refused');
        atOnce = 1;
        continue;
      }
      if (answer.status !== 200 || !answers.Check(answer.body)) throw new Error(`usage got ${answer.status}`);
      atOnce = mostUsageRecords;
      for (const [at, record] of batch.entries()) {
        const outcome = answer.body.outcomes[at] ?? 'later';
        if (outcome === 'later') postponed.add(record.allocation_id);
        else if (!postponed.has(record.allocation_id)) await settle(record, outcome);
      }
    }
  };
  return {
    nudge() {
      isNudged = true;
      wake.abort();
    },
    wasSent: ({ signature }) => sent.has(signature),
    get waiting() {
      return files.pending().length;
    },
    async run(signal) {
      const stop = () => wake.abort();
      signal.addEventListener('abort', stop);
      let failures = 0;
      while (!signal.aborted) {
        isNudged = false;
        try {
          failures = (await deliver(signal)) ? failures + 1 : 0;
        } catch (error) {
          if (signal.aborted) break;
          failures += 1;
          log.warn({ failures, err: error }, 'usage could not be handed in; it is kept');
        }
        wake = new AbortController();
        if (signal.aborted) break;
        if (isNudged && failures === 0) continue;
        const restMs = failures > 0 ? backoffMs(retry, failures, parts.chance) : retry.maxMs;
        // While the control plane is away a nudge would only hammer on its door.
        await sleepWell(parts.clock, restMs, failures > 0 ? signal : wake.signal);
      }
      signal.removeEventListener('abort', stop);
    },
  };
}
