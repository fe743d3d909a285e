import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { Compile } from 'typebox/compile';
import type { Clock } from '../../kernel/clock.ts';
import { Fault } from '../../kernel/fault.ts';
import type { Ids } from '../../kernel/id.ts';
import { startReconciler } from '../../kernel/process/reconciler.ts';
import type { Log } from '../../kernel/telemetry/log.ts';
import type { Metrics } from '../../kernel/telemetry/metrics.ts';
import type { Certificates } from '../../ports/certificates/port.ts';
import { answerUnreadable, encodeProblem, problemType } from '../http/problem.ts';
import { bodyOf, makeBodyReader } from '../nodes/body.ts';
import { makeStrangers, type StrangerLimits } from '../nodes/strangers.ts';
import type { InternalHandler } from './handlers.ts';
import { seatHandshakes } from './handshakes.ts';
import { type ProcessPeer, processOf } from './process-peer.ts';

/**
 * The listener for our own processes: a port of its own, TLS 1.3 with certificates on both sides. Each route names the
 * processes that may call it. A connection without the certificate of a process is closed in the handshake or answered 403; a
 * token of a person or the certificate of a node opens nothing here.
 */
export interface InternalListener {
  readonly port: number;
  close(): Promise<void>;
}
export interface InternalListenerParts {
  readonly host: string;
  readonly port: number;
  /** What processes call us: names and addresses for the certificate. */
  readonly names: readonly string[];
  readonly certificates: Certificates;
  readonly handlers: readonly InternalHandler[];
  readonly limits?: InternalLimits;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: Log;
  readonly metrics: Metrics;
}

const serverCertificateMs = 30 * 24 * 3_600_000;
const lookAtCertificateMs = 3_600_000;
/** A gateway that names 10,000 sessions sends about two megabytes. */
const bodyLimitBytes = 4 * 1_024 * 1_024;
/** Our own processes are few; each keeps some connections. */
const maxConnections = 1_000;
export interface InternalLimits {
  /** How long a TLS handshake may take. */
  readonly handshakeMs: number;
  /** Connections that have not shown the certificate of a process. */
  readonly strangers: StrangerLimits;
}
/** Strangers get no more than half of all connections. */
export const usualInternalLimits: InternalLimits = {
  handshakeMs: 10_000,
  strangers: { perAddress: 64, inTotal: maxConnections / 2 },
};
const stopWithinMs = 2_000;

type Answer = { readonly status: number; readonly body: string };

export async function openInternalListener(parts: InternalListenerParts): Promise<InternalListener> {
  const { clock, log, limits = usualInternalLimits } = parts;
  const leaving = new AbortController();
  const answer = makeAnswer(parts, leaving.signal);
  const fresh = async () => {
    const [{ roots }, own] = await Promise.all([
      parts.certificates.authority(),
      parts.certificates.certifyServer({ names: parts.names, ttlMs: serverCertificateMs }),
    ]);
    return {
      context: { ca: roots, cert: own.chain, key: own.privateKey },
      renewAtMs: own.notAfter.getTime() - serverCertificateMs / 3,
    };
  };
  let held = await fresh();
  const server = createServer(
    {
      ...held.context,
      minVersion: 'TLSv1.3',
      requestCert: true,
      rejectUnauthorized: true,
      handshakeTimeout: limits.handshakeMs,
      maxHeaderSize: 8 * 1_024,
      headersTimeout: 10_000,
      requestTimeout: 20_000,
      keepAliveTimeout: 60_000,
      noDelay: true,
    },
    (request, response) => {
      answer(request, response)
        .then(({ status, body }) => send(response, status, body))
        .catch((error: unknown) => {
          log.error({ err: error }, 'a process could not be answered');
          response.destroy();
        });
    },
  );
  server.maxConnections = maxConnections;
  // The certificate of a node is good for a handshake here, and for nothing else: it stays a stranger.
  seatHandshakes(server, makeStrangers(limits.strangers), { isKnown: (socket) => processOf(socket) !== undefined });
  server.on('tlsClientError', (_, socket) => socket.destroy());
  server.on('clientError', (error: Error, socket) =>
    answerUnreadable(error, socket as TLSSocket, parts.ids.next(), {}),
  );
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(parts.port, parts.host, () => resolve());
  });
  const renewing = startReconciler(
    {
      name: 'internal-listener-certificate',
      async round() {
        if (clock.now().getTime() < held.renewAtMs) return 'idle';
        held = await fresh();
        server.setSecureContext({ ...held.context, minVersion: 'TLSv1.3' });
        return 'idle';
      },
    },
    { clock, log, everyMs: lookAtCertificateMs },
  );
  return {
    port: (server.address() as AddressInfo).port,
    async close() {
      await renewing.close();
      const closed = new Promise((resolve) => server.close(resolve));
      leaving.abort(new Error('the api is stopping'));
      server.closeIdleConnections();
      const isDone = new AbortController();
      clock.sleep(stopWithinMs, isDone.signal).then(
        () => server.closeAllConnections(),
        () => undefined,
      );
      await closed;
      isDone.abort();
    },
  };
}

function send(response: ServerResponse, status: number, body: string): void {
  const type = status >= 400 ? problemType : 'application/json';
  // What is left of a body that was not read must not be taken for the next request.
  if (status >= 400 && !response.req.complete) response.setHeader('connection', 'close');
  response.writeHead(status, { 'content-type': type, 'content-length': Buffer.byteLength(body) }).end(body);
}

/** From the request to the answer: who calls, which route, may this process, is the body as declared. */
function makeAnswer(parts: InternalListenerParts, stopping: AbortSignal) {
  const { clock, ids, log } = parts;
  const counted = parts.metrics.counter(
    'gpuaas_internal_requests_total',
    'Calls of our own processes, by process, path and kind of answer.',
    ['caller', 'path', 'status_class'],
  );
  const routes = new Map(
    parts.handlers.map(({ route, handle }) => [
      route.path as string,
      { route, handle, read: makeBodyReader<never>(route.carries, bodyLimitBytes), answers: Compile(route.answers) },
    ]),
  );
  const refuse = (fault: Fault, correlationId: string): Answer => encodeProblem(fault, correlationId);

  async function decide(response: ServerResponse, peer: ProcessPeer | undefined, correlationId: string) {
    const request = response.req;
    if (!peer || peer.expiresAtMs <= clock.now().getTime()) {
      return new Fault('insufficient_permissions', 'This listener wants the certificate of a process.');
    }
    const found = routes.get(request.url ?? '');
    if (!found) return new Fault('route_not_found', 'There is no such path.');
    if (request.method !== 'POST') return new Fault('method_not_allowed', 'This path takes POST.');
    if (!found.route.callers.includes(peer.process)) {
      return new Fault('insufficient_permissions', `${peer.process} is no caller of this path.`);
    }
    const body = await found.read(bodyOf(request));
    if (body instanceof Fault) return body;
    const gone = new AbortController();
    response.once('close', () => gone.abort(new Error('the caller is gone')));
    const signal = AbortSignal.any([gone.signal, stopping]);
    const said = await found.handle(body, { peer, correlationId, signal });
    if (said instanceof Fault || found.answers.Check(said)) return said;
    const [first] = found.answers.Errors(said);
    throw new Error(
      `${found.route.path} answered something else than declared: ${first?.instancePath} ${first?.message}`,
    );
  }

  return async (request: IncomingMessage, response: ServerResponse): Promise<Answer> => {
    const correlationId = ids.next();
    const peer = processOf(request.socket as TLSSocket);
    const path = routes.has(request.url ?? '') ? (request.url ?? '') : 'unknown';
    const said = await decide(response, peer, correlationId).catch((error: unknown) => {
      if (response.destroyed) return new Fault('service_unavailable', 'The caller is gone.');
      log.error({ err: error, path, correlation_id: correlationId }, 'a call of a process failed');
      return new Fault('internal_error', 'An internal error. The log of the api has it.');
    });
    const answer = said instanceof Fault ? refuse(said, correlationId) : { status: 200, body: JSON.stringify(said) };
    counted.inc({ caller: peer?.process ?? 'unknown', path, status_class: `${Math.floor(answer.status / 100)}xx` });
    return answer;
  };
}
