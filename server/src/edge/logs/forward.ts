import type { NodeLogLine } from '@gpuaas/contract/internal';
import type { Clock } from '../../kernel/clock.ts';
import type { Log } from '../../kernel/telemetry/log.ts';
import { secondMs } from '../../kernel/units.ts';
import type { LogGatewayMetrics } from './metrics.ts';

/** Hands lines on to a Loki, in their order. The queue is bounded: what finds no place is counted, and is still kept by the api. */
export interface Forwarding {
  readonly waiting: number;
  take(nodeId: string, lines: readonly NodeLogLine[]): void;
  /** Sends what waits, for a while, and ends. */
  close(): Promise<void>;
}
/** What is needed of a Loki. `refused`: the same push would be refused again. `failed`: it may be tried later. */
export interface Loki {
  push(streams: readonly LokiStream[]): Promise<'taken' | 'refused' | 'failed'>;
  close(): void;
}
interface LokiStream {
  readonly stream: Readonly<Record<string, string>>;
  /** Nanoseconds since 1970, the line, and what is known about it. */
  readonly values: readonly (readonly [string, string, Readonly<Record<string, string>>])[];
}
interface Waiting extends NodeLogLine {
  readonly node_id: string;
}

export const usualForwardLimits = { queuedLines: 20_000, batchLines: 1_000, drainMs: 5 * secondMs };
const firstPauseMs = secondMs;
const longestPauseMs = 60 * secondMs;

export function startForwarding(parts: {
  readonly loki: Loki;
  readonly metrics: LogGatewayMetrics;
  readonly clock: Clock;
  readonly log: Log;
  readonly limits?: typeof usualForwardLimits;
}): Forwarding {
  const { loki, metrics, clock, log, limits = usualForwardLimits } = parts;
  const leaving = new AbortController();
  let queue: Waiting[] = [];
  let arrival = Promise.withResolvers<void>();
  let isClosing = false;

  /** True when the batch is off the queue. */
  const send = async (): Promise<boolean> => {
    const batch = queue.slice(0, limits.batchLines);
    const answer = await loki.push(streamsOf(batch));
    if (answer === 'failed') return false;
    queue = queue.slice(batch.length);
    metrics.countForwarded(answer === 'taken' ? 'sent' : 'refused', batch.length);
    if (answer === 'refused') log.warn({ lines: batch.length }, 'Loki refuses lines; they are kept here alone');
    return true;
  };
  const run = async (): Promise<void> => {
    let failures = 0;
    while (!leaving.signal.aborted) {
      if (queue.length === 0) {
        if (isClosing) return;
        await arrival.promise;
        arrival = Promise.withResolvers();
        continue;
      }
      if (await send()) {
        failures = 0;
        continue;
      }
      failures += 1;
      if (failures === 1) log.warn({ waiting: queue.length }, 'Loki does not take lines; trying again');
      const pauseMs = Math.min(longestPauseMs, firstPauseMs * 2 ** Math.min(failures, 6));
      await clock.sleep(pauseMs, leaving.signal).catch(() => undefined);
    }
  };
  const running = run();
  return {
    get waiting() {
      return queue.length;
    },
    take(nodeId, lines) {
      const room = Math.max(0, limits.queuedLines - queue.length);
      if (lines.length > room) metrics.countForwarded('dropped', lines.length - room);
      queue.push(...lines.slice(0, room).map((line) => ({ ...line, node_id: nodeId })));
      arrival.resolve();
    },
    async close() {
      isClosing = true;
      arrival.resolve();
      const timer = new AbortController();
      await Promise.race([running, clock.sleep(limits.drainMs, timer.signal).catch(() => undefined)]);
      timer.abort();
      leaving.abort();
      loki.close();
      await running;
      metrics.countForwarded('dropped', queue.length);
    },
  };
}

/** Few labels: each set of values is a stream of its own in Loki. The rest is metadata of the line. */
function streamsOf(lines: readonly Waiting[]): LokiStream[] {
  const streams = new Map<string, { stream: LokiStream['stream']; values: LokiStream['values'][number][] }>();
  for (const { node_id, stream, level, at, line, allocation_id, task_id, correlation_id } of lines) {
    const key = `${node_id} ${stream} ${level}`;
    const found = streams.get(key) ?? { stream: { job: 'gpuaas-nodes', node_id, stream, level }, values: [] };
    streams.set(key, found);
    const known = {
      ...(allocation_id !== undefined && { allocation_id }),
      ...(task_id !== undefined && { task_id }),
      ...(correlation_id !== undefined && { correlation_id }),
    };
    found.values.push([`${Date.parse(at)}000000`, line, known]);
  }
  return [...streams.values()];
}
