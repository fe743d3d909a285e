import type { Socket } from 'node:net';
import type { Server, TLSSocket } from 'node:tls';
import { callerAddress } from '../gate/caller-address.ts';
import type { Strangers } from '../nodes/strangers.ts';

/**
 * A connection takes the seat of a stranger before its handshake, and gives it back when its certificate shows who it is.
 * Without this, connections that say nothing would take the room of those that we know.
 */
export function seatHandshakes(
  server: Server,
  strangers: Strangers,
  says: { readonly isKnown: (socket: TLSSocket) => boolean; readonly onRefused?: () => void },
): void {
  const seats = new Map<string, () => void>();
  server.on('connection', (socket: Socket) => {
    const leave = strangers.take(callerAddress(socket.remoteAddress));
    if (!leave) {
      says.onRefused?.();
      socket.destroy();
      return;
    }
    const name = nameOf(socket);
    const leaves = () => {
      leave();
      if (seats.get(name) === leaves) seats.delete(name);
    };
    seats.set(name, leaves);
    socket.once('close', leaves);
  });
  server.on('secureConnection', (socket: TLSSocket) => {
    if (says.isKnown(socket)) seats.get(nameOf(socket))?.();
  });
}

/** The connection before its handshake and after it are two objects with the same address and port. */
const nameOf = ({ remoteAddress, remotePort }: Pick<Socket, 'remoteAddress' | 'remotePort'>): string =>
  `${remoteAddress} ${remotePort}`;
