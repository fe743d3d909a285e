import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { callerAddress } from '../gate/caller-address.ts';
import type { IsTrustedProxy } from '../gate/proxies.ts';
import { makeStrangers, type StrangerLimits } from '../nodes/strangers.ts';

export interface SeatLimits {
  /** Connections on which nobody was let in yet. */
  readonly strangeConnections: StrangerLimits;
  /** Connections, and requests with WebSockets, of one organization. */
  readonly perOrganization: number;
}
/**
 * Room for connections of callers. One that was not let in yet has the seat of a stranger, counted by address; then it has one of the
 * organization whose application it uses. So neither strangers nor one tenant fill a copy. Connections of a proxy of ours carry requests of
 * many callers and are not counted: that proxy bounds its own.
 */
export interface ConnectionSeats {
  /** A connection has come; false when there is no seat for it. */
  take(socket: Socket): boolean;
  /** Its caller was let in; false when the organization has no seat left. */
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
  const takeOf = (organizationId: string): (() => void) | undefined => {
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
      const leave = takeOf(organizationId);
      if (!leave) return false;
      seat.leave();
      seats.set(socket, { organizationId, leave });
      return true;
    },
  };
}
