import type { ServerResponse } from 'node:http';
import { pipeline } from 'node:stream/promises';
import type { Log } from '../../kernel/telemetry/log.ts';
import { problemType } from '../http/problem.ts';
import type { NodeReply } from './replies.ts';

/** Writes the answer of a call over HTTP. */
export async function writeReply(
  response: ServerResponse,
  { status, text, retryAfterSeconds, stream }: NodeReply,
  { isStranger, log }: { readonly isStranger: boolean; readonly log: Log },
): Promise<void> {
  if (retryAfterSeconds !== undefined) response.setHeader('retry-after', String(retryAfterSeconds));
  // What is left of a body that was not read must not be taken for the next request.
  const isUnread = status >= 400 && !response.req.complete;
  // Without a certificate there is one answer for each connection: the seats are few.
  if (isUnread || isStranger) response.setHeader('connection', 'close');
  if (text !== undefined) {
    const type = status >= 400 ? problemType : 'application/json';
    response.writeHead(status, { 'content-type': type, 'content-length': Buffer.byteLength(text) }).end(text);
    return;
  }
  if (!stream) {
    response.writeHead(status).end();
    return;
  }
  // The raw bundle: the agent computes the digest. A broken connection tells it that the download failed.
  response.writeHead(status, { 'content-type': 'application/octet-stream', 'content-length': stream.size });
  await pipeline(stream.body, response).catch((error: unknown) => {
    log.warn({ err: error }, 'a release did not reach its node');
    response.destroy();
  });
}
