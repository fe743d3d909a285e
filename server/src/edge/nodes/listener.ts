import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer, type Server, type ServerOptions } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { lineProtocol, nodeTransport } from '@gpuaas/contract/node';
import type { Reports } from '../../domains/nodes/index.ts';
import type { Database } from '../../kernel/act.ts';
import { startReconciler } from '../../kernel/process/reconciler.ts';
import type { Metrics } from '../../kernel/telemetry/metrics.ts';
import type { Certificates } from '../../ports/certificates/port.ts';
import { makeRefusals } from '../http/admission/refusals.ts';
import { answerUnreadable } from '../http/problem.ts';
import { bodyOf } from './body.ts';
import { makeNoteNodeRefusal, usualNodeLimits } from './budget.ts';
import { type CallParts, makeNodeCalls, type NodeCalls } from './calls.ts';
import { NodeConnections } from './connections.ts';
import { writeReply } from './http-reply.ts';
import { type Line, serveLine } from './line.ts';
import { openServerCertificate } from './server-certificate.ts';
import type { WaitingRoom } from './waiting-room.ts';

/**
 * The listener for nodes: a port of its own with mutual TLS. It is small on purpose: no token of a person works here. A
 * node uses one connection (`line.ts`); an older agent gets the same answers over HTTP, on as many connections as it
 * needs.
 */
export interface NodeListener {
  readonly port: number;
  /** Closes the connections of revoked nodes. */
  cutDenied(): void;
  readonly connections: number;
  close(): Promise<void>;
}

export interface ListenerParts extends Omit<CallParts, 'noteRefusal'> {
  readonly database: Database;
  readonly host: string;
  readonly port: number;
  /** What nodes call us: names and addresses for the certificate. */
  readonly names: readonly string[];
  /** How long a TLS handshake may take. */
  readonly handshakeMs?: number;
  readonly certificates: Certificates;
  readonly reports: Pick<Reports, 'record' | 'close'>;
}

const lookAtCertificateMs = 3_600_000;
/** When all nodes reconnect at once, handshakes queue: a longer timeout avoids retries. */
const handshakeMs = 30_000;
const tickMs = 1_000;
const maxConnections = 50_000;
/** A poll over HTTP: proxies close connections that are silent for longer. */
const holdMs = 30_000;

/** The same for every connection; the certificate and the callbacks are added to them. */
const serverOptions: ServerOptions = {
  minVersion: 'TLSv1.3',
  requestCert: true,
  // Enrolment has no certificate yet; every other request checks it.
  rejectUnauthorized: false,
  handshakeTimeout: handshakeMs,
  maxHeaderSize: 8 * 1_024,
  // Slow senders time out.
  headersTimeout: 10_000,
  requestTimeout: 20_000,
  keepAliveTimeout: 90_000,
  connectionsCheckingInterval: 5_000,
  noDelay: true,
  // Given as a list, Node would copy it for every connection into a slab that it keeps from being freed.
  ALPNCallback: ({ protocols }) => (protocols.includes('http/1.1') ? 'http/1.1' : undefined),
};

export async function openNodeListener(parts: ListenerParts): Promise<NodeListener> {
  const { clock, ids, log, room } = parts;
  const refusals = makeRefusals(parts);
  const noteRefusal = makeNoteNodeRefusal({ ...parts, refusals });
  const calls = makeNodeCalls({ ...parts, noteRefusal });
  const connections = new NodeConnections(parts.limits ?? usualNodeLimits, noteRefusal);
  const certificate = await openServerCertificate(parts);
  const server = createServer(
    {
      ...serverOptions,
      ...certificate.context,
      ...(parts.handshakeMs !== undefined && { handshakeTimeout: parts.handshakeMs }),
      shouldUpgradeCallback: (request: IncomingMessage) => mayUpgrade(request, calls, connections),
    },
    (request, response) => {
      answerHttp(request, response).catch((error: unknown) => {
        log.error({ err: error }, 'a node could not be answered');
        response.destroy();
      });
    },
  );
  server.maxConnections = maxConnections;
  server.on('secureConnection', (socket: TLSSocket) => connections.accept(socket));
  // A connection that never finished its handshake gets no answer.
  server.on('tlsClientError', (_, socket) => socket.destroy());
  server.on('clientError', (error: Error, socket) => answerUnreadable(error, socket as TLSSocket, ids.next(), {}));
  const lines = serveLines(server, calls, connections);

  async function answerHttp(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const socket = request.socket as TLSSocket;
    const reply = await calls.answer({
      method: request.method ?? '',
      path: request.url ?? '',
      peer: connections.peer(socket),
      address: socket.remoteAddress,
      headers: request.headers,
      body: bodyOf(request),
      holdMs,
      takesStreams: true,
      onGone: (listener) => response.once('close', listener),
    });
    await writeReply(response, reply, { isStranger: connections.peer(socket) === undefined, log });
  }

  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(parts.port, parts.host, () => resolve());
  });
  const ticking = startReconciler(
    { name: 'node-waiting-room', round: () => room.tick().then(() => 'idle' as const) },
    { clock, log, everyMs: tickMs },
  );
  const renewing = startReconciler(
    certificate.renewing((context) => server.setSecureContext({ ...context, minVersion: 'TLSv1.3' })),
    { clock, log, everyMs: lookAtCertificateMs },
  );
  showNumbers(parts.metrics, connections, room);

  return {
    port: (server.address() as AddressInfo).port,
    get connections() {
      return connections.size;
    },
    cutDenied() {
      for (const [socket, peer] of connections.peers()) {
        if (!parts.denials().denies(peer)) continue;
        room.dismiss(peer.nodeId);
        socket.destroy();
      }
    },
    async close() {
      await ticking.close();
      await renewing.close();
      const closed = new Promise((resolve) => server.close(resolve));
      for (const line of lines.values()) line.retire();
      await room.close();
      server.closeIdleConnections();
      await parts.reports.close();
      // The server counts upgraded connections as open, but no longer tracks them.
      for (const socket of lines.keys()) socket.destroy();
      server.closeAllConnections();
      await closed;
      await refusals.close();
    },
  };
}

/** Whether this request becomes a line. Other upgrade requests are answered as normal requests. */
function mayUpgrade({ url, method, headers, socket }: IncomingMessage, calls: NodeCalls, of: NodeConnections): boolean {
  const isOffer = url === nodeTransport.line.path && method === 'GET' && headers.upgrade === lineProtocol;
  return isOffer && calls.checkCertificate(of.peer(socket as TLSSocket)) === undefined;
}

/** Makes a line of each connection that is upgraded. Answers the open lines. */
function serveLines(server: Server, calls: NodeCalls, connections: NodeConnections): ReadonlyMap<TLSSocket, Line> {
  const lines = new Map<TLSSocket, Line>();
  server.on('upgrade', (request, upgraded, head) => {
    const socket = upgraded as TLSSocket;
    const peer = connections.peer(socket);
    // Bytes before the upgrade belong to no call.
    if (!peer || head.length > 0 || request.socket.destroyed) {
      socket.destroy();
      return;
    }
    lines.set(socket, serveLine(socket, { peer, calls }));
    socket.once('close', () => lines.delete(socket));
  });
  return lines;
}

function showNumbers(metrics: Metrics, connections: NodeConnections, room: WaitingRoom): void {
  const connected = metrics.gauge('gpuaas_node_connections', 'Connections with the certificate of a node.', []);
  const waiting = metrics.gauge('gpuaas_node_waiting', 'Nodes that wait for a task.', []);
  const unknown = metrics.gauge(
    'gpuaas_node_stranger_connections',
    'Connections without the certificate of a node.',
    [],
  );
  metrics.onScrape(async () => {
    connected.set(connections.size);
    unknown.set(connections.strangers);
    waiting.set(room.size);
  });
}
