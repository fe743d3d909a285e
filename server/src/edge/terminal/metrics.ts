import { latencyBuckets, type Metrics } from '../../kernel/telemetry/metrics.ts';

/** What an operator sees of a gateway. Nothing names a tenant, a session or an address. */
export interface GatewayMetrics {
  countBytes(direction: 'input' | 'output', bytes: number): void;
  countClose(code: number): void;
  countRefusal(reason: Refusal): void;
  /** A source was not read from, because its sink was full. */
  countPause(source: 'client' | 'node' | 'peer', seconds: number): void;
  /** From the upgrade, and from the mint of its token, until it is in its session. */
  connected(seconds: number, sinceMintSeconds: number): void;
  countRecorded(bytes: number): void;
  countRecorderFailure(reason: string): void;
  apiAnswered(seconds: number, question: string, isOk: boolean): void;
}
export type Refusal =
  | 'origin'
  | 'token_in_query'
  | 'malformed'
  | 'address_budget'
  | 'connections'
  | 'hello'
  | 'certificate'
  | 'node_budget'
  | 'node_connections'
  | 'arrival'
  | 'token';

export function makeGatewayMetrics(metrics: Metrics): GatewayMetrics {
  const bytes = metrics.counter('gpuaas_terminal_bytes_total', 'Bytes of terminals, by direction.', ['direction']);
  const closes = metrics.counter('gpuaas_terminal_closes_total', 'Connections of clients that were closed, by code.', [
    'code',
  ]);
  const refusals = metrics.counter(
    'gpuaas_terminal_refusals_total',
    'Connections that were refused before they had a session, by reason.',
    ['reason'],
  );
  const paused = metrics.counter(
    'gpuaas_terminal_paused_seconds_total',
    'Time for which a source was not read from because its sink was full, by source.',
    ['source'],
  );
  const connect = metrics.histogram(
    'gpuaas_terminal_connect_seconds',
    'Time from the request of a client until it is in its session.',
    [],
    latencyBuckets,
  );
  const mint = metrics.histogram(
    'gpuaas_terminal_mint_to_connect_seconds',
    'Time from the mint of a token until its client is in its session.',
    [],
    [...latencyBuckets, 30, 60, 300],
  );
  const asked = metrics.histogram(
    'gpuaas_terminal_api_question_seconds',
    'Time that a question to the api took, by question and outcome.',
    ['question', 'outcome'],
    latencyBuckets,
  );
  const recorded = metrics.counter('gpuaas_terminal_recorded_bytes_total', 'Bytes of recordings that are stored.', []);
  const failures = metrics.counter(
    'gpuaas_terminal_recorder_failures_total',
    'Sessions that ended because they could not be recorded, by reason.',
    ['reason'],
  );
  return {
    countBytes: (direction, count) => bytes.inc({ direction }, count),
    countClose: (code) => closes.inc({ code: String(code) }),
    countRefusal: (reason) => refusals.inc({ reason }),
    countPause: (source, seconds) => paused.inc({ source }, seconds),
    connected(seconds, sinceMintSeconds) {
      connect.observe(seconds);
      mint.observe(Math.max(0, sinceMintSeconds));
    },
    countRecorded: (count) => recorded.inc(count),
    countRecorderFailure: (reason) => failures.inc({ reason }),
    apiAnswered: (seconds, question, isOk) => asked.observe({ question, outcome: isOk ? 'ok' : 'failed' }, seconds),
  };
}
