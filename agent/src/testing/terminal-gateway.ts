import { once } from 'node:events';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { TLSSocket } from 'node:tls';
import {
  type TerminalHomeOrder,
  TerminalNodeFrame,
  terminalInternalCaller,
  terminalPaths,
  terminalProtocols,
} from '@gpuaas/contract/terminal';
import { Check } from 'typebox/value';
import { type WebSocket, WebSocketServer } from 'ws';
import type { TestAuthority } from './authority.ts';

/** The home of sessions, as an agent sees it: a real WebSocket server over mutual TLS that does what a test says. */
export interface TestGateway {
  readonly url: string;
  /** Who showed which certificate, for each connection. */
  readonly peers: string[];
  /** The next agent that arrives, with its first frame. */
  next(): Promise<Home>;
  /** Closes an arriving agent with this code instead of greeting it. */
  refuseWith: number | undefined;
  close(): Promise<void>;
}
type Shell = Extract<TerminalNodeFrame, { type: 'shell' }>;
export interface Home {
  readonly sessionId: string;
  readonly greeting: Shell;
  readonly frames: TerminalNodeFrame[];
  /** All output of this connection, unless a test takes it away. */
  output: Buffer;
  readonly closed: Promise<number>;
  say(order: TerminalHomeOrder): void;
  raw(text: string): void;
  type(text: string | Buffer): void;
  /** Stops and goes on reading from the network. */
  pause(): void;
  resumeReading(): void;
  /** The connection breaks without a word. */
  cut(): void;
  close(code: number): void;
  /** Resolves when the claim holds; looked at after everything that arrives. */
  until(claim: () => boolean): Promise<void>;
  onOutput: (bytes: Buffer) => void;
}

export const gatewayId = `spiffe://gpuaas/process/${terminalInternalCaller}`;

export async function openTestGateway(
  authority: TestAuthority,
  given: { readonly id?: string; readonly port?: number } = {},
): Promise<TestGateway> {
  const certificate = await authority.issueServer(undefined, given.id ?? gatewayId);
  const server = createServer({ ...certificate, ca: authority.pem, requestCert: true, minVersion: 'TLSv1.3' });
  const sockets = new WebSocketServer({ server, maxPayload: 262_144, perMessageDeflate: false });
  const arrived: Home[] = [];
  let waiting: ((home: Home) => void)[] = [];
  const gateway: TestGateway = {
    url: '',
    peers: [],
    refuseWith: undefined,
    next: () => {
      const home = arrived.shift();
      return home ? Promise.resolve(home) : new Promise((resolve) => waiting.push(resolve));
    },
    async close() {
      for (const client of sockets.clients) client.terminate();
      sockets.close();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  sockets.on('connection', (socket, request) => {
    gateway.peers.push((request.socket as TLSSocket).getPeerCertificate().subjectaltname ?? '');
    const path = terminalPaths.node.replace('{session_id}', '');
    const sessionId = (request.url ?? '').replace(path, '');
    if (socket.protocol !== terminalProtocols.node) return socket.close(4400);
    if (gateway.refuseWith !== undefined) return socket.close(gateway.refuseWith);
    receive(socket, sessionId, (home) => {
      const [first, ...rest] = waiting;
      waiting = rest;
      if (first) first(home);
      else arrived.push(home);
    });
  });
  server.listen(given.port ?? 0, '127.0.0.1');
  await once(server, 'listening');
  return Object.assign(gateway, { url: `wss://127.0.0.1:${(server.address() as AddressInfo).port}` });
}

function receive(socket: WebSocket, sessionId: string, greet: (home: Home) => void): void {
  const frames: TerminalNodeFrame[] = [];
  const claims = new Set<{ readonly claim: () => boolean; readonly done: () => void }>();
  const look = () => {
    for (const one of claims) if (one.claim() && claims.delete(one)) one.done();
  };
  const closed = Promise.withResolvers<number>();
  const home = {
    sessionId,
    frames,
    output: Buffer.alloc(0),
    closed: closed.promise,
    onOutput(bytes: Buffer) {
      home.output = Buffer.concat([home.output, bytes]);
    },
    say: (order: TerminalHomeOrder) => socket.send(JSON.stringify(order)),
    raw: (text: string) => socket.send(text),
    type: (text: string | Buffer) => socket.send(Buffer.from(text as string), { binary: true }),
    pause: () => socket.pause(),
    resumeReading: () => socket.resume(),
    cut: () => socket.terminate(),
    close: (code: number) => socket.close(code),
    until: (claim: () => boolean) =>
      claim() ? Promise.resolve() : new Promise<void>((done) => claims.add({ claim, done })),
  };
  socket.on('error', () => undefined);
  socket.once('close', (code) => {
    closed.resolve(code);
    look();
  });
  socket.on('message', (data, isBinary) => {
    if (isBinary) home.onOutput(data as Buffer);
    else {
      const frame: unknown = JSON.parse(String(data));
      if (!Check(TerminalNodeFrame, frame)) throw new Error(`not a frame of a node: ${String(data)}`);
      frames.push(frame);
      if (frame.type === 'shell' && frames.length === 1) greet(Object.assign(home, { greeting: frame }));
    }
    look();
  });
}
