import type { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';
import type { Clock } from '../../../kernel/clock.ts';
import { letSend } from './upload.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Receives a file, which may take longer to arrive than other bodies. */
    readonly isUpload?: true;
  }
}

/** How long a request may take to arrive whole: its headers, the body of most routes, and a file. */
const slowestMs = 30_000;
export const slowestUploadMs = 600_000;
/** How long the rest of a body may still come after its request was refused. */
const unreadMs = 2_000;

const tooLate = () => Object.assign(new Error('the body did not arrive in time'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' });

type AnswerUnreadable = (error: Error & { readonly code?: string }, socket: Socket) => void;

/**
 * Every request arrives within a bound. Node has one bound for all requests of a server, so that is the one for files,
 * and every other body gets a shorter one here. A caller that sends `Expect: 100-continue` sends its body only when it
 * was admitted.
 */
export function boundArrival(
  app: Pick<FastifyInstance, 'addHook' | 'server'>,
  clock: Clock,
  answerUnreadable: AnswerUnreadable,
): void {
  app.server.headersTimeout = slowestMs;
  app.server.on('checkContinue', (request, response) => app.server.emit('request', request, response));
  app.addHook('onRequest', async (request, reply) => {
    const { raw, headers, routeOptions } = request;
    const hasBody = headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
    if (!hasBody || routeOptions.config.isUpload) return;
    const arrived = new AbortController();
    const stop = () => arrived.abort();
    raw.once('end', stop).once('close', stop);
    reply.raw.once('finish', () => {
      stop();
      // A request that was refused without its body has its answer, and only the rest of the body is missing.
      if (!raw.complete) dropUnlessRead(raw, clock);
    });
    clock.sleep(slowestMs, arrived.signal).then(
      () => answerUnreadable(tooLate(), raw.socket),
      () => undefined,
    );
  });
  app.addHook('preParsing', async (request, reply) => {
    if (!request.routeOptions.config.isUpload) letSend(request, reply);
  });
}

/** Holds the socket alone while it waits: requests that were refused are many when someone floods the api. */
function dropUnlessRead(raw: IncomingMessage, clock: Clock): void {
  const { socket } = raw;
  // The console calls the api within the process: there is no connection to drop.
  if (!(socket instanceof Socket)) return;
  const read = new AbortController();
  raw.once('end', () => read.abort()).once('close', () => read.abort());
  clock.sleep(unreadMs, read.signal).then(
    () => socket.destroy(),
    () => undefined,
  );
}
