import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { callerAddress } from '../gate/caller-address.ts';
import type { IsTrustedProxy } from '../gate/proxies.ts';
import { makeStrangers, type StrangerLimits } from '../nodes/strangers.ts';

export interface SeatLimits {
  /** Connections without an admitted request yet. */
  readonly strangeConnections: StrangerLimits;
  /** Connections, and requests with WebSockets, of one organization. */
  readonly perOrganization: number;
}
/**
 * Limits connections of callers. A connection is counted by address until a request on it was admitted, and then by the organization
 * whose application it uses, so neither strangers nor one tenant fill a copy. Connections of a trusted proxy carry requests of many
 * callers and are not counted: that proxy has limits of its own.
 */
export interface ConnectionSeats {
  /** Counts a new connection; false when its address has too many. */
  take(socket: Socket): boolean;
  /** Counts the connection for the organization; false when the organization has too many. */
  admit(socket: Duplex, organizationId: string): boolean;
}

interface Seat {
  readonly organizationId: string | undefined;
  readonly leave: () => void;
}

export function makeConnectionSeats(limits: SeatLimits & { readonly isTrustedProxy: IsTrustedProxy }): ConnectionSeats {
  const strangers = makeStrangers(limits.strangeConnections);
  const held = new Map<string, number>();
  const seats = new WeakMap<Duplex, Seat>();
  const takeSeat = (organizationId: string): (() => void) | undefined => {
    const before = held.get(organizationId) ?? 0;
    if (before >= limits.perOrganization) return undefined;
    held.set(organizationId, before + 1);
    return () => {
      const left = (held.get(organizationId) ?? 1) - 1;
      if (left === 0) held.delete(organizationId);
      else held.set(organizationId, left);
    };
  };
  return {
    take(socket) {
      const address = socket.remoteAddress;
      if (address !== undefined && limits.isTrustedProxy(address)) return true;
      const leave = strangers.take(callerAddress(address));
      if (!leave) return false;
      seats.set(socket, { organizationId: undefined, leave });
      socket.once('close', () => {
        seats.get(socket)?.leave();
        seats.delete(socket);
      });
      return true;
    },
    admit(socket, organizationId) {
      const seat = seats.get(socket);
      if (!seat || seat.organizationId === organizationId) return true;
      const leave = takeSeat(organizationId);
      if (!leave) return false;
      seat.leave();
      seats.set(socket, { organizationId, leave });
      return true;
    },
  };
}
