import type { Denials } from '../../domains/nodes/index.ts';
import { Fault } from '../../kernel/fault.ts';
import { failpoint } from '../../kernel/process/failpoint.ts';
import type { Log } from '../../kernel/telemetry/log.ts';
import type { Metrics } from '../../kernel/telemetry/metrics.ts';
import type { BodySource } from './body.ts';
import { makeNodeBudget, type NodeLimits, type NoteNodeRefusal, usualNodeLimits } from './budget.ts';
import { type NodePath, readNodePath } from './call-path.ts';
import { type CheckCertificate, makeCheckCertificate } from './certificate-check.ts';
import { type EnrolParts, makeEnrolCall } from './enrol-call.ts';
import { makeOwnCalls, type OwnCallParts } from './own-calls.ts';
import type { Peer } from './peer.ts';
import { makeReplies, type NodeReply } from './replies.ts';

/**
 * The calls of nodes, over HTTP or over a line. There are nine, each from a node about itself; a caller without a
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
export interface NodeCalls {
  answer(call: NodeCall): Promise<NodeReply>;
  readonly checkCertificate: CheckCertificate;
}

export interface CallParts extends OwnCallParts, EnrolParts {
  readonly identities: OwnCallParts['identities'] & EnrolParts['identities'];
  readonly denials: () => Pick<Denials, 'denies'>;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly noteRefusal: NoteNodeRefusal;
  /** What one node may ask for. */
  readonly limits?: NodeLimits;
}

export function makeNodeCalls(parts: CallParts): NodeCalls {
  const { clock, ids, log } = parts;
  const counted = parts.metrics.counter('gpuaas_node_requests_total', 'Calls of nodes, by kind and kind of answer.', [
    'kind',
    'status_class',
  ]);
  const limits = parts.limits ?? usualNodeLimits;
  const budget = makeNodeBudget({ clock, callsPerMinute: limits.callsPerMinute });
  const replies = makeReplies(ids);
  const { refuse } = replies;
  const checkCertificate = makeCheckCertificate(parts);
  const enrol = makeEnrolCall(parts, replies);
  const own = makeOwnCalls(parts, replies);

  async function answer(call: NodeCall): Promise<NodeReply> {
    const path = readNodePath(call.path);
    const { kind } = path;
    const said = await decide(call, path).catch((error: unknown) => {
      log.error({ err: error, kind }, 'a call of a node failed');
      return refuse(new Fault('internal_error', 'An internal error. The log of the api has it.'));
    });
    counted.inc({ kind, status_class: `${Math.floor(said.status / 100)}xx` });
    return said;
  }

  async function decide(call: NodeCall, path: NodePath): Promise<NodeReply> {
    if (path.kind === 'unknown' || (path.kind === 'release' && !call.takesStreams)) {
      return refuse(new Fault('route_not_found', 'There is no such path.'));
    }
    const method = path.kind === 'tasks/wait' || path.kind === 'release' ? 'GET' : 'POST';
    if (call.method !== method) return refuse(new Fault('method_not_allowed', `This path takes ${method}.`));
    if (path.kind === 'enrol') return enrol(call);
    const isAnother = call.peer !== undefined && call.peer.nodeId !== path.nodeId;
    const fault = isAnother
      ? new Fault('node_certificate_invalid', 'The certificate is another node’s.')
      : checkCertificate(call.peer);
    if (fault) return refuse(fault);
    const waitSeconds = budget.take(path.nodeId);
    if (waitSeconds !== undefined) {
      parts.noteRefusal('calls', { nodeId: path.nodeId, address: call.address });
      const details = { lane: 'nodes', limit: limits.callsPerMinute };
      const tooOften = new Fault('rate_limit_exceeded', `This node asks too often: wait ${waitSeconds} s.`, details);
      return refuse(tooOften, { retryAfterSeconds: waitSeconds });
    }
    await failpoint('node.received', path.kind);
    return own[path.kind](call, path);
  }

  return { answer, checkCertificate };
}
