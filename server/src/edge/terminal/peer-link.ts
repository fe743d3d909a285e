import type { PeerCertificate } from 'node:tls';
import { processSpiffeId } from '@gpuaas/contract/node';
import { terminalInternalCaller, terminalLimits, terminalPaths, terminalProtocols } from '@gpuaas/contract/terminal';
import { WebSocket } from 'ws';
import type { Clock } from '../../kernel/clock.ts';
import type { Log } from '../../kernel/telemetry/log.ts';
import type { ProcessIdentity } from '../internal/process-identity.ts';
import { after } from './after.ts';
import { makePath, readHomeFrame } from './frames.ts';
import type { JoinOrder, Link } from './link.ts';
import type { GatewayMetrics } from './metrics.ts';
import { makeWire, type Wire } from './wire.ts';

const peerPath = makePath(terminalPaths.peer);
const dialWithinMs = 5_000;
const lookElsewhere = 4503;
/** Codes from here on are the home's word to the client; others say that the connection broke. */
const firstOwnCode = 4000;
const exited = 1000;

/** The other side must be a gateway: neither a node nor the api, and no other process. */
const checkGateway = (_host: string, peer: PeerCertificate): Error | undefined => {
  const uris = (peer.subjectaltname ?? '').split(', ').filter((name) => name.startsWith('URI:'));
  const isGateway = uris.length === 1 && uris[0] === `URI:${processSpiffeId(terminalInternalCaller)}`;
  return isGateway ? undefined : new Error('the peer does not show the certificate of a terminal gateway');
};

export interface Peers {
  /** Joins a session at another copy. Rejects when that copy cannot be reached. */
  join(home: { readonly copyId: string; readonly peerUrl: string }, sessionId: string, order: JoinOrder): Promise<Link>;
  /** These copies are gone; connections to them are given up without waiting for the network to say so. */
  drop(copyIds: readonly string[]): void;
  readonly wires: ReadonlySet<Wire>;
}

export function makePeers(parts: {
  readonly identity: Pick<ProcessIdentity, 'current'>;
  readonly metrics: GatewayMetrics;
  readonly clock: Clock;
  readonly log: Log;
}): Peers {
  const wires = new Set<Wire>();
  const byCopy = new Map<Wire, string>();
  return {
    wires,
    async join({ copyId, peerUrl }, sessionId, order) {
      const socket = new WebSocket(new URL(peerPath.write(sessionId), peerUrl), terminalProtocols.peer, {
        ...parts.identity.current().tls,
        ...{ minVersion: 'TLSv1.3', rejectUnauthorized: true, followRedirects: false, perMessageDeflate: false },
        autoPong: false,
        // Node calls it as it calls every other one; the types of the package say another thing.
        checkServerIdentity: checkGateway as never,
        maxPayload: terminalLimits.insideMessageBytes * 2,
        handshakeTimeout: dialWithinMs,
      });
      const opened = new Promise<void>((resolve, reject) => {
        socket.once('open', resolve);
        socket.once('error', reject);
        socket.once('close', () => reject(new Error('the copy closed the connection')));
      });
      const { wire, link } = pipe(socket, order, parts);
      await opened;
      wires.add(wire);
      byCopy.set(wire, copyId);
      after(wire.closed, parts.log, () => {
        wires.delete(wire);
        byCopy.delete(wire);
      });
      wire.sendText(order.join);
      wire.sendText(order.hello);
      return link;
    },
    drop(copyIds) {
      for (const [wire, copyId] of byCopy) if (copyIds.includes(copyId)) wire.terminate();
    },
  };
}

/** Carries frames in both directions. Each side is read only as fast as the other one takes. */
function pipe(
  socket: WebSocket,
  order: JoinOrder,
  { metrics, clock }: { readonly metrics: GatewayMetrics; readonly clock: Clock },
): { readonly wire: Wire; readonly link: Link } {
  const client = order.wire;
  // The home does not wait for watchers, so neither does their copy: it would only hide from the home how slow they are.
  const isWatcher = order.join.role === 'watcher';
  const tooSlow = Promise.withResolvers<number>();
  let passed = order.hello.from;
  let isLeft = false;
  const taken = Promise.withResolvers<true>();
  const release = () => {
    if (client.waitingBytes <= terminalLimits.pauseAboveBytes / 2) wire.resume('client');
  };
  const wire: Wire = makeWire(socket, {
    clock,
    messageBytes: terminalLimits.insideMessageBytes,
    onPaused: (seconds) => metrics.countPause('peer', seconds),
    listener: {
      onBytes(bytes) {
        if (isLeft) return;
        passed += bytes.length;
        client.sendBytes(bytes, release);
        if (isWatcher && client.waitingBytes > terminalLimits.watcherLagBytes) {
          tooSlow.resolve(4508);
          wire.close(exited);
        } else if (!isWatcher && client.waitingBytes > terminalLimits.pauseAboveBytes) wire.pause('client');
      },
      onText(text) {
        if (isLeft) return;
        const frame = readHomeFrame(text);
        if (!frame) return wire.close(4400);
        if (frame.type === 'ready') {
          taken.resolve(true);
          const saysNothingNew = order.isRejoin && frame.from === passed;
          passed = frame.from;
          if (saysNothingNew) return;
        }
        client.sendText(text);
      },
    },
  });
  const lost = wire.closed.then((code) => {
    isLeft = true;
    client.resume('peer');
    return code >= firstOwnCode || code === exited ? code : lookElsewhere;
  });
  const goOn = () => {
    if (wire.waitingBytes <= terminalLimits.pauseAboveBytes / 2) client.resume('peer');
  };
  const holdIfFull = () => {
    if (wire.waitingBytes > terminalLimits.pauseAboveBytes) client.pause('peer');
  };
  const link: Link = {
    takeInput(bytes) {
      wire.sendBytes(bytes, goOn);
      holdIfFull();
    },
    takeFrame(_frame, text) {
      wire.sendText(text, goOn);
      holdIfFull();
    },
    get passed() {
      return passed;
    },
    taken: taken.promise,
    leave() {
      isLeft = true;
      wire.close(exited);
    },
    gone: Promise.race([tooSlow.promise, lost]),
  };
  return { wire, link };
}
