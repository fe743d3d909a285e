import type { IncomingMessage } from 'node:http';
import { nodeLogsStore } from '@gpuaas/contract/internal';
import { droppedLinesHeader, logPushLimits, NodeLogPush } from '@gpuaas/contract/node';
import type { Clock } from '../../kernel/clock.ts';
import { Fault } from '../../kernel/fault.ts';
import type { Ids } from '../../kernel/id.ts';
import type { Log } from '../../kernel/telemetry/log.ts';
import type { Metrics } from '../../kernel/telemetry/metrics.ts';
import { secondMs } from '../../kernel/units.ts';
import type { InternalAnswer, InternalClient } from '../internal/client.ts';
import type { ProcessIdentity } from '../internal/process-identity.ts';
import { bodyOf, makeBodyReader } from '../nodes/body.ts';
import { makeNodeBudget } from '../nodes/budget.ts';
import type { Peer } from '../nodes/peer.ts';
import type { StrangerLimits } from '../nodes/strangers.ts';
import { openLogDoor, type TakePush } from './door.ts';
import { type Forwarding, type Loki, startForwarding } from './forward.ts';
import { type LogGatewayMetrics, makeLogGatewayMetrics, type PushOutcome } from './metrics.ts';
import { linesOf } from './read-push.ts';

export interface LogGatewayLimits {
  readonly connections: number;
  readonly strangers: StrangerLimits;
  /** Of one node, in a minute. */
  readonly pushes: number;
  readonly lines: number;
  readonly bytes: number;
  readonly storeMs: number;
  readonly drainMs: number;
}
export const usualLogGatewayLimits: LogGatewayLimits = {
  connections: 24_000,
  // Many nodes may come from one address, all at once after a restart; each has its seat for one handshake.
  strangers: { perAddress: 1_000, inTotal: 4_000 },
  // A node that comes back after an outage brings what it kept, and still leaves room for others.
  ...{ pushes: 240, lines: 12_000, bytes: 8 * 1_024 * 1_024 },
  ...{ storeMs: 10 * secondMs, drainMs: 5 * secondMs },
};
export interface LogGateway {
  readonly port: number;
  /** How long the api has not taken a push, since the first one that it did not take; 0 while all is well. */
  readonly troubleMs: number;
  close(): Promise<void>;
}
export interface LogGatewayParts {
  readonly identity: ProcessIdentity;
  readonly client: Pick<InternalClient, 'ask'>;
  readonly loki: Loki | undefined;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: Log;
  readonly metrics: Metrics;
}

/** One copy of the log gateway. It keeps nothing but what waits for a Loki: the api stores, and agents keep what it has not. */
export async function openLogGateway(
  settings: { readonly host: string; readonly port: number; readonly limits: LogGatewayLimits },
  parts: LogGatewayParts,
): Promise<LogGateway> {
  const { clock, log } = parts;
  const metrics = makeLogGatewayMetrics(parts.metrics);
  const forwarding = parts.loki && startForwarding({ loki: parts.loki, metrics, clock, log });
  const nowMs = () => clock.now().getTime();
  let troubleSinceMs: number | undefined;
  const door = await openLogDoor({
    ...{ host: settings.host, port: settings.port, identity: parts.identity, ids: parts.ids, clock, log },
    ...{ connections: settings.limits.connections, strangers: settings.limits.strangers },
    onRefused: () => metrics.countPush('connections', 0),
    take: makeTake(settings.limits, {
      ...{ ...parts, metrics, forwarding },
      onStored(isOk) {
        troubleSinceMs = isOk ? undefined : (troubleSinceMs ?? nowMs());
      },
    }),
  });
  const waiting = parts.metrics.gauge('gpuaas_node_log_forward_waiting_lines', 'Lines that wait for Loki.', []);
  const trouble = parts.metrics.gauge(
    'gpuaas_node_log_api_trouble_seconds',
    'Time for which the api has taken no push; 0 while it takes them.',
    [],
  );
  const troubleMs = () => (troubleSinceMs === undefined ? 0 : nowMs() - troubleSinceMs);
  parts.metrics.onScrape(async () => {
    waiting.set(forwarding?.waiting ?? 0);
    trouble.set(troubleMs() / secondMs);
  });
  return {
    port: door.port,
    get troubleMs() {
      return troubleMs();
    },
    async close() {
      await door.close(settings.limits.drainMs);
      await forwarding?.close();
    },
  };
}

const readPush = makeBodyReader<NodeLogPush>(NodeLogPush, logPushLimits.bytes);
const refused: Readonly<Record<string, PushOutcome>> = { payload_too_large: 'too_large' };
/** More than an agent can hold: a header of a broken one must not spoil the count. */
const mostDropped = 1_000_000;

function makeTake(
  limits: LogGatewayLimits,
  parts: Pick<LogGatewayParts, 'client' | 'clock'> & {
    readonly metrics: LogGatewayMetrics;
    readonly forwarding: Forwarding | undefined;
    readonly onStored: (isOk: boolean) => void;
  },
): TakePush {
  const { clock, metrics } = parts;
  const budgets = {
    pushes: makeNodeBudget({ clock, callsPerMinute: limits.pushes }),
    lines: makeNodeBudget({ clock, callsPerMinute: limits.lines }),
    bytes: makeNodeBudget({ clock, callsPerMinute: limits.bytes }),
  };
  const refuse = (fault: Fault, outcome: PushOutcome, bytes = 0) => {
    metrics.countPush(outcome, bytes);
    return { fault };
  };
  const overBudget = (what: keyof typeof budgets, seconds: number, bytes: number) => {
    const fault = new Fault('rate_limit_exceeded', `This node pushes too many ${what}: wait ${seconds} s.`, {
      ...{ lane: 'node-logs', limit: limits[what] },
    });
    return { ...refuse(fault, 'budget', bytes), retryAfterSeconds: seconds };
  };
  const store = async (peer: Peer, lines: ReturnType<typeof linesOf>): Promise<InternalAnswer<Stored> | undefined> => {
    if (lines instanceof Fault) return undefined;
    const beganMs = clock.now().getTime();
    const body = { node_id: peer.nodeId, certificate_serial: peer.serial, lines };
    const answer = await parts.client.ask(nodeLogsStore, body, { withinMs: limits.storeMs }).catch(() => undefined);
    metrics.stored((clock.now().getTime() - beganMs) / secondMs, answer !== undefined);
    parts.onStored(answer !== undefined);
    return answer;
  };
  return async (request, peer) => {
    if (!peer || peer.expiresAtMs <= clock.now().getTime()) {
      return refuse(certificateFault('This path wants the certificate of a node, and a valid one.'), 'certificate');
    }
    const wait = budgets.pushes.take(peer.nodeId);
    if (wait !== undefined) return overBudget('pushes', wait, 0);
    // Paid for before it is read, so that a push that turns out to be malformed costs its bytes too.
    const bytes = bytesToRead(request);
    const bytesWait = budgets.bytes.take(peer.nodeId, bytes);
    if (bytesWait !== undefined) return overBudget('bytes', bytesWait, 0);
    const body = await readPush(bodyOf(request));
    if (body instanceof Fault) return refuse(body, refused[body.code] ?? 'malformed', bytes);
    const lines = linesOf(body);
    if (lines instanceof Fault) {
      metrics.countLines(
        'rejected',
        body.streams.reduce((sum, { values }) => sum + values.length, 0),
      );
      return refuse(lines, 'malformed', bytes);
    }
    const linesWait = budgets.lines.take(peer.nodeId, lines.length);
    if (linesWait !== undefined) return overBudget('lines', linesWait, bytes);
    const answer = await store(peer, lines);
    if (!answer) {
      const fault = new Fault('service_unavailable', 'Lines cannot be kept now: keep them and push them again.');
      return { ...refuse(fault, 'unavailable', bytes), retryAfterSeconds: 5 };
    }
    if (!answer.ok) return refuse(certificateFault(answer.message), 'certificate', bytes);
    metrics.countPush('accepted', bytes);
    metrics.countLines('accepted', answer.value.stored);
    metrics.countLines('rejected', answer.value.refused);
    metrics.countLines('dropped', droppedIn(request));
    // What the database refused may name machines of others: a push with such a line is not passed on.
    if (answer.value.refused === 0) parts.forwarding?.take(peer.nodeId, lines);
    return undefined;
  };
}

interface Stored {
  readonly stored: number;
  readonly refused: number;
}
const certificateFault = (message: string) => new Fault('node_certificate_invalid', message);

function droppedIn(request: IncomingMessage): number {
  const said = Number(request.headers[droppedLinesHeader] ?? 0);
  return Number.isInteger(said) && said > 0 ? Math.min(said, mostDropped) : 0;
}

/** A push that does not declare its length may be as long as any; agents declare it. One that declares too much is not read. */
function bytesToRead(request: IncomingMessage): number {
  const declared = Number(request.headers['content-length'] ?? 0);
  if (declared > logPushLimits.bytes) return 0;
  return declared > 0 ? declared : logPushLimits.bytes;
}
