import { latencyBuckets, type Metrics } from '../../kernel/telemetry/metrics.ts';

/** What an operator sees of a log gateway. Nothing names a tenant or a node. */
export interface LogGatewayMetrics {
  /** accepted: kept. rejected: refused for what they are. dropped: given up for want of room, by an agent or by us. */
  countLines(outcome: 'accepted' | 'rejected' | 'dropped', lines: number): void;
  countPush(outcome: PushOutcome, bytes: number): void;
  stored(seconds: number, isOk: boolean): void;
  countForwarded(outcome: 'sent' | 'refused' | 'dropped', lines: number): void;
}
export type PushOutcome =
  | 'accepted'
  | 'malformed'
  | 'too_large'
  | 'budget'
  | 'certificate'
  | 'connections'
  | 'unavailable';

export function makeLogGatewayMetrics(metrics: Metrics): LogGatewayMetrics {
  const lines = metrics.counter(
    'gpuaas_node_log_lines_total',
    'Lines of nodes: accepted, rejected for what they are, or dropped by an agent for want of room.',
    ['outcome'],
  );
  const pushes = metrics.counter('gpuaas_node_log_pushes_total', 'Pushes of nodes, by what became of them.', [
    'outcome',
  ]);
  const bytes = metrics.counter('gpuaas_node_log_bytes_total', 'Bytes of pushes that were read.', []);
  const storing = metrics.histogram(
    'gpuaas_node_log_store_seconds',
    'Time that the api took to keep a push, by outcome.',
    ['outcome'],
    latencyBuckets,
  );
  const forwarded = metrics.counter(
    'gpuaas_node_log_forwarded_lines_total',
    'Lines for Loki: sent, refused by it, or dropped because it did not keep up.',
    ['outcome'],
  );
  return {
    countLines: (outcome, count) => lines.inc({ outcome }, count),
    countPush(outcome, read) {
      pushes.inc({ outcome });
      bytes.inc(read);
    },
    stored: (seconds, isOk) => storing.observe({ outcome: isOk ? 'ok' : 'failed' }, seconds),
    countForwarded: (outcome, count) => forwarded.inc({ outcome }, count),
  };
}
