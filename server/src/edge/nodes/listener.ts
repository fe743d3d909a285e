import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { pipeline } from 'node:stream/promises';
import type { TLSSocket } from 'node:tls';
import { lineProtocol, nodeTransport } from '@gpuaas/contract/node';
import { startReconciler } from '../../kernel/process/reconciler.ts';
import type { Certificates } from '../../ports/certificates/port.ts';
import { callerAddress } from '../gate/caller-address.ts';
import { answerUnreadable, problemType } from '../http/problem.ts';
import { bodyOf } from './body.ts';
import { usualNodeLimits } from './budget.ts';
import { type CallParts, makeNodeCalls, type NodeReply } from './calls.ts';
import { type Line, serveLine } from './line.ts';
import { type Peer, peerOf } from './peer.ts';
import { makeStrangers } from './strangers.ts';

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

export interface ListenerParts extends CallParts {
  readonly host: string;
  readonly port: number;
  /** What nodes call us: names and addresses for the certificate. */
  readonly names: readonly string[];
  /** How long a TLS handshake may take. */
  readonly handshakeMs?: number;
  readonly certificates: Certificates;
}

const serverCertificateMs = 30 * 24 * 3_600_000;
const lookAtCertificateMs = 3_600_000;
/** When all nodes reconnect at once, handshakes queue: a longer timeout avoids retries. */
const handshakeMs = 30_000;
const tickMs = 1_000;
const maxConnections = 50_000;
/** A poll over HTTP: proxies close connections that are silent for longer. */
const holdMs = 30_000;

export async function openNodeListener(parts: ListenerParts): Promise<NodeListener> {
  const { clock, ids, log, metrics } = parts;
  const peers = new Map<TLSSocket, Peer>();
  const lines = new Map<TLSSocket, Line>();
  const byNode = new Map<string, Set<TLSSocket>>();
  const limits = parts.limits ?? usualNodeLimits;
  const strangers = makeStrangers(limits.strangers);
  const calls = makeNodeCalls(parts);

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
      // Enrolment has no certificate yet; every other request checks it.
      rejectUnauthorized: false,
      handshakeTimeout: parts.handshakeMs ?? handshakeMs,
      maxHeaderSize: 8 * 1_024,
      // Slow senders time out.
      headersTimeout: 10_000,
      requestTimeout: 20_000,
      keepAliveTimeout: 90_000,
      connectionsCheckingInterval: 5_000,
      noDelay: true,
      // Given as a list, Node would copy it for every connection into a slab that it keeps from being freed.
      ALPNCallback: ({ protocols }) => (protocols.includes('http/1.1') ? 'http/1.1' : undefined),
      shouldUpgradeCallback: mayUpgrade,
    },
    (request, response) => {
      answer(request, response).catch((error: unknown) => {
        log.error({ err: error }, 'a node could not be answered');
        response.destroy();
      });
    },
  );
  server.maxConnections = maxConnections;
  server.on('secureConnection', (socket: TLSSocket) => {
    const peer = peerOf(socket);
    if (!peer) {
      const leave = strangers.take(callerAddress(socket.remoteAddress));
      if (leave) {
        socket.once('close', leave);
        return;
      }
      calls.countRefusal('strangers');
      socket.destroy();
      return;
    }
    peers.set(socket, peer);
    const own = byNode.get(peer.nodeId) ?? new Set();
    byNode.set(peer.nodeId, own.add(socket));
    socket.once('close', () => {
      peers.delete(socket);
      own.delete(socket);
      if (own.size === 0 && byNode.get(peer.nodeId) === own) byNode.delete(peer.nodeId);
    });
    // The oldest connection is closed: it is probably left from before a restart of the node.
    const [oldest] = own;
    if (own.size <= limits.connections || !oldest) return;
    calls.countRefusal('connections');
    oldest.destroy();
  });
  // A connection that never finished its handshake gets no answer.
  server.on('tlsClientError', (_, socket) => socket.destroy());
  server.on('clientError', (error: Error, socket) => answerUnreadable(error, socket as TLSSocket, ids.next(), {}));

  /** Other upgrade requests are answered as normal requests. */
  function mayUpgrade(request: IncomingMessage): boolean {
    const { url, method, headers, socket } = request;
    const isOffer = url === nodeTransport.line.path && method === 'GET' && headers.upgrade === lineProtocol;
    return isOffer && calls.checkCertificate(peers.get(socket as TLSSocket)) === undefined;
  }
  server.on('upgrade', (request, upgraded, head) => {
    const socket = upgraded as TLSSocket;
    const peer = peers.get(socket);
    // Bytes before the upgrade belong to no call.
    if (!peer || head.length > 0 || request.socket.destroyed) {
      socket.destroy();
      return;
    }
    lines.set(socket, serveLine(socket, { peer, calls }));
    socket.once('close', () => lines.delete(socket));
  });

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const reply = await calls.answer({
      method: request.method ?? '',
      path: request.url ?? '',
      peer: peers.get(request.socket as TLSSocket),
      address: request.socket.remoteAddress,
      headers: request.headers,
      body: bodyOf(request),
      holdMs,
      takesStreams: true,
      onGone: (listener) => response.once('close', listener),
    });
    await write(response, reply);
  }
  async function write(response: ServerResponse, { status, text, retryAfterSeconds, stream }: NodeReply) {
    if (retryAfterSeconds !== undefined) response.setHeader('retry-after', String(retryAfterSeconds));
    // What is left of a body that was not read must not be taken for the next request.
    const isUnread = status >= 400 && !response.req.complete;
    // Without a certificate there is one answer for each connection: the seats are few.
    const isStranger = !peers.has(response.req.socket as TLSSocket);
    if (isUnread || isStranger) response.setHeader('connection', 'close');
    if (text !== undefined) {
      const type = status >= 400 ? problemType : 'application/json';
      response.writeHead(status, { 'content-type': type, 'content-length': Buffer.byteLength(text) }).end(text);
      return;
    }
    if (!stream) {
      response.writeHead(status).end();
      return;
    }
    // The raw bundle: the agent computes the digest. A broken connection tells it that the download failed.
    response.writeHead(status, { 'content-type': 'application/octet-stream', 'content-length': stream.size });
    await pipeline(stream.body, response).catch((error: unknown) => {
      log.warn({ err: error }, 'a release did not reach its node');
      response.destroy();
    });
  }

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
  const unknown = metrics.gauge(
    'gpuaas_node_stranger_connections',
    'Connections without the certificate of a node.',
    [],
  );
  metrics.onScrape(async () => {
    connected.set(peers.size);
    unknown.set(strangers.size);
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
      for (const line of lines.values()) line.retire();
      await parts.room.close();
      server.closeIdleConnections();
      await parts.reports.close();
      // The server counts upgraded connections as open, but no longer tracks them.
      for (const socket of lines.keys()) socket.destroy();
      server.closeAllConnections();
      await closed;
    },
  };
}
