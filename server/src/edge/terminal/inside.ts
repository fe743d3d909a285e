import {
  type TerminalHello,
  type TerminalPeerJoin,
  terminalCloseOfRefusal,
  terminalLimits,
} from '@gpuaas/contract/terminal';
import type { WebSocket } from 'ws';
import type { Clock } from '../../kernel/clock.ts';
import type { Log } from '../../kernel/telemetry/log.ts';
import { makeNodeBudget } from '../nodes/budget.ts';
import type { Peer } from '../nodes/peer.ts';
import { after } from './after.ts';
import type { TerminalApi } from './api.ts';
import { readClientFrame, readNodeFrame, readPeerJoin } from './frames.ts';
import type { Home } from './home/home.ts';
import type { Homes } from './home/homes.ts';
import { later } from './later.ts';
import { type Link, linkHere } from './link.ts';
import type { GatewayMetrics } from './metrics.ts';
import { makeWire, type Wire } from './wire.ts';

export interface InsideParts {
  readonly api: TerminalApi;
  readonly homes: Homes;
  readonly metrics: GatewayMetrics;
  readonly log: Log;
  readonly clock: Clock;
  readonly copyId: string;
  readonly peerUrl: () => string;
  readonly helloMs: number;
  /** Connections that one node may open in a minute. */
  readonly nodeArrivalsPerMinute: number;
}
export interface Inside {
  readonly wires: ReadonlySet<Wire>;
  takeNode(socket: WebSocket, sessionId: string, peer: Peer): void;
  takePeer(socket: WebSocket, sessionId: string): void;
}

/** Agents and other copies, once their certificates were checked. */
export function makeInside(parts: InsideParts): Inside {
  const wires = new Set<Wire>();
  const budget = makeNodeBudget({ clock: parts.clock, callsPerMinute: parts.nodeArrivalsPerMinute });
  const keep = (wire: Wire): void => {
    wires.add(wire);
    after(wire.closed, parts.log, () => wires.delete(wire));
  };
  return {
    wires,
    takeNode(socket, sessionId, peer) {
      if (budget.take(peer.nodeId) !== undefined) {
        parts.metrics.countRefusal('node_budget');
        socket.close(4429);
        return;
      }
      keep(serveNode(socket, sessionId, peer, parts));
    },
    takePeer: (socket, sessionId) => keep(servePeer(socket, sessionId, parts)),
  };
}

/** The first frame has to come within a time; a connection that says nothing is no peer. */
function closeUnless(
  wire: Wire,
  isThere: () => boolean,
  parts: Pick<InsideParts, 'helloMs' | 'metrics' | 'clock' | 'log'>,
): void {
  const callOff = later(parts.clock, parts.helloMs, () => {
    if (isThere()) return;
    parts.metrics.countRefusal('hello');
    wire.close(4400);
  });
  after(wire.closed, parts.log, callOff);
}

function serveNode(socket: WebSocket, sessionId: string, peer: Peer, parts: InsideParts): Wire {
  let home: Home | undefined;
  let isAsked = false;
  const wire: Wire = makeWire(socket, {
    clock: parts.clock,
    messageBytes: terminalLimits.insideMessageBytes,
    onPaused: (seconds) => parts.metrics.countPause('node', seconds),
    listener: {
      onBytes(bytes) {
        if (home) home.takeOutput(bytes);
        else wire.close(4400);
      },
      onText(text) {
        const frame = readNodeFrame(text);
        if (!frame) return wire.close(4400);
        if (frame.type !== 'shell') return home ? home.takeNodeFrame(frame) : wire.close(4400);
        if (isAsked || frame.session_id !== sessionId) return wire.close(4400);
        isAsked = true;
        arrive(frame).catch((error: unknown) => {
          parts.log.warn({ err: error, session_id: sessionId }, 'an agent could not be admitted; it dials again');
          wire.close(4500);
        });
      },
    },
  });
  const arrive = async (pty: Parameters<Home['settle']>[1]['pty']): Promise<void> => {
    const answer = await parts.api.ask('arrive', {
      ...{ session_id: sessionId, node_id: peer.nodeId, certificate_serial: peer.serial },
      ...{ copy_id: parts.copyId, peer_url: parts.peerUrl(), from: pty.from, to: pty.to },
    });
    const isRefused = !answer.ok || answer.value.session.node_id !== peer.nodeId;
    if (isRefused) {
      parts.metrics.countRefusal('arrival');
      return wire.close(answer.ok ? 4403 : closeOfArrival(answer.code));
    }
    if (!wire.isOpen) return;
    const { session, recording, recorded } = answer.value;
    const found = parts.homes.open(session);
    // A session that must be recorded begins when its first chunk is stored.
    if (recording && !(await found.record(recording, recorded, pty))) return wire.close(4507);
    if (!wire.isOpen) return;
    home = found;
    home.settle(wire, { pty, facts: session });
    parts.homes.announce(home);
  };
  closeUnless(wire, () => isAsked, parts);
  after(wire.closed, parts.log, () => home?.lose(wire));
  return wire;
}

/** A session that the api does not know for this node, or that is over, has no shell any more. */
const closeOfArrival = (code: string): number =>
  code === 'terminal_session_not_found' || code === 'token_invalid' ? 4403 : terminalCloseOfRefusal(code);

/** A client of another copy: its copy has taken its token, and speaks for it. */
function servePeer(socket: WebSocket, sessionId: string, parts: InsideParts): Wire {
  let join: TerminalPeerJoin | undefined;
  let link: Link | undefined;
  const enter = (hello: TerminalHello) => {
    const home = parts.homes.find(sessionId);
    // The agent has moved: the other copy looks for it again.
    if (!home || !join) return wire.close(4503);
    link = linkHere(home, { wire, join, hello, isRejoin: false });
    after(link.gone, parts.log, (code) => wire.close(code));
  };
  const wire: Wire = makeWire(socket, {
    clock: parts.clock,
    messageBytes: terminalLimits.insideMessageBytes,
    onPaused: (seconds) => parts.metrics.countPause('peer', seconds),
    listener: {
      onBytes(bytes) {
        if (link) link.takeInput(bytes);
        else wire.close(4400);
      },
      onText(text) {
        if (!join) {
          join = readPeerJoin(text);
          return join ? undefined : wire.close(4400);
        }
        const frame = readClientFrame(text);
        if (!frame) return wire.close(4400);
        if (frame.type === 'hello') return link ? wire.close(4400) : enter(frame);
        if (link) link.takeFrame(frame, text);
        else wire.close(4400);
      },
    },
  });
  closeUnless(wire, () => link !== undefined, parts);
  after(wire.closed, parts.log, () => link?.leave());
  return wire;
}
