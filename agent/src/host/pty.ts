import { createRequire } from 'node:module';
import { makeEnclosure, signal } from './enclosure.ts';
import { HostFailure, type Shell } from './port.ts';
import { makePtyInput } from './pty-input.ts';

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
  const { spawn } = await loadPty();
  const enclosure = makeEnclosure();
  const pty = spawn(order.file, [...order.args], {
    name: 'xterm-256color',
    cwd: order.cwd,
    env: { ...order.env, ...enclosure.mark },
    cols: order.columns,
    rows: order.rows,
    // Bytes as they are: half a character at the end of a chunk stays half a character.
    encoding: null,
  });
  const input = makePtyInput(pty.pid);
  enclosure.admit(pty.pid);

  let alive = true;
  const exited = Promise.withResolvers<{ readonly code: number | undefined }>();
  const kill = () => {
    if (!alive) return;
    // What was stopped has to go on to hear it.
    for (const name of ['SIGHUP', 'SIGCONT'] as const) signalGroup(pty.pid, name);
    setTimeout(() => alive && signalGroup(pty.pid, 'SIGKILL'), patienceMs).unref();
    // A terminal that nobody reads would keep its program from ending.
    pty.resume();
  };
  let isClosed = false;
  const output = new ReadableStream<Uint8Array>(
    {
      start(controller) {
        pty.onData((chunk) => {
          // The program may still write after the reader has left or the library has said that it ended.
          if (isClosed) return;
          controller.enqueue(new Uint8Array(chunk as unknown as Buffer));
          if ((controller.desiredSize ?? 0) <= 0) pty.pause();
        });
        pty.onExit(({ exitCode, signal }) => {
          alive = false;
          input.close();
          enclosure.leave();
          exited.resolve({ code: signal ? undefined : exitCode });
          if (isClosed) return;
          isClosed = true;
          controller.close();
        });
      },
      pull: () => pty.resume(),
      cancel: () => {
        isClosed = true;
        kill();
      },
    },
    new ByteLengthQueuingStrategy({ highWaterMark: cushionBytes }),
  );
  const end = async () => {
    kill();
    const exit = exited.promise.then(() => undefined);
    await Promise.race([exit, new Promise((resolve) => setTimeout(resolve, patienceMs).unref())]);
    await enclosure.kill();
    // The library says so when the terminal is closed, a moment after the last process is gone.
    await exit;
    enclosure.leave();
  };
  let ending: Promise<void> | undefined;
  return {
    pid: pty.pid,
    output,
    write: input.write,
    resize: (columns, rows) => {
      if (alive) pty.resize(columns, rows);
    },
    exited: exited.promise,
    kill,
    end: () => (ending ??= end()),
  };
}

type Pty = typeof import('@lydell/node-pty');
/**
 * The binaries are prebuilt, but not for every machine; an agent without them still does everything else. A package of the agent
 * has them beside its runtime, because an updated agent lies in another folder than the first one.
 */
async function loadPty(): Promise<Pty> {
  try {
    return await import('@lydell/node-pty');
  } catch (error) {
    try {
      return createRequire(process.execPath)('@lydell/node-pty') as Pty;
    } catch {
      throw new HostFailure('not_supported', `This machine has no terminals: ${(error as Error).message}`);
    }
  }
}

/** The program leads a session of its own; what it started in the foreground goes with it. */
function signalGroup(pid: number, name: NodeJS.Signals): void {
  for (const target of [-pid, pid]) signal(target, name);
}
