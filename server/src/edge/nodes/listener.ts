import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { pipeline } from 'node:stream/promises';
import type { TLSSocket } from 'node:tls';
import {
  knownTasksHeader,
  mostKnownTasks,
  NodeEnrolment,
  NodeHeartbeat,
  type NodeHeartbeatAnswer,
  NodeRenewal,
  NodeTaskProgress,
  NodeTaskResult,
  type SignerVersion,
} from '@gpuaas/contract/node';
import type { Denials, Identities, OpenRelease, Reports, Results } from '../../domains/nodes/index.ts';
import { makeAct, type Viewer } from '../../kernel/act.ts';
import type { Clock } from '../../kernel/clock.ts';
import { failpoint } from '../../kernel/failpoint.ts';
import { Fault } from '../../kernel/fault.ts';
import type { Ids } from '../../kernel/id.ts';
import type { Log } from '../../kernel/log.ts';
import type { Metrics } from '../../kernel/metrics.ts';
import { startReconciler } from '../../kernel/reconciler.ts';
import type { Certificates } from '../../ports/certificates/port.ts';
import { answerUnreadable, encodeProblem, problemType } from '../http/problem.ts';
import type { RateLimit } from '../http/rate-limit.ts';
import { type BodyRefused, makeBodyReader } from './body.ts';
import { type Peer, peerOf } from './peer.ts';
import type { WaitingRoom } from './waiting-room.ts';

/**
 * The door of nodes: a port of its own that speaks TLS with certificates on both sides. It is small on purpose. There
 * are seven requests, each from a node about itself; nothing here can be reached with a token of a person, and nobody
 * without a certificate gets further than spending an enrolment token. What is kept per connection is who is there.
 */
export interface NodeListener {
  readonly port: number;
  /** Cuts the connections of those who are denied now. */
  cutDenied(): void;
  readonly connections: number;
  close(): Promise<void>;
}

export interface ListenerParts {
  readonly host: string;
  readonly port: number;
  /** What nodes call us: names and addresses for the certificate. */
  readonly names: readonly string[];
  /** How long a greeting may take. */
  readonly handshakeMs?: number;
  readonly certificates: Certificates;
  readonly identities: Identities;
  readonly openRelease: OpenRelease;
  readonly reports: Reports;
  readonly results: Results;
  readonly room: WaitingRoom;
  readonly denials: () => Pick<Denials, 'denies'>;
  readonly signers: () => readonly SignerVersion[];
  readonly rateLimit: RateLimit;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: Log;
  readonly metrics: Metrics;
}

const smallBytes = 64 * 1_024;
/** A topology of 64 GPUs, or an attestation with all its probes, and room. */
const resultBytes = 512 * 1_024;
const serverCertificateMs = 30 * 24 * 3_600_000;
const lookAtCertificateMs = 3_600_000;
/** When everybody comes back at once, greetings wait for each other: who is patient is not sent away to try again. */
const handshakeMs = 30_000;
const tickMs = 1_000;
const maxConnections = 50_000;
const readEnrolment = makeBodyReader<NodeEnrolment>(NodeEnrolment, smallBytes);
const readRenewal = makeBodyReader<NodeRenewal>(NodeRenewal, smallBytes);
const readHeartbeat = makeBodyReader<NodeHeartbeat>(NodeHeartbeat, smallBytes);
const readProgress = makeBodyReader<NodeTaskProgress>(NodeTaskProgress, smallBytes);
const readResult = makeBodyReader<NodeTaskResult>(NodeTaskResult, resultBytes);

const uuid = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}';
const ofNode = new RegExp(
  `^/internal/v1/nodes/(${uuid})/(?:(certificate|heartbeat|tasks/wait)|tasks/(${uuid})/(progress|result)|releases/([0-9a-f]{64}))$`,
);
const uuidAlone = new RegExp(`^${uuid}$`);
/** A list that is not as it should be is none: the node is then given time, as one that says nothing. */
function knownTasks(request: IncomingMessage): readonly string[] | undefined {
  const said = request.headers[knownTasksHeader];
  if (typeof said !== 'string') return undefined;
  const known = said === '' ? [] : said.split(',');
  return known.length <= mostKnownTasks && known.every((id) => uuidAlone.test(id)) ? known : undefined;
}
type Kind = 'enrol' | 'certificate' | 'heartbeat' | 'tasks/wait' | 'progress' | 'result' | 'release' | 'unknown';

export async function openNodeListener(parts: ListenerParts): Promise<NodeListener> {
  const { clock, ids, log, metrics } = parts;
  const peers = new Map<TLSSocket, Peer>();
  const requests = metrics.counter('gpuaas_node_requests_total', 'Requests of nodes, by kind and kind of answer.', [
    'kind',
    'status_class',
  ]);

  const fresh = async () => {
    const [{ roots }, own] = await Promise.all([
      parts.certificates.authority(),
      parts.certificates.certifyServer({ names: parts.names, ttlMs: serverCertificateMs }),
    ]);
    return { context: { ca: roots, cert: own.chain, key: own.privateKey }, renewAtMs: renewal(own.notAfter) };
  };
  const renewal = (notAfter: Date) => notAfter.getTime() - serverCertificateMs / 3;
  let held = await fresh();

  const server = createServer(
    {
      ...held.context,
      minVersion: 'TLSv1.3',
      requestCert: true,
      // Enrolment has no certificate yet; every other request asks who is there.
      rejectUnauthorized: false,
      handshakeTimeout: parts.handshakeMs ?? handshakeMs,
      maxHeaderSize: 8 * 1_024,
      // Whoever sends slowly is not waited for.
      headersTimeout: 10_000,
      requestTimeout: 20_000,
      keepAliveTimeout: 90_000,
      connectionsCheckingInterval: 5_000,
      noDelay: true,
    },
    (request, response) => {
      answer(request, response).catch((error: unknown) => {
        // Whoever hung up in the middle of a body has said goodbye and nothing else.
        if (request.destroyed && !request.complete) return;
        log.error({ err: error }, 'a request of a node failed');
        if (!response.headersSent) refuse(response, new Fault('internal_error', 'Something broke here.'));
      });
    },
  );
  server.maxConnections = maxConnections;
  server.on('secureConnection', (socket: TLSSocket) => {
    const peer = peerOf(socket);
    if (!peer) return;
    peers.set(socket, peer);
    socket.once('close', () => peers.delete(socket));
  });
  // Whoever never finished its greeting hears nothing in return.
  server.on('tlsClientError', (_, socket) => socket.destroy());
  server.on('clientError', (error: Error, socket) => answerUnreadable(error, socket as TLSSocket, ids.next(), {}));

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = request.url ?? '';
    const found = ofNode.exec(path);
    const release = found?.[5];
    const named = release ? 'release' : ((found?.[2] ?? found?.[4] ?? 'unknown') as Kind);
    const kind: Kind = path === '/internal/v1/nodes/enrol' ? 'enrol' : named;
    response.once('finish', () => requests.inc({ kind, status_class: `${Math.floor(response.statusCode / 100)}xx` }));
    const method = kind === 'tasks/wait' || kind === 'release' ? 'GET' : 'POST';
    if (kind === 'unknown') return refuse(response, new Fault('route_not_found', 'There is no such path.'));
    if (request.method !== method) {
      return refuse(response, new Fault('method_not_allowed', `This path takes ${method}.`));
    }
    if (kind === 'enrol') return enrol(request, response);
    const nodeId = found?.[1] ?? '';
    const taskId = found?.[3] ?? '';
    const fault = judge(peers.get(request.socket as TLSSocket), nodeId);
    if (fault) return refuse(response, fault);
    await failpoint('node.received', kind);
    switch (kind) {
      case 'tasks/wait':
        return parts.room.wait({ nodeId, knows: knownTasks(request) }, response);
      case 'release':
        return sendRelease(release ?? '', response);
      case 'heartbeat':
        return heartbeat(nodeId, request, response);
      case 'certificate': {
        const body = await readRenewal(request);
        if (body instanceof Fault) return refuse(response, body);
        const act = makeAct(viewerOf(request, nodeId), 'node.renew', ids.next());
        return send(response, await parts.identities.renew(act, nodeId, body.csr));
      }
      case 'progress': {
        const body = await readProgress(request);
        if (body instanceof Fault) return refuse(response, body);
        const act = makeAct(viewerOf(request, nodeId), 'node_task.progress', ids.next());
        const noted = await parts.results.progress(act, nodeId, taskId, body);
        await failpoint('node.before-answer', kind);
        return send(response, noted);
      }
      case 'result': {
        const body = await readResult(request);
        if (body instanceof Fault) return refuse(response, body);
        const act = makeAct(viewerOf(request, nodeId), 'node_task.result', ids.next());
        const settled = await parts.results.settle(act, nodeId, taskId, body);
        await failpoint('node.before-answer', kind);
        return send(response, settled);
      }
    }
  }

  /** As it is: whoever asked counts the digest. A line that breaks in the middle says so by breaking. */
  async function sendRelease(hex: string, response: ServerResponse): Promise<void> {
    const found = await parts.openRelease(hex);
    if (!found) return refuse(response, new Fault('agent_release_not_found', 'There is no such release.'));
    response.writeHead(200, { 'content-type': 'application/octet-stream', 'content-length': found.size });
    await pipeline(found.body, response).catch((error: unknown) => {
      log.warn({ err: error }, 'a release did not reach its node');
      response.destroy();
    });
  }

  /** Whether the one on the line is the node that the path names, with a certificate that is good now. */
  function judge(peer: Peer | undefined, nodeId: string): Fault<'node_certificate_invalid'> | undefined {
    if (!peer) return new Fault('node_certificate_invalid', 'This path wants the certificate of a node.');
    if (peer.nodeId !== nodeId) return new Fault('node_certificate_invalid', 'The certificate is another node’s.');
    if (peer.expiresAtMs <= clock.now().getTime()) {
      return new Fault('node_certificate_invalid', 'The certificate has expired.');
    }
    return parts.denials().denies(peer)
      ? new Fault('node_certificate_invalid', 'The certificate was revoked.')
      : undefined;
  }

  async function enrol(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const address = request.socket.remoteAddress ?? 'unknown';
    const { allowed, limit, resetSeconds } = await parts.rateLimit('credentials', `address:${address}`, {});
    if (!allowed) {
      response.setHeader('retry-after', String(resetSeconds));
      const details = { lane: 'credentials', limit };
      return refuse(response, new Fault('rate_limit_exceeded', `Too many attempts: wait ${resetSeconds} s.`, details));
    }
    const body = await readEnrolment(request);
    if (body instanceof Fault) return refuse(response, body);
    const act = makeAct(viewerOf(request, 'enrolment'), 'node.enrol', ids.next());
    return send(response, await parts.identities.enrol(act, body));
  }

  async function heartbeat(nodeId: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await readHeartbeat(request);
    if (body instanceof Fault) return refuse(response, body);
    let state: string | undefined;
    try {
      state = await parts.reports.record(nodeId, body);
    } catch {
      response.setHeader('retry-after', '1');
      return refuse(response, new Fault('service_unavailable', 'Reports cannot be written now: try again.'));
    }
    if (state === undefined) {
      return refuse(response, new Fault('node_certificate_invalid', 'This node is no more.'));
    }
    const heard: NodeHeartbeatAnswer = {
      server_time: clock.now().toISOString(),
      signers: [...parts.signers()],
      state,
    };
    return send(response, heard);
  }

  const viewerOf = (request: IncomingMessage, actorId: string): Viewer => ({
    actorId,
    actorKind: 'node',
    actorRole: 'none',
    reach: 'platform',
    organizationId: undefined,
    projectId: undefined,
    correlationId: ids.next(),
    traceparent: undefined,
    address: request.socket.remoteAddress,
    userAgent: undefined,
  });
  const refuse = (response: ServerResponse, fault: Fault | BodyRefused) => {
    const { status, body } = encodeProblem(fault, ids.next());
    // What is left of a body that was not read must not be taken for the next request.
    if (!response.req.complete) response.setHeader('connection', 'close');
    write(response, status, body, problemType);
  };
  const send = (response: ServerResponse, value: object | undefined): void => {
    if (value instanceof Fault) refuse(response, value);
    else if (value === undefined) response.writeHead(204).end();
    else write(response, 200, JSON.stringify(value), 'application/json');
  };
  const write = (response: ServerResponse, status: number, text: string, type: string): void => {
    response.writeHead(status, { 'content-type': type, 'content-length': Buffer.byteLength(text) });
    response.end(text);
  };

  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(parts.port, parts.host, () => resolve());
  });
  const ticking = startReconciler(
    { name: 'node-waiting-room', round: () => parts.room.tick().then(() => 'idle' as const) },
    { clock, log, everyMs: tickMs },
  );
  const renewing = startReconciler(
    {
      name: 'node-listener-certificate',
      async round() {
        if (clock.now().getTime() < held.renewAtMs) return 'idle';
        held = await fresh();
        server.setSecureContext({ ...held.context, minVersion: 'TLSv1.3' });
        return 'idle';
      },
    },
    { clock, log, everyMs: lookAtCertificateMs },
  );
  const connected = metrics.gauge('gpuaas_node_connections', 'Connections with the certificate of a node.', []);
  const waiting = metrics.gauge('gpuaas_node_waiting', 'Nodes that wait for a task.', []);
  metrics.onScrape(async () => {
    connected.set(peers.size);
    waiting.set(parts.room.size);
  });

  return {
    port: (server.address() as AddressInfo).port,
    get connections() {
      return peers.size;
    },
    cutDenied() {
      for (const [socket, peer] of peers) {
        if (!parts.denials().denies(peer)) continue;
        parts.room.dismiss(peer.nodeId);
        socket.destroy();
      }
    },
    async close() {
      await ticking.close();
      await renewing.close();
      const closed = new Promise((resolve) => server.close(resolve));
      await parts.room.close();
      server.closeIdleConnections();
      await parts.reports.close();
      server.closeAllConnections();
      await closed;
    },
  };
}
