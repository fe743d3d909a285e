import { type ClientHttp2Session, type ClientHttp2Stream, connect, constants } from 'node:http2';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { createServer, type TLSSocket } from 'node:tls';
import {
  type AppTunnelRefusal,
  appTunnelHeaders,
  appTunnelLimits,
  appTunnelProtocol,
  appTunnelRefusal,
  appTunnelRefusals,
} from '@gpuaas/contract/ingress';
import type { Clock } from '../../kernel/clock.ts';
import { startReconciler } from '../../kernel/process/reconciler.ts';
import type { Log } from '../../kernel/telemetry/log.ts';
import { seatHandshakes } from '../internal/handshakes.ts';
import type { ProcessIdentity } from '../internal/process-identity.ts';
import { makeNodeBudget } from '../nodes/budget.ts';
import { type Peer, peerOf } from '../nodes/peer.ts';
import { makeStrangers, type StrangerLimits } from '../nodes/strangers.ts';
import { bytesOnly } from './bytes-only.ts';

/** One port of one container, on one node. */
export interface Target {
  readonly nodeId: string;
  readonly allocationId: string;
  readonly workloadId: string;
  readonly port: number;
}
/** Why there is no connection: the node has no tunnel here, lost it, or refused. */
export type NoConnection = 'no_tunnel' | 'tunnel_lost' | 'too_slow' | AppTunnelRefusal;
export interface TunnelListener {
  readonly port: number;
  readonly tunnels: number;
  connect(target: Target): Promise<Duplex | NoConnection>;
  close(): Promise<void>;
}
export interface TunnelListenerParts {
  readonly host: string;
  readonly port: number;
  readonly identity: ProcessIdentity;
  /** Whether the certificate of a node is valid now. */
  readonly admitNode: (peer: Peer) => Promise<boolean>;
  readonly limits: {
    readonly tunnels: number;
    readonly tunnelsPerNode: number;
    /** Dials of one node in a minute: the api is asked about each. */
    readonly dialsPerMinute: number;
    readonly strangers: StrangerLimits;
    readonly recheckMs: number;
  };
  readonly clock: Clock;
  readonly log: Log;
}
interface Tunnel {
  readonly peer: Peer;
  readonly session: ClientHttp2Session;
  /** A ping that the node has not answered yet. */
  isPingUnanswered: boolean;
}

const handshakeMs = 10_000;

/** Accepts tunnels of nodes. In a tunnel this process is the HTTP/2 client, so it opens streams towards the node. */
export async function openTunnelListener(parts: TunnelListenerParts): Promise<TunnelListener> {
  const { identity, limits, log, clock } = parts;
  const byNode = new Map<string, Tunnel[]>();
  const sockets = new Set<TLSSocket>();
  const allTunnels = () => [...byNode.values()].flat();
  const dials = makeNodeBudget({ clock, callsPerMinute: limits.dialsPerMinute });
  const context = () => ({ ...identity.current().tls, minVersion: 'TLSv1.3' as const });
  const server = createServer({
    ...context(),
    ...{ requestCert: true, rejectUnauthorized: true, handshakeTimeout: handshakeMs },
    ALPNProtocols: [appTunnelProtocol],
  });
  identity.onRenewed(() => server.setSecureContext(context()));
  server.maxConnections = limits.tunnels;
  seatHandshakes(server, makeStrangers(limits.strangers), { isKnown: (socket) => peerOf(socket) !== undefined });
  server.on('tlsClientError', (_, socket) => socket.destroy());
  server.on('secureConnection', (socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
    socket.on('error', () => socket.destroy());
    admit(socket).catch((error: unknown) => {
      log.warn({ err: error }, 'a node could not be admitted');
      socket.destroy();
    });
  });

  async function admit(socket: TLSSocket): Promise<void> {
    const peer = peerOf(socket);
    const isKnown = peer && socket.alpnProtocol === appTunnelProtocol && peer.expiresAtMs > clock.now().getTime();
    // A node that keeps dialling must not use up the connections to the api that all nodes share.
    if (!isKnown || dials.take(peer.nodeId) !== undefined) return void socket.destroy();
    if (!(await parts.admitNode(peer))) return void socket.destroy();
    const before = byNode.get(peer.nodeId) ?? [];
    // The node has lost the oldest one.
    if (before.length >= limits.tunnelsPerNode) before[0]?.session.destroy();
    if (socket.destroyed) return;
    socket.setNoDelay(true);
    const tunnel: Tunnel = { peer, session: openSession(socket), isPingUnanswered: false };
    byNode.set(peer.nodeId, [...(byNode.get(peer.nodeId) ?? []), tunnel]);
    tunnel.session.once('close', () => {
      socket.destroy();
      const left = (byNode.get(peer.nodeId) ?? []).filter((one) => one !== tunnel);
      if (left.length === 0) byNode.delete(peer.nodeId);
      else byNode.set(peer.nodeId, left);
    });
  }
  /** Ends tunnels of revoked certificates. While the api does not answer, tunnels stay open. */
  const watching = startReconciler(
    {
      name: 'app-tunnels',
      async round() {
        for (const { peer, session } of allTunnels()) {
          const isOver = peer.expiresAtMs <= clock.now().getTime();
          const admitted = !isOver && (await parts.admitNode(peer).catch(() => true));
          if (!admitted) session.destroy();
        }
        return 'idle';
      },
    },
    { clock, log, everyMs: limits.recheckMs },
  );
  const pinging = startPings(allTunnels, { clock, log });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(parts.port, parts.host, () => resolve());
  });
  return {
    port: (server.address() as AddressInfo).port,
    get tunnels() {
      return allTunnels().length;
    },
    async connect(target) {
      const tunnel = byNode.get(target.nodeId)?.at(-1);
      return tunnel ? openStream(tunnel.session, target) : 'no_tunnel';
    },
    async close() {
      await watching.close();
      await pinging.close();
      const closed = new Promise((resolve) => server.close(resolve));
      for (const { session } of allTunnels()) session.destroy();
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}

/** Ends tunnels of nodes that vanished without closing the connection. */
const startPings = (allTunnels: () => readonly Tunnel[], parts: Pick<TunnelListenerParts, 'clock' | 'log'>) =>
  startReconciler(
    {
      name: 'app-tunnel-pings',
      async round() {
        for (const tunnel of allTunnels()) {
          if (tunnel.isPingUnanswered) tunnel.session.destroy();
          else {
            tunnel.isPingUnanswered = true;
            tunnel.session.ping(() => {
              tunnel.isPingUnanswered = false;
            });
          }
        }
        return 'idle';
      },
    },
    { ...parts, everyMs: appTunnelLimits.pingMs },
  );

function openSession(socket: TLSSocket): ClientHttp2Session {
  const limits = appTunnelLimits;
  const session = connect('http://node', {
    createConnection: () => socket,
    settings: { enablePush: false, initialWindowSize: limits.streamWindowBytes, maxHeaderListSize: 4_096 },
    maxHeaderListPairs: 16,
  });
  session.on('error', () => session.destroy());
  // Our agents send neither. Node stores every origin that it receives, so a host could fill the memory of this process.
  for (const frame of ['origin', 'altsvc'] as const) session.on(frame, () => session.destroy());
  session.once('connect', () => session.setLocalWindowSize(limits.windowBytes));
  return session;
}

function openStream(session: ClientHttp2Session, target: Target): Promise<Duplex | NoConnection> {
  return new Promise((resolve) => {
    if (session.destroyed || session.closed) return resolve('tunnel_lost');
    const stream: ClientHttp2Stream = session.request(
      {
        ':method': 'CONNECT',
        ':authority': `${target.workloadId}:${target.port}`,
        [appTunnelHeaders.allocation]: target.allocationId,
        [appTunnelHeaders.workload]: target.workloadId,
        [appTunnelHeaders.port]: String(target.port),
      },
      { endStream: false },
    );
    const giveUp = (why: NoConnection) => {
      stream.close(constants.NGHTTP2_CANCEL);
      resolve(why);
    };
    stream.setTimeout(appTunnelLimits.connectMs * 2, () => giveUp('too_slow'));
    stream.on('error', () => giveUp('tunnel_lost'));
    stream.once('close', () => resolve('tunnel_lost'));
    stream.once('response', (headers) => {
      stream.setTimeout(0);
      if (headers[':status'] === 200) return resolve(bytesOnly(stream));
      const refusal = headers[appTunnelRefusal];
      giveUp(appTunnelRefusals.find((one) => one === refusal) ?? 'malformed');
    });
  });
}
