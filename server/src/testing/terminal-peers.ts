import {
  type TerminalHomeFrame,
  type TerminalHomeOrder,
  terminalLimits,
  terminalPaths,
  terminalProtocols,
} from '@gpuaas/contract/terminal';
import { WebSocket } from 'ws';
import type { TestIdentity, TestSession } from '../edge/terminal/testing.ts';

/** A program that shows a terminal: it keeps what it got, and acknowledges as the protocol says. */
export interface TestClient {
  readonly socket: WebSocket;
  readonly frames: TerminalHomeFrame[];
  readonly received: Buffer;
  /** The offset of what was received first. */
  readonly from: number;
  readonly closed: Promise<{ readonly code: number; readonly reason: string }>;
  say(frame: object): void;
  type(bytes: Buffer | string): void;
  /** False: nothing is acknowledged. */
  acknowledges: boolean;
}

export function connectClient(
  port: number,
  session: Pick<TestSession, 'allocationId'>,
  token: string,
  options: {
    readonly from?: number;
    readonly hello?: false;
    readonly origin?: string;
    readonly query?: string;
    readonly localAddress?: string;
    /** Where the gateway is reached; its own port when left out. */
    readonly base?: string;
  } = {},
): TestClient {
  const path = terminalPaths.client.replace('{allocation_id}', session.allocationId);
  const socket = new WebSocket(
    `${options.base ?? `ws://127.0.0.1:${port}`}${path}${options.query ?? ''}`,
    [terminalProtocols.client, token],
    {
      ...(options.origin && { origin: options.origin }),
      ...(options.localAddress && { localAddress: options.localAddress }),
      perMessageDeflate: false,
    },
  );
  const frames: TerminalHomeFrame[] = [];
  const chunks: Buffer[] = [];
  let bytes = 0;
  let acked = 0;
  let from = options.from ?? 0;
  const closed = new Promise<{ code: number; reason: string }>((resolve) => {
    socket.once('close', (code, reason) => resolve({ code, reason: reason.toString() }));
  });
  socket.on('error', () => undefined);
  if (options.hello !== false) {
    socket.once('open', () =>
      socket.send(JSON.stringify({ type: 'hello', from: options.from ?? 0, columns: 80, rows: 24 })),
    );
  }
  const client: TestClient = {
    ...{ socket, frames, closed, acknowledges: true },
    get received() {
      return Buffer.concat(chunks);
    },
    get from() {
      return from;
    },
    say: (frame) => socket.send(JSON.stringify(frame)),
    type: (input) => socket.send(Buffer.from(input), { binary: true }),
  };
  socket.on('message', (data: Buffer, isBinary) => {
    if (!isBinary) {
      const frame = JSON.parse(data.toString()) as TerminalHomeFrame;
      frames.push(frame);
      if (frame.type === 'ready') {
        from = frame.from;
        bytes = 0;
        acked = frame.from;
      }
      return;
    }
    chunks.push(data);
    bytes += data.length;
    if (!client.acknowledges || from + bytes - acked < terminalLimits.ackBytes) return;
    acked = from + bytes;
    client.say({ type: 'ack', offset: acked });
  });
  return client;
}

/** An agent that speaks the protocol for one shell, which prints what the test says and remembers what was typed. */
export interface TestAgent {
  readonly orders: TerminalHomeOrder[];
  readonly typed: Buffer;
  readonly output: Buffer;
  readonly connections: number;
  readonly closedWith: readonly number[];
  /** How much was sent and is not acknowledged by the writer. */
  readonly unread: number;
  readonly sent: number;
  print(bytes: Buffer | string): void;
  exit(code: number): void;
  say(frame: object): void;
  connected(): Promise<void>;
  /** Where the next connection goes. */
  ports: number[];
  drop(): void;
  /** Reads nothing from the gateway any more. */
  stall(): void;
  resume(): void;
  close(): void;
}

const frameBytes = 32 * 1_024;
const redialMs = 20;

export function startAgent(
  ports: readonly number[],
  session: TestSession,
  identity: TestIdentity,
  pid = 4_242,
): TestAgent {
  const orders: TerminalHomeOrder[] = [];
  const typed: Buffer[] = [];
  const closedWith: number[] = [];
  let output = Buffer.alloc(0);
  let socket: WebSocket | undefined;
  let isUp = false;
  let hasWriter = false;
  let sent = 0;
  let read = 0;
  let connections = 0;
  let isOver = false;
  let up = Promise.withResolvers<void>();
  let timer: NodeJS.Timeout | undefined;

  const pump = (): void => {
    if (!isUp || socket?.readyState !== WebSocket.OPEN) return;
    const end = hasWriter ? Math.min(output.length, read + terminalLimits.windowBytes) : output.length;
    while (sent < end && socket.bufferedAmount < terminalLimits.pauseAboveBytes) {
      const bytes = output.subarray(sent, Math.min(end, sent + frameBytes));
      sent += bytes.length;
      socket.send(bytes, { binary: true }, () => setImmediate(pump));
    }
  };
  const obey = (order: TerminalHomeOrder): void => {
    orders.push(order);
    if (order.type === 'resume') {
      sent = order.from;
      isUp = true;
      up.resolve();
    }
    if (order.type === 'client') hasWriter = order.writer;
    if (order.type === 'ack') read = Math.max(read, order.read);
    if (order.type === 'ping') agent.say({ type: 'pong', id: order.id });
    if (order.type === 'redial') socket?.close(1001);
    if (order.type === 'end') agent.exit(0);
    pump();
  };
  const dial = (): void => {
    if (isOver) return;
    const port = agent.ports[0] ?? 0;
    const path = terminalPaths.node.replace('{session_id}', session.id);
    const opened = new WebSocket(`wss://127.0.0.1:${port}${path}`, terminalProtocols.node, {
      ...identity,
      ...{ perMessageDeflate: false, minVersion: 'TLSv1.3' },
      checkServerIdentity: (() => undefined) as never,
    });
    socket = opened;
    opened.on('open', () => {
      connections += 1;
      const size = { columns: 80, rows: 24 };
      opened.send(JSON.stringify({ type: 'shell', session_id: session.id, pid, from: 0, to: output.length, ...size }));
    });
    opened.on('message', (data: Buffer, isBinary) => {
      if (isBinary) typed.push(data);
      else obey(JSON.parse(data.toString()) as TerminalHomeOrder);
    });
    opened.on('error', () => undefined);
    opened.on('close', (code) => {
      closedWith.push(code);
      isUp = false;
      up = Promise.withResolvers<void>();
      // The next address of those behind the balancer.
      agent.ports = [...agent.ports.slice(1), ...agent.ports.slice(0, 1)];
      timer = setTimeout(dial, redialMs);
    });
  };
  const agent: TestAgent = {
    ...{ orders, closedWith, ports: [...ports] },
    get typed() {
      return Buffer.concat(typed);
    },
    get output() {
      return output;
    },
    get connections() {
      return connections;
    },
    get unread() {
      return sent - read;
    },
    get sent() {
      return sent;
    },
    print(bytes) {
      output = Buffer.concat([output, Buffer.from(bytes)]);
      pump();
    },
    exit(code) {
      isOver = true;
      socket?.send(JSON.stringify({ type: 'exit', code }));
    },
    say: (frame) => socket?.send(JSON.stringify(frame)),
    connected: () => up.promise,
    drop: () => socket?.terminate(),
    stall: () => socket?.pause(),
    resume: () => socket?.resume(),
    close() {
      isOver = true;
      clearTimeout(timer);
      socket?.terminate();
    },
  };
  dial();
  return agent;
}
