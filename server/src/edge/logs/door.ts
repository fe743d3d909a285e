import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import type { TLSSocket } from 'node:tls';
import { logPushPath } from '@gpuaas/contract/node';
import type { Clock } from '../../kernel/clock.ts';
import { Fault } from '../../kernel/fault.ts';
import type { Ids } from '../../kernel/id.ts';
import type { Log } from '../../kernel/telemetry/log.ts';
import { encodeProblem, problemType } from '../http/problem.ts';
import { seatHandshakes } from '../internal/handshakes.ts';
import type { ProcessIdentity } from '../internal/process-identity.ts';
import { type Peer, peerOf } from '../nodes/peer.ts';
import { makeStrangers, type StrangerLimits } from '../nodes/strangers.ts';

export interface LogDoor {
  readonly port: number;
  /** Answers what is on its way, for a while, and closes. */
  close(drainMs: number): Promise<void>;
}
/** What became of a push: nothing, when it was taken. */
export type TakePush = (
  request: IncomingMessage,
  peer: Peer | undefined,
) => Promise<undefined | { readonly fault: Fault; readonly retryAfterSeconds?: number }>;
export interface LogDoorParts {
  readonly host: string;
  readonly port: number;
  readonly identity: ProcessIdentity;
  readonly connections: number;
  readonly strangers: StrangerLimits;
  readonly take: TakePush;
  readonly onRefused: () => void;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: Log;
}

const timeoutMs = 10_000;

/** Where agents push: TLS 1.3 with certificates on both sides, one path. */
export async function openLogDoor(parts: LogDoorParts): Promise<LogDoor> {
  const { identity, log } = parts;
  const sockets = new Set<Duplex>();
  const context = () => ({ ...identity.current().tls, minVersion: 'TLSv1.3' as const });
  const server = createServer(
    {
      ...context(),
      requestCert: true,
      rejectUnauthorized: true,
      handshakeTimeout: timeoutMs,
      headersTimeout: timeoutMs,
      requestTimeout: 2 * timeoutMs,
      keepAliveTimeout: 6 * timeoutMs,
      maxHeaderSize: 8 * 1_024,
      noDelay: true,
    },
    (request, response) => {
      answer(request, response).catch((error: unknown) => {
        log.error({ err: error }, 'a push could not be answered');
        response.destroy();
      });
    },
  );
  identity.onRenewed(() => server.setSecureContext(context()));
  server.maxConnections = parts.connections;
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  seatHandshakes(server, makeStrangers(parts.strangers), {
    isKnown: (socket) => peerOf(socket) !== undefined,
    onRefused: parts.onRefused,
  });
  server.on('tlsClientError', (_, socket) => socket.destroy());
  server.on('clientError', (_, socket) => socket.destroy());

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.url !== logPushPath) return refuse(response, new Fault('route_not_found', 'There is no such path.'));
    if (request.method !== 'POST') return refuse(response, new Fault('method_not_allowed', 'This path takes POST.'));
    const said = await parts.take(request, peerOf(request.socket as TLSSocket));
    if (said === undefined) response.writeHead(204).end();
    else refuse(response, said.fault, said.retryAfterSeconds);
  }
  function refuse(response: ServerResponse, fault: Fault, retryAfterSeconds?: number): void {
    const { status, body } = encodeProblem(fault, parts.ids.next());
    // What is left of a body that was not read must not be taken for the next request.
    if (!response.req.complete) response.setHeader('connection', 'close');
    if (retryAfterSeconds !== undefined) response.setHeader('retry-after', String(retryAfterSeconds));
    response.writeHead(status, { 'content-type': problemType, 'content-length': Buffer.byteLength(body) }).end(body);
  }

  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(parts.port, parts.host, () => resolve());
  });
  return {
    port: (server.address() as AddressInfo).port,
    async close(drainMs) {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeIdleConnections();
      const isDone = new AbortController();
      parts.clock.sleep(drainMs, isDone.signal).then(
        () => {
          for (const socket of sockets) socket.destroy();
        },
        () => undefined,
      );
      await closed;
      isDone.abort();
    },
  };
}
