import { terminalAckBytes, terminalCloses, terminalMessageBytes, terminalProtocol } from './generated/terminal.ts';

export interface TerminalReady {
  readonly session_id: string;
  readonly name: string;
  /** The offset at which the bytes that follow begin. */
  readonly from: number;
  readonly role: 'writer' | 'watcher';
  readonly pid: number;
  readonly ends_at: string;
  readonly recording: 'off' | 'metadata' | 'output';
  readonly simulated: boolean;
}
/** How a connection ended. `reconnect`: the shell goes on and can be joined with a new token. */
export interface TerminalEnd {
  readonly code: number;
  readonly sentence: string;
  readonly reconnect: boolean;
  /** The exit code of the shell, if it ended; null when a signal ended it. */
  readonly exit?: number | null;
}
export interface TerminalHandlers {
  onReady?(ready: TerminalReady): void;
  /** With a promise, the output counts as read when it resolves: a slow screen makes the program wait. */
  onOutput(bytes: Uint8Array): void | PromiseLike<void>;
  onNotice?(notice: { readonly code: string; readonly text: string }): void;
  onPong?(id: string): void;
  onEnd(end: TerminalEnd): void;
}
/** A connection to a shell. */
export interface TerminalLine {
  write(bytes: Uint8Array): void;
  resize(columns: number, rows: number): void;
  ping(id: string): void;
  /** Ends the shell. */
  end(): void;
  /** Leaves; the shell goes on. */
  close(): void;
  /** What was written and has not reached the network yet: who writes much waits until it is little. */
  readonly waitingBytes: number;
  /** How much output has come, to go on from there after a new connection. */
  readonly offset: number;
}

type Said =
  | ({ readonly type: 'ready' } & TerminalReady)
  | { readonly type: 'notice'; readonly code: string; readonly text: string }
  | { readonly type: 'pong'; readonly id: string }
  | { readonly type: 'exit'; readonly code: number | null };

/** Opens the WebSocket of a token from `terminals.tokenMint`. The token goes into a header and never into the address. */
export function connectTerminal(
  to: {
    readonly url: string;
    readonly token: string;
    readonly columns: number;
    readonly rows: number;
    /** Output that the caller has already. */
    readonly from?: number;
    readonly WebSocket?: typeof WebSocket;
  },
  handlers: TerminalHandlers,
): TerminalLine {
  const socket = new (to.WebSocket ?? WebSocket)(to.url, [terminalProtocol, to.token]);
  socket.binaryType = 'arraybuffer';
  let [offset, acknowledged] = [to.from ?? 0, to.from ?? 0];
  let exit: { readonly code: number | null } | undefined;
  const say = (frame: object) => {
    if (socket.readyState === 1) socket.send(JSON.stringify(frame));
  };
  const take = (bytes: Uint8Array) => {
    offset += bytes.length;
    const end = offset;
    const taken = handlers.onOutput(bytes);
    if (taken === undefined) acknowledge(end);
    else taken.then(() => acknowledge(end));
  };
  const acknowledge = (end: number) => {
    if (end - acknowledged < terminalAckBytes) return;
    acknowledged = end;
    say({ type: 'ack', offset: end });
  };
  const hear = (said: Said) => {
    if (said.type === 'ready') {
      [offset, acknowledged] = [said.from, said.from];
      handlers.onReady?.(said);
    } else if (said.type === 'notice') handlers.onNotice?.(said);
    else if (said.type === 'pong') handlers.onPong?.(said.id);
    else if (said.type === 'exit') exit = said;
  };
  socket.onopen = () => say({ type: 'hello', from: offset, columns: to.columns, rows: to.rows });
  socket.onmessage = ({ data }: { data: unknown }) =>
    typeof data === 'string' ? hear(JSON.parse(data) as Said) : take(new Uint8Array(data as ArrayBuffer));
  socket.onclose = ({ code }) => handlers.onEnd({ ...endOf(code), ...(exit && { exit: exit.code }) });
  return {
    write(bytes) {
      if (socket.readyState !== 1) return;
      for (let at = 0; at < bytes.length; at += terminalMessageBytes) {
        socket.send(bytes.slice(at, at + terminalMessageBytes));
      }
    },
    resize: (columns, rows) => say({ type: 'resize', columns, rows }),
    ping: (id) => say({ type: 'ping', id }),
    end: () => say({ type: 'end' }),
    close: () => socket.close(1000),
    get waitingBytes() {
      return socket.bufferedAmount;
    },
    get offset() {
      return offset;
    },
  };
}

/** A close without a code of ours is a lost connection. */
function endOf(code: number): TerminalEnd {
  const known = (
    terminalCloses as Readonly<Record<number, { readonly sentence: string; readonly reconnect: boolean }>>
  )[code];
  return known ? { code, ...pick(known) } : { code, sentence: 'The connection was lost.', reconnect: true };
}
const pick = ({ sentence, reconnect }: { readonly sentence: string; readonly reconnect: boolean }) => ({
  sentence,
  reconnect,
});
