import {
  knownTasksHeader,
  mostKnownTasks,
  NodeHeartbeat,
  type NodeHeartbeatAnswer,
  NodeRenewal,
  type NodeSample,
  type NodeTask,
  NodeTaskProgress,
  NodeTaskResult,
  type NodeTelemetryAnswer,
  NodeTelemetryReport,
  type NodeUsageAnswer,
  NodeUsageReport,
} from '@gpuaas/contract/node';
import type { Identities, OpenRelease, Reports, Results, TaskSigners } from '../../domains/nodes/index.ts';
import { makeAct } from '../../kernel/act.ts';
import type { Clock } from '../../kernel/clock.ts';
import { Fault } from '../../kernel/fault.ts';
import type { Ids } from '../../kernel/id.ts';
import { failpoint } from '../../kernel/process/failpoint.ts';
import { makeBodyReader } from './body.ts';
import { isUuid, type NodePath, type OwnKind } from './call-path.ts';
import type { NodeCall } from './calls.ts';
import type { NodeReply, Replies } from './replies.ts';
import { nodeViewer } from './viewer.ts';
import type { WaitingRoom } from './waiting-room.ts';

/** The calls of a node about itself, after its certificate and its budget were checked. */
export interface OwnCallParts {
  readonly identities: Pick<Identities, 'renew'>;
  readonly openRelease: OpenRelease;
  readonly reports: Pick<Reports, 'record'>;
  readonly results: Results;
  /** Receives usage records. */
  readonly takeUsage: (nodeId: string, records: NodeUsageReport['records']) => Promise<NodeUsageAnswer>;
  /** Receives samples of what the host measures. */
  readonly takeSamples: (nodeId: string, samples: readonly NodeSample[]) => Promise<NodeTelemetryAnswer>;
  readonly room: WaitingRoom;
  /** Where nodes push their logs; they keep them when left out. */
  readonly logsUrl?: string | undefined;
  /** Where nodes with containers keep tunnels. */
  readonly appTunnelUrls?: readonly string[] | undefined;
  readonly signers: TaskSigners['announced'];
  readonly clock: Clock;
  readonly ids: Ids;
}
type AnswerOwn = (call: NodeCall, path: Extract<NodePath, { readonly kind: OwnKind }>) => Promise<NodeReply>;

const smallBytes = 64 * 1_024;
/** A topology of 64 GPUs, or an attestation with all its probes, and room. */
const resultBytes = 512 * 1_024;
const readRenewal = makeBodyReader<NodeRenewal>(NodeRenewal, smallBytes);
const readHeartbeat = makeBodyReader<NodeHeartbeat>(NodeHeartbeat, smallBytes);
const readProgress = makeBodyReader<NodeTaskProgress>(NodeTaskProgress, smallBytes);
const readUsage = makeBodyReader<NodeUsageReport>(NodeUsageReport, resultBytes);
const readTelemetry = makeBodyReader<NodeTelemetryReport>(NodeTelemetryReport, resultBytes);
const readResult = makeBodyReader<NodeTaskResult>(NodeTaskResult, resultBytes);

/** A malformed list counts as none: the node then gets the grace period, like one that sends no list. */
function knownTasks(call: NodeCall): readonly string[] | undefined {
  const said = call.headers[knownTasksHeader];
  if (typeof said !== 'string') return undefined;
  const known = said === '' ? [] : said.split(',');
  return known.length <= mostKnownTasks && known.every(isUuid) ? known : undefined;
}

export function makeOwnCalls(parts: OwnCallParts, { reply, refuse }: Replies): Readonly<Record<OwnKind, AnswerOwn>> {
  const { clock, ids } = parts;
  const tryAgain = (message: string) => refuse(new Fault('service_unavailable', message), { retryAfterSeconds: 1 });
  return {
    async 'tasks/wait'(call, { nodeId }) {
      const task = await new Promise<NodeTask | undefined>((resolve) => {
        call.onGone(parts.room.wait({ nodeId, knows: knownTasks(call) }, call.holdMs, resolve));
      });
      return reply(task);
    },
    async release(_call, { release }) {
      const stream = await parts.openRelease(release);
      if (!stream) return refuse(new Fault('agent_release_not_found', 'There is no such release.'));
      return { status: 200, stream };
    },
    async heartbeat(call, { nodeId }) {
      const body = await readHeartbeat(call.body);
      if (body instanceof Fault) return refuse(body);
      let state: string | undefined;
      try {
        state = await parts.reports.record(nodeId, body);
      } catch {
        return tryAgain('Reports cannot be written now: try again.');
      }
      if (state === undefined) return refuse(new Fault('node_certificate_invalid', 'This node was removed.'));
      const heard: NodeHeartbeatAnswer = {
        ...{ server_time: clock.now().toISOString(), ...parts.signers(), state },
        ...(parts.logsUrl !== undefined && { logs_url: parts.logsUrl }),
        ...(parts.appTunnelUrls !== undefined && { app_tunnel_urls: [...parts.appTunnelUrls] }),
      };
      return reply(heard);
    },
    async usage(call, { nodeId }) {
      const body = await readUsage(call.body);
      if (body instanceof Fault) return refuse(body);
      try {
        return reply(await parts.takeUsage(nodeId, body.records));
      } catch {
        return tryAgain('Usage cannot be written now: try again.');
      }
    },
    async telemetry(call, { nodeId }) {
      const body = await readTelemetry(call.body);
      if (body instanceof Fault) return refuse(body);
      try {
        return reply(await parts.takeSamples(nodeId, body.samples));
      } catch {
        return tryAgain('Samples cannot be written now: try again.');
      }
    },
    async certificate(call, { nodeId }) {
      const body = await readRenewal(call.body);
      if (body instanceof Fault) return refuse(body);
      const act = makeAct(nodeViewer(call, nodeId, ids), 'node.renew', ids.next());
      return reply(await parts.identities.renew(act, { nodeId, serial: call.peer?.serial ?? '' }, body.csr));
    },
    async progress(call, { nodeId, taskId }) {
      const body = await readProgress(call.body);
      if (body instanceof Fault) return refuse(body);
      const act = makeAct(nodeViewer(call, nodeId, ids), 'node_task.progress', ids.next());
      const noted = await parts.results.progress(act, nodeId, taskId, body);
      await failpoint('node.before-answer', 'progress');
      return reply(noted);
    },
    async result(call, { nodeId, taskId }) {
      const body = await readResult(call.body);
      if (body instanceof Fault) return refuse(body);
      const act = makeAct(nodeViewer(call, nodeId, ids), 'node_task.result', ids.next());
      const settled = await parts.results.settle(act, nodeId, taskId, body);
      await failpoint('node.before-answer', 'result');
      return reply(settled);
    },
  };
}
