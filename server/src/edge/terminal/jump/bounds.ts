import type { Socket } from 'node:net';
import type { ServerChannel } from 'ssh2';

/** More than the windows of the channels that a client of OpenSSH opens in one connection. */
const mostHeldBytes = 8 * 1024 * 1024;
const leastPacketBytes = 1_024;

/** What the bounds look at, of a socket and of a channel. */
export type BoundSocket = Pick<Socket, 'bytesWritten' | 'writableLength'>;
export type BoundChannel = Pick<ServerChannel, 'once' | 'readableLength'>;
export interface Bounds {
  /** A channel that is confirmed. A client that takes no whole packet is cut. */
  watch<C extends BoundChannel>(channel: C): C;
  /** Bytes that were written to a channel. */
  written(count: number): void;
  /** Looks at what is held; to be called when bytes have come. */
  look(): void;
}

/**
 * Bounds what one connection holds in memory. The SSH library counts bytes as sent when the window of the client allows them, takes more
 * than its own window, and keeps everything while keys are exchanged; a client can stop reading, ignore the window, or
 * never finish an exchange. Such a client is cut.
 */
export function makeBounds(socket: BoundSocket, cut: () => void): Bounds {
  const channels = new Set<BoundChannel>();
  let given = 0;
  const look = (): void => {
    const unread = [...channels].some(({ readableLength }) => readableLength > mostHeldBytes);
    // What was given to the library and has not reached the socket waits for the end of an exchange of keys.
    if (unread || socket.writableLength > mostHeldBytes || given - socket.bytesWritten > mostHeldBytes) cut();
  };
  return {
    watch(channel) {
      channels.add(channel);
      channel.once('close', () => channels.delete(channel));
      const { outgoing } = channel as unknown as { readonly outgoing?: { packetSize: number } };
      if (outgoing && !(outgoing.packetSize >= leastPacketBytes)) {
        // With packets of nothing the library would write for ever before the cut takes effect.
        outgoing.packetSize = leastPacketBytes;
        cut();
      }
      return channel;
    },
    written(count) {
      given += count;
      look();
    },
    look,
  };
}
