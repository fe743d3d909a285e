import type { TLSSocket } from 'node:tls';
import { callerAddress } from '../gate/caller-address.ts';
import type { NodeLimits, NoteNodeRefusal } from './budget.ts';
import { type Peer, peerOf } from './peer.ts';
import { makeStrangers, type Strangers } from './strangers.ts';

/** Open connections, by what the certificate of each says. A node has a bounded number, strangers have few seats. */
export class NodeConnections {
  readonly #peers = new Map<TLSSocket, Peer>();
  readonly #byNode = new Map<string, Set<TLSSocket>>();
  readonly #strangers: Strangers;
  readonly #perNode: number;
  readonly #noteRefusal: NoteNodeRefusal;
  constructor(limits: Pick<NodeLimits, 'connections' | 'strangers'>, noteRefusal: NoteNodeRefusal) {
    this.#strangers = makeStrangers(limits.strangers);
    this.#perNode = limits.connections;
    this.#noteRefusal = noteRefusal;
  }

  get size(): number {
    return this.#peers.size;
  }
  get strangers(): number {
    return this.#strangers.size;
  }
  /** The node of a connection; undefined for a stranger. */
  peer(socket: TLSSocket): Peer | undefined {
    return this.#peers.get(socket);
  }
  peers(): Iterable<[TLSSocket, Peer]> {
    return this.#peers;
  }

  accept(socket: TLSSocket): void {
    const peer = peerOf(socket);
    if (peer) this.#acceptNode(socket, peer);
    else this.#acceptStranger(socket);
  }
  #acceptStranger(socket: TLSSocket): void {
    const leave = this.#strangers.take(callerAddress(socket.remoteAddress));
    if (leave) {
      socket.once('close', leave);
      return;
    }
    this.#noteRefusal('strangers');
    socket.destroy();
  }
  #acceptNode(socket: TLSSocket, peer: Peer): void {
    this.#peers.set(socket, peer);
    const own = this.#byNode.get(peer.nodeId) ?? new Set();
    this.#byNode.set(peer.nodeId, own.add(socket));
    socket.once('close', () => {
      this.#peers.delete(socket);
      own.delete(socket);
      if (own.size === 0 && this.#byNode.get(peer.nodeId) === own) this.#byNode.delete(peer.nodeId);
    });
    // The oldest connection is closed: it is probably left from before a restart of the node.
    const [oldest] = own;
    if (own.size <= this.#perNode || !oldest) return;
    this.#noteRefusal('connections', { nodeId: peer.nodeId, address: socket.remoteAddress });
    oldest.destroy();
  }
}
