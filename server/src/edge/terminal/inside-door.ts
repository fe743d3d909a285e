import type { IncomingMessage } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import type { TLSSocket } from 'node:tls';
import { terminalLimits, terminalPaths, terminalProtocols } from '@gpuaas/contract/terminal';
import { type WebSocket, WebSocketServer } from 'ws';
import type { Clock } from '../../kernel/clock.ts';
import { seatHandshakes } from '../internal/handshakes.ts';
import type { ProcessIdentity } from '../internal/process-identity.ts';
import { processOf } from '../internal/process-peer.ts';
import { type Peer, peerOf } from '../nodes/peer.ts';
import { makeStrangers, type StrangerLimits } from '../nodes/strangers.ts';
import { offeredProtocols, refuseUpgrade, splitUrl } from './doors.ts';
import { makePath } from './frames.ts';
import { nowMs } from './later.ts';
import type { GatewayMetrics } from './metrics.ts';

export interface InsideDoor {
  readonly port: number;
  /** Connections that have not shown a certificate yet. */
  readonly strangers: number;
  stopAccepting(): void;
  close(): Promise<void>;
}
export interface InsideDoorParts {
  readonly host: string;
  readonly port: number;
  readonly identity: ProcessIdentity;
  readonly metrics: GatewayMetrics;
  readonly clock: Clock;
  readonly connections: number;
  readonly connectionsPerNode: number;
  readonly strangers: StrangerLimits;
  readonly takeNode: (socket: WebSocket, sessionId: string, peer: Peer) => void;
  readonly takePeer: (socket: WebSocket, sessionId: string) => void;
}

const nodePath = makePath(terminalPaths.node);
const peerPath = makePath(terminalPaths.peer);
const handshakeMs = 10_000;

/**
 * Where agents and other copies come: certificates on both sides. The path says what a connection is for, and the certificate
 * whether it may: a node gets no place among copies, and a process none among nodes.
 */
export async function openInsideDoor(parts: InsideDoorParts): Promise<InsideDoor> {
  const { identity } = parts;
  const sockets = new Set<Duplex>();
  const context = () => ({ ...identity.current().tls, minVersion: 'TLSv1.3' as const });
  const upgrades = new WebSocketServer({
    ...{ noServer: true, clientTracking: false, perMessageDeflate: false, autoPong: false },
    maxPayload: terminalLimits.insideMessageBytes * 2,
  });
  let accepts = true;
  const server = createServer(
    {
      ...context(),
      requestCert: true,
      rejectUnauthorized: true,
      handshakeTimeout: handshakeMs,
      headersTimeout: handshakeMs,
      requestTimeout: handshakeMs,
      connectionsCheckingInterval: 2_000,
      maxHeaderSize: 8 * 1_024,
      noDelay: true,
    },
    (_request, response) => response.writeHead(404, { connection: 'close', 'content-length': 0 }).end(),
  );
  identity.onRenewed(() => server.setSecureContext(context()));
  server.maxConnections = parts.connections;
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  const strangers = makeStrangers(parts.strangers);
  seatHandshakes(server, strangers, {
    isKnown: (socket) => peerOf(socket) !== undefined || processOf(socket) !== undefined,
    onRefused: () => parts.metrics.countRefusal('connections'),
  });
  boundNodes(server, parts);
  server.on('tlsClientError', (_, socket) => socket.destroy());
  server.on('clientError', (_, socket) => socket.destroy());
  server.on('upgrade', (request, socket, head) => {
    socket.on('error', () => socket.destroy());
    const admitted = accepts ? judge(request) : 503;
    if (typeof admitted === 'number') {
      if (admitted !== 503) parts.metrics.countRefusal('certificate');
      return refuseUpgrade(socket, admitted);
    }
    upgrades.handleUpgrade(request, socket, head, admitted);
  });

  /** What to do with the connection; a status when it has no business here. */
  function judge(request: IncomingMessage): ((socket: WebSocket) => void) | 400 | 403 | 404 {
    const { path, query } = splitUrl(request);
    const [name, ...more] = offeredProtocols(request);
    if (query !== '' || more.length > 0) return 400;
    const socket = request.socket as TLSSocket;
    const ofNode = nodePath.read(path);
    if (ofNode !== undefined) {
      const node = peerOf(socket);
      if (!node || node.expiresAtMs <= nowMs(parts.clock)) return 403;
      return name === terminalProtocols.node ? (opened) => parts.takeNode(opened, ofNode, node) : 400;
    }
    const ofPeer = peerPath.read(path);
    if (ofPeer === undefined) return 404;
    const copy = processOf(socket);
    if (copy?.process !== 'terminal-gateway' || copy.expiresAtMs <= nowMs(parts.clock)) return 403;
    return name === terminalProtocols.peer ? (opened) => parts.takePeer(opened, ofPeer) : 400;
  }

  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(parts.port, parts.host, () => resolve());
  });
  return {
    port: (server.address() as AddressInfo).port,
    get strangers() {
      return strangers.size;
    },
    stopAccepting() {
      accepts = false;
      server.close();
      server.closeIdleConnections();
    },
    async close() {
      accepts = false;
      const closed = new Promise((resolve) => server.close(resolve));
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}

/** A node has one connection for each shell. The newest is refused above the bound: older ones have shells in them. */
function boundNodes(server: Server, parts: Pick<InsideDoorParts, 'connectionsPerNode' | 'metrics'>): void {
  const byNode = new Map<string, number>();
  server.on('secureConnection', (socket: TLSSocket) => {
    const node = peerOf(socket)?.nodeId;
    if (node === undefined) return;
    const held = byNode.get(node) ?? 0;
    if (held >= parts.connectionsPerNode) {
      parts.metrics.countRefusal('node_connections');
      socket.destroy();
      return;
    }
    byNode.set(node, held + 1);
    socket.once('close', () => {
      const left = (byNode.get(node) ?? 1) - 1;
      if (left === 0) byNode.delete(node);
      else byNode.set(node, left);
    });
  });
}
