import { connect, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { HostFailure, type Shell } from './port.ts';

const connectMs = 5_000;
const clean = { code: 0 } as const;
const broken = { code: undefined } as const;

/** Connects to a port of the machine; the connection then looks like a shell that nobody resizes. */
export async function connectStream(to: {
  readonly address: string;
  readonly port: number;
  readonly what: string;
}): Promise<Shell> {
  const failure = (why: string) =>
    new HostFailure('ssh_unreachable', `${to.what} does not answer at ${to.address}:${to.port}: ${why}.`);
  return streamOver(await connectPort({ ...to, allowHalfOpen: false, failure }));
}

/** A bare connection to a port of the machine, or of a container on it. */
export function connectPort(to: {
  readonly address: string;
  readonly port: number;
  /** Whether the end of one direction leaves the other open. */
  readonly allowHalfOpen: boolean;
  readonly failure: (why: string) => Error;
}): Promise<Socket> {
  const socket = connect({ host: to.address, port: to.port, allowHalfOpen: to.allowHalfOpen, noDelay: true });
  return new Promise((resolve, reject) => {
    const fail = (why: string) => {
      socket.destroy();
      reject(to.failure(why));
    };
    socket.setTimeout(connectMs, () => fail('it took too long'));
    socket.once('error', (error) => fail(error.message));
    socket.once('connect', () => {
      socket.setTimeout(0);
      socket.removeAllListeners('error');
      socket.on('error', () => socket.destroy());
      resolve(socket);
    });
  });
}

/** Bytes of a connection, with the same promises as those of a terminal: reading stops while the reader is slow. */
export function streamOver(socket: Duplex): Shell {
  const exited = Promise.withResolvers<{ readonly code: number | undefined }>();
  let trouble = false;
  socket.on('error', () => {
    trouble = true;
  });
  socket.once('close', () => exited.resolve(trouble ? broken : clean));
  const kill = () => {
    socket.destroy();
  };
  return {
    pid: 0,
    output: outputOf(socket),
    write: (bytes) =>
      new Promise((resolve, reject) => {
        if (!socket.writable) return resolve();
        socket.write(bytes, (error) => (error ? reject(error) : resolve()));
      }),
    resize: () => undefined,
    exited: exited.promise,
    kill,
    async end() {
      kill();
      await exited.promise;
    },
  };
}

/** What may wait for a slow reader before the other side is made to wait instead. */
const cushionBytes = 64 * 1_024;

function outputOf(socket: Duplex): ReadableStream<Uint8Array> {
  return new ReadableStream<Uint8Array>(
    {
      start(controller) {
        socket.on('data', (chunk: Buffer) => {
          controller.enqueue(new Uint8Array(chunk));
          if ((controller.desiredSize ?? 0) <= 0) socket.pause();
        });
        // After the last byte, or at once when the connection breaks: what came is read either way.
        socket.once('close', () => {
          try {
            controller.close();
          } catch {
            // The reader has left already.
          }
        });
      },
      pull: () => {
        socket.resume();
      },
      cancel: () => {
        socket.destroy();
      },
    },
    new ByteLengthQueuingStrategy({ highWaterMark: cushionBytes }),
  );
}
