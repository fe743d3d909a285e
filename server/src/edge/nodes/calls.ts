import {
  knownTasksHeader,
  mostKnownTasks,
  NodeEnrolment,
  NodeHeartbeat,
  type NodeHeartbeatAnswer,
  NodeRenewal,
  type NodeTask,
  NodeTaskProgress,
  NodeTaskResult,
  type NodeUsageAnswer,
  NodeUsageReport,
  nodeTransport,
} from '@gpuaas/contract/node';
import type { Denials, Identities, OpenRelease, Reports, Results, TaskSigners } from '../../domains/nodes/index.ts';
import { makeAct, type Viewer } from '../../kernel/act.ts';
import type { Clock } from '../../kernel/clock.ts';
import { Fault } from '../../kernel/fault.ts';
import type { Ids } from '../../kernel/id.ts';
import { failpoint } from '../../kernel/process/failpoint.ts';
import type { Log } from '../../kernel/telemetry/log.ts';
import type { Metrics } from '../../kernel/telemetry/metrics.ts';
import { callerAddress } from '../gate/caller-address.ts';
import type { RateLimit } from '../http/admission/rate-limit.ts';
import { encodeProblem } from '../http/problem.ts';
import { type BodySource, makeBodyReader } from './body.ts';
import { makeNodeBudget, type NodeLimits, usualNodeLimits } from './budget.ts';
import type { Peer } from './peer.ts';
import type { WaitingRoom } from './waiting-room.ts';

/**
 * The calls of nodes, over HTTP or over a line. There are eight, each from a node about itself; a caller without a
 * certificate can only use an enrolment token.
 */
export interface NodeCall {
  readonly method: string;
  readonly path: string;
  /** The node of the connection; undefined without the certificate of a node. */
  readonly peer: Peer | undefined;
  readonly address: string | undefined;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: BodySource;
  /** How long a poll for work may be held. */
  readonly holdMs: number;
  /** Whether more than a text can be answered. */
  readonly takesStreams: boolean;
  /** Called when the node disconnects before the answer. The last listener counts: a node waits once. */
  onGone(listener: () => void): void;
}
export interface NodeReply {
  readonly status: number;
  /** JSON. */
  readonly text?: string;
  readonly retryAfterSeconds?: number;
  readonly stream?: NonNullable<Awaited<ReturnType<OpenRelease>>>;
}
export interface NodeCalls {
  answer(call: NodeCall): Promise<NodeReply>;
  /** Why this certificate may not call now; undefined when it may. */
  checkCertificate(peer: Peer | undefined): Fault<'node_certificate_invalid'> | undefined;
  /** Something was refused because the node was beyond this limit. */
  countRefusal(limit: 'calls' | 'connections' | 'strangers'): void;
}

export interface CallParts {
  readonly identities: Identities;
  readonly openRelease: OpenRelease;
  readonly reports: Reports;
  readonly results: Results;
  /** Receives usage records. */
  readonly takeUsage: (nodeId: string, records: NodeUsageReport['records']) => Promise<NodeUsageAnswer>;
  readonly room: WaitingRoom;
  readonly denials: () => Pick<Denials, 'denies'>;
  readonly signers: TaskSigners['announced'];
  readonly rateLimit: RateLimit;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: Log;
  readonly metrics: Metrics;
  /** What one node may ask for. */
  readonly limits?: NodeLimits;
}

const smallBytes = 64 * 1_024;
/** A topology of 64 GPUs, or an attestation with all its probes, and room. */
const resultBytes = 512 * 1_024;
const readEnrolment = makeBodyReader<NodeEnrolment>(NodeEnrolment, smallBytes);
const readRenewal = makeBodyReader<NodeRenewal>(NodeRenewal, smallBytes);
const readHeartbeat = makeBodyReader<NodeHeartbeat>(NodeHeartbeat, smallBytes);
const readProgress = makeBodyReader<NodeTaskProgress>(NodeTaskProgress, smallBytes);
const readUsage = makeBodyReader<NodeUsageReport>(NodeUsageReport, resultBytes);
const readResult = makeBodyReader<NodeTaskResult>(NodeTaskResult, resultBytes);

const uuid = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}';
const ofNode = new RegExp(
  `^/internal/v1/nodes/(${uuid})/(?:(certificate|heartbeat|usage|tasks/wait)|tasks/(${uuid})/(progress|result)|releases/([0-9a-f]{64}))$`,
);
const uuidAlone = new RegExp(`^${uuid}$`);
/** A malformed list counts as none: the node then gets the grace period, like one that sends no list. */
function knownTasks(call: NodeCall): readonly string[] | undefined {
  const said = call.headers[knownTasksHeader];
  if (typeof said !== 'string') return undefined;
  const known = said === '' ? [] : said.split(',');
  return known.length <= mostKnownTasks && known.every((id) => uuidAlone.test(id)) ? known : undefined;
}
type Kind =
  | 'enrol'
  | 'certificate'
  | 'heartbeat'
  | 'usage'
  | 'tasks/wait'
  | 'progress'
  | 'result'
  | 'release'
  | 'unknown';

export function makeNodeCalls(parts: CallParts): NodeCalls {
  const { clock, ids, log } = parts;
  const counted = parts.metrics.counter('gpuaas_node_requests_total', 'Calls of nodes, by kind and kind of answer.', [
    'kind',
    'status_class',
  ]);
  const limits = parts.limits ?? usualNodeLimits;
  const budget = makeNodeBudget({ clock, callsPerMinute: limits.callsPerMinute });
  const refused = parts.metrics.counter(
    'gpuaas_node_refusals_total',
    'Calls of nodes that were refused by a limit, by the limit.',
    ['limit'],
  );
  const countRefusal = (limit: 'calls' | 'connections' | 'strangers') => refused.inc({ limit });
  const refuse = (fault: Fault, more: Pick<NodeReply, 'retryAfterSeconds'> = {}): NodeReply => {
    const { status, body } = encodeProblem(fault, ids.next());
    return { status, text: body, ...more };
  };
  const reply = (value: object | undefined): NodeReply => {
    if (value instanceof Fault) return refuse(value);
    return value === undefined ? { status: 204 } : { status: 200, text: JSON.stringify(value) };
  };

  async function answer(call: NodeCall): Promise<NodeReply> {
    const found = ofNode.exec(call.path);
    const release = found?.[5];
    const named = release ? 'release' : ((found?.[2] ?? found?.[4] ?? 'unknown') as Kind);
    const kind: Kind = call.path === nodeTransport.enrol.path ? 'enrol' : named;
    const said = await decide(call, kind, found).catch((error: unknown) => {
      log.error({ err: error, kind }, 'a call of a node failed');
      return refuse(new Fault('internal_error', 'An internal error. The log of the api has it.'));
    });
    counted.inc({ kind, status_class: `${Math.floor(said.status / 100)}xx` });
    return said;
  }

  async function decide(call: NodeCall, kind: Kind, found: RegExpExecArray | null): Promise<NodeReply> {
    if (kind === 'unknown' || (kind === 'release' && !call.takesStreams)) {
      return refuse(new Fault('route_not_found', 'There is no such path.'));
    }
    const method = kind === 'tasks/wait' || kind === 'release' ? 'GET' : 'POST';
    if (call.method !== method) return refuse(new Fault('method_not_allowed', `This path takes ${method}.`));
    if (kind === 'enrol') return enrol(call);
    const nodeId = found?.[1] ?? '';
    const taskId = found?.[3] ?? '';
    const isAnother = call.peer !== undefined && call.peer.nodeId !== nodeId;
    const fault = isAnother
      ? new Fault('node_certificate_invalid', 'The certificate is another node’s.')
      : checkCertificate(call.peer);
    if (fault) return refuse(fault);
    const waitSeconds = budget.take(nodeId);
    if (waitSeconds !== undefined) {
      countRefusal('calls');
      const details = { lane: 'nodes', limit: limits.callsPerMinute };
      const fault = new Fault('rate_limit_exceeded', `This node asks too often: wait ${waitSeconds} s.`, details);
      return refuse(fault, { retryAfterSeconds: waitSeconds });
    }
    await failpoint('node.received', kind);
    switch (kind) {
      case 'tasks/wait':
        return reply(await wait(call, nodeId));
      case 'release': {
        const stream = await parts.openRelease(found?.[5] ?? '');
        if (!stream) return refuse(new Fault('agent_release_not_found', 'There is no such release.'));
        return { status: 200, stream };
      }
      case 'heartbeat':
        return heartbeat(call, nodeId);
      case 'usage':
        return usage(call, nodeId);
      case 'certificate': {
        const body = await readRenewal(call.body);
        if (body instanceof Fault) return refuse(body);
        const act = makeAct(viewerOf(call, nodeId), 'node.renew', ids.next());
        return reply(await parts.identities.renew(act, { nodeId, serial: call.peer?.serial ?? '' }, body.csr));
      }
      case 'progress': {
        const body = await readProgress(call.body);
        if (body instanceof Fault) return refuse(body);
        const act = makeAct(viewerOf(call, nodeId), 'node_task.progress', ids.next());
        const noted = await parts.results.progress(act, nodeId, taskId, body);
        await failpoint('node.before-answer', kind);
        return reply(noted);
      }
      case 'result': {
        const body = await readResult(call.body);
        if (body instanceof Fault) return refuse(body);
        const act = makeAct(viewerOf(call, nodeId), 'node_task.result', ids.next());
        const settled = await parts.results.settle(act, nodeId, taskId, body);
        await failpoint('node.before-answer', kind);
        return reply(settled);
      }
    }
  }

  /** Whether the one on the line has a certificate that is good now. */
  function checkCertificate(peer: Peer | undefined): Fault<'node_certificate_invalid'> | undefined {
    if (!peer) return new Fault('node_certificate_invalid', 'This path wants the certificate of a node.');
    if (peer.expiresAtMs <= clock.now().getTime()) {
      return new Fault('node_certificate_invalid', 'The certificate has expired.');
    }
    return parts.denials().denies(peer)
      ? new Fault('node_certificate_invalid', 'The certificate was revoked.')
      : undefined;
  }

  const wait = (call: NodeCall, nodeId: string) =>
    new Promise<NodeTask | undefined>((resolve) => {
      call.onGone(parts.room.wait({ nodeId, knows: knownTasks(call) }, call.holdMs, resolve));
    });

  async function enrol(call: NodeCall): Promise<NodeReply> {
    const caller = { address: callerAddress(call.address) };
    const { allowed, limit, resetSeconds } = await parts.rateLimit('credentials', caller, {});
    if (!allowed) {
      const details = { lane: 'credentials', limit };
      return refuse(new Fault('rate_limit_exceeded', `Too many attempts: wait ${resetSeconds} s.`, details), {
        retryAfterSeconds: resetSeconds,
      });
    }
    const body = await readEnrolment(call.body);
    if (body instanceof Fault) return refuse(body);
    const act = makeAct(viewerOf(call, 'enrolment'), 'node.enrol', ids.next());
    return reply(await parts.identities.enrol(act, body));
  }

  async function heartbeat(call: NodeCall, nodeId: string): Promise<NodeReply> {
    const body = await readHeartbeat(call.body);
    if (body instanceof Fault) return refuse(body);
    let state: string | undefined;
    try {
      state = await parts.reports.record(nodeId, body);
    } catch {
      const fault = new Fault('service_unavailable', 'Reports cannot be written now: try again.');
      return refuse(fault, { retryAfterSeconds: 1 });
    }
    if (state === undefined) return refuse(new Fault('node_certificate_invalid', 'This node was removed.'));
    const heard: NodeHeartbeatAnswer = {
      server_time: clock.now().toISOString(),
      ...parts.signers(),
      state,
    };
    return reply(heard);
  }

  async function usage(call: NodeCall, nodeId: string): Promise<NodeReply> {
    const body = await readUsage(call.body);
    if (body instanceof Fault) return refuse(body);
    try {
      return reply(await parts.takeUsage(nodeId, body.records));
    } catch {
      const fault = new Fault('service_unavailable', 'Usage cannot be written now: try again.');
      return refuse(fault, { retryAfterSeconds: 1 });
    }
  }

  const viewerOf = (call: NodeCall, actorId: string): Viewer => ({
    actorId,
    actorKind: 'node',
    actorRole: 'none',
    reach: 'platform',
    organizationId: undefined,
    projectId: undefined,
    correlationId: ids.next(),
    traceparent: undefined,
    address: call.address,
    userAgent: undefined,
  });

  return { answer, checkCertificate, countRefusal };
}
