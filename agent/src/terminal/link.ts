import { TerminalHomeOrder, type TerminalNodeFrame, terminalLimits } from '@gpuaas/contract/terminal';
import { Compile } from 'typebox/compile';
import { type RawData, WebSocket } from 'ws';

/** One connection to the home of a session. Frames in both directions, with a bound on what waits to be sent. */
export interface Link {
  say(frame: TerminalNodeFrame): void;
  /** Sends output. `onDrained` is called when there is room again. */
  send(bytes: Buffer): void;
  readonly hasRoom: boolean;
  /** Stops reading, orders included, until the input that came has been taken. */
  pause(): void;
  resume(): void;
  close(code: number): void;
  /** The code it was closed with; 1006 when it broke. */
  readonly closed: Promise<number>;
}
export interface LinkListener {
  onOrder(order: TerminalHomeOrder): void;
  onInput(bytes: Uint8Array): void;
  onDrained(): void;
}

const homeOrder = Compile(TerminalHomeOrder);
const malformed = 4_400;
const broken = 1_006;
/** A side that does not answer the close is cut off. */
const closingMs = 2_000;

/** Resolves when the connection is open; rejects when it does not come about. */
export async function openLink(
  socket: WebSocket,
  listener: LinkListener,
  pingMs = terminalLimits.pingSeconds * 1_000,
): Promise<Link> {
  const closed = Promise.withResolvers<number>();
  let waiting = 0;
  let trouble = new Error('the gateway closed the connection before it was open');
  const opened = new Promise<void>((resolve, reject) => {
    socket.once('open', resolve);
    socket.on('error', (error) => {
      trouble = error;
    });
    socket.once('close', (code) => {
      closed.resolve(code || broken);
      reject(trouble);
    });
  });
  socket.on('message', (data, isBinary) => {
    if (isBinary) return listener.onInput(bytesOf(data));
    const order = readOrder(data);
    if (order) listener.onOrder(order);
    else socket.close(malformed);
  });
  await opened;
  keepAlive(socket, pingMs);

  return {
    say: (frame) => socket.send(JSON.stringify(frame), () => undefined),
    send(bytes) {
      waiting += bytes.length;
      // Also called when the connection is lost; then nothing listens any more.
      socket.send(bytes, { binary: true }, () => {
        waiting -= bytes.length;
        listener.onDrained();
      });
    },
    get hasRoom() {
      return waiting < terminalLimits.pauseAboveBytes && socket.readyState === WebSocket.OPEN;
    },
    pause: () => socket.pause(),
    resume: () => socket.resume(),
    close(code) {
      // A connection that is paused would never read the answer.
      socket.resume();
      socket.close(code);
      const cut = setTimeout(() => socket.terminate(), closingMs);
      cut.unref();
      socket.once('close', () => clearTimeout(cut));
    },
    closed: closed.promise,
  };
}

/** Pings, and cuts a side off that missed two of them. */
function keepAlive(socket: WebSocket, everyMs: number): void {
  let missed = 0;
  const timer = setInterval(() => {
    // A connection that this side does not read cannot show that it lives.
    if (socket.isPaused) return;
    if (missed >= terminalLimits.missedPings) return socket.terminate();
    missed += 1;
    socket.ping();
  }, everyMs);
  timer.unref();
  socket.on('pong', () => (missed = 0));
  socket.once('close', () => clearInterval(timer));
}

const bytesOf = (data: RawData): Uint8Array =>
  Array.isArray(data) ? Buffer.concat(data) : data instanceof ArrayBuffer ? new Uint8Array(data) : data;

function readOrder(data: RawData): TerminalHomeOrder | undefined {
  try {
    const said: unknown = JSON.parse(Buffer.from(bytesOf(data)).toString('utf8'));
    return homeOrder.Check(said) ? said : undefined;
  } catch {
    return undefined;
  }
}
