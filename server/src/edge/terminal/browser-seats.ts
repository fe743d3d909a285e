import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { callerAddress } from '../gate/caller-address.ts';
import type { IsTrustedProxy } from '../gate/proxies.ts';
import { makeStrangers } from '../nodes/strangers.ts';

/** Seats of connections that have no session yet. */
export interface BrowserSeats {
  readonly size: number;
  /** A connection has come; false when there is no seat for it. */
  take(socket: Socket): boolean;
  /** Its request names the caller; false when that caller has no seat left. */
  name(socket: Duplex, address: string): boolean;
  /** It has a session now. */
  leave(socket: Duplex): void;
}

/**
 * Callers are counted by their address. Behind a proxy of ours that is in the request and not in the connection: until the request
 * is there, connections of the proxy share the seats of all.
 */
export function makeBrowserSeats(parts: {
  readonly perAddress: number;
  readonly inTotal: number;
  readonly isTrustedProxy: IsTrustedProxy;
}): BrowserSeats {
  const { perAddress, inTotal } = parts;
  const callers = makeStrangers({ perAddress, inTotal });
  const unnamed = makeStrangers({ perAddress: inTotal, inTotal });
  const seats = new WeakMap<Duplex, () => void>();
  const isOfProxy = new WeakSet<Duplex>();
  const keep = (socket: Duplex, leave: (() => void) | undefined): boolean => {
    if (!leave) return false;
    seats.set(socket, leave);
    socket.once('close', leave);
    return true;
  };
  return {
    get size() {
      return callers.size + unnamed.size;
    },
    take(socket) {
      const address = socket.remoteAddress;
      if (address === undefined || !parts.isTrustedProxy(address)) {
        return keep(socket, callers.take(callerAddress(address)));
      }
      isOfProxy.add(socket);
      return keep(socket, unnamed.take(callerAddress(address)));
    },
    name(socket, address) {
      if (!isOfProxy.has(socket)) return true;
      seats.get(socket)?.();
      return keep(socket, callers.take(callerAddress(address)));
    },
    leave: (socket) => seats.get(socket)?.(),
  };
}
