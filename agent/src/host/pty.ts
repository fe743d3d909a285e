import type { Socket } from 'node:net';
import { HostFailure, type Shell } from './port.ts';

export interface PtyOrder {
  readonly file: string;
  readonly args: readonly string[];
  readonly cwd: string;
  /** All of it: nothing of the agent's own environment reaches a shell. */
  readonly env: Readonly<Record<string, string>>;
  readonly columns: number;
  readonly rows: number;
}

/** What may wait for a slow reader before the program behind the terminal is made to wait instead. */
const cushionBytes = 64 * 1_024;
/** A program that ignores the end of its terminal is ended all the same. */
const patienceMs = 2_000;

/**
 * Starts a program on a terminal of its own. It runs with the ids of this process: to change them, put a program in
 * front that does, because the library itself would leave the agent's supplementary groups in place.
 */
export async function openPty(order: PtyOrder): Promise<Shell> {
  // The binaries are prebuilt, but not for every machine; an agent without them still does everything else.
  const { spawn } = await import('@lydell/node-pty').catch((error: unknown) => {
    throw new HostFailure('not_supported', `This machine has no terminals: ${(error as Error).message}`);
  });
  const pty = spawn(order.file, [...order.args], {
    name: 'xterm-256color',
    cwd: order.cwd,
    env: { ...order.env },
    cols: order.columns,
    rows: order.rows,
    // Bytes as they are: half a character at the end of a chunk stays half a character.
    encoding: null,
  });
  const socket = (pty as unknown as { readonly _socket?: Socket })._socket;
  if (!socket) throw new Error('The terminal library has changed: its socket is not where it was.');

  let alive = true;
  const writing = new Set<() => void>();
  const exited = Promise.withResolvers<{ readonly code: number | undefined }>();
  const kill = () => {
    if (!alive) return;
    signalGroup(pty.pid, 'SIGHUP');
    setTimeout(() => alive && signalGroup(pty.pid, 'SIGKILL'), patienceMs).unref();
    // A terminal that nobody reads would keep its program from ending.
    pty.resume();
  };
  const output = new ReadableStream<Uint8Array>(
    {
      start(controller) {
        pty.onData((chunk) => {
          controller.enqueue(new Uint8Array(chunk as unknown as Buffer));
          if ((controller.desiredSize ?? 0) <= 0) pty.pause();
        });
        pty.onExit(({ exitCode, signal }) => {
          alive = false;
          for (const done of writing) done();
          exited.resolve({ code: signal ? undefined : exitCode });
          try {
            controller.close();
          } catch {
            // The reader has left already.
          }
        });
      },
      pull: () => pty.resume(),
      cancel: kill,
    },
    new ByteLengthQueuingStrategy({ highWaterMark: cushionBytes }),
  );
  return {
    output,
    write: (bytes) =>
      new Promise((resolve) => {
        if (!alive) return resolve();
        // Resolves when the terminal has taken it, or is gone: awaiting it bounds the input.
        const done = () => {
          writing.delete(done);
          resolve();
        };
        writing.add(done);
        socket.write(bytes, done);
      }),
    resize: (columns, rows) => {
      if (alive) pty.resize(columns, rows);
    },
    exited: exited.promise,
    kill,
  };
}

/** The program leads a session of its own; what it started in the foreground goes with it. */
function signalGroup(pid: number, signal: NodeJS.Signals): void {
  for (const target of [-pid, pid]) {
    try {
      process.kill(target, signal);
    } catch {
      // It has ended in the meantime, which is what was wanted.
    }
  }
}
