import { connect, type Socket } from 'node:net';
import { duplexPair } from 'node:stream';
import ssh2 from 'ssh2';
import { makeHostKey } from './host-key.ts';
import type { Shell } from './port.ts';
import { streamOver } from './stream.ts';

/** Connections that one forwarded port has at the same time, those that are being made among them. */
const mostConnections = 64;
const connectMs = 5_000;
const loopback = '127.0.0.1';

/**
 * Connections to one port of the machine, or of one at another address, many in one stream. Inside of it speaks SSH, because its channels have flow control and a
 * close for each direction: the control plane has checked who it is and which port it may be, so the server in here takes everyone
 * and opens that port alone. It has no shell, no commands and no files. Every connection ends with the stream.
 */
export function openForward(port: number, host = loopback): Shell {
  const [near, far] = duplexPair();
  const sockets = new Set<Socket>();
  const server = new ssh2.Server({ hostKeys: [makeHostKey()], ident: 'gpuaas-forward' }, (client) => {
    client.on('error', () => client.end());
    client.on('authentication', (request) => request.accept());
    client.on('tcpip', (accept, reject, { destPort }) => {
      if (destPort !== port || sockets.size >= mostConnections || near.destroyed) return reject();
      const socket = connect({ host, port, allowHalfOpen: true });
      sockets.add(socket);
      socket.on('error', () => socket.destroy());
      socket.setTimeout(connectMs, () => socket.destroy());
      let isOpen = false;
      socket.once('close', () => {
        sockets.delete(socket);
        // Once the stream is over, there is no client to answer.
        if (!isOpen && !near.destroyed) reject();
      });
      socket.once('connect', () => {
        if (near.destroyed) return socket.destroy();
        isOpen = true;
        socket.setTimeout(0);
        const channel = accept();
        channel.once('close', () => socket.destroy());
        channel.on('error', () => socket.destroy());
        socket.once('close', () => channel.close());
        channel.pipe(socket).pipe(channel);
      });
    });
  });
  const endAll = () => {
    for (const socket of sockets) socket.destroy();
    far.destroy();
  };
  near.once('close', endAll);
  far.once('close', endAll);
  server.on('error', () => far.destroy());
  server.injectSocket(far as Parameters<typeof server.injectSocket>[0]);
  return streamOver(near);
}
