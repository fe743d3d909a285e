import { type Route, uploadOf } from '@gpuaas/contract';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Clock } from '../../../kernel/clock.ts';
import { Fault } from '../../../kernel/fault.ts';
import { header } from '../shown.ts';

/** How long the rest of a refused file is read and dropped, so that its sender sees the answer and not a broken connection. */
const lingerMs = 2_000;

/** What an upload may not be, known from its headers: no byte of it has been read. */
export function refuseUpload(route: Route, request: FastifyRequest, query: unknown): Fault | undefined {
  const upload = uploadOf(route);
  if (!upload) return undefined;
  const type = header(request, 'content-type')?.split(';')[0]?.trim().toLowerCase();
  if (type !== 'application/octet-stream') {
    return new Fault('unsupported_media_type', 'Send the file as application/octet-stream.');
  }
  const length = header(request, 'content-length');
  if (length === undefined) return undefined;
  if (Number(length) > upload.largestBytes) {
    return new Fault('payload_too_large', `This file may have at most ${upload.largestBytes} bytes.`);
  }
  const { size_bytes: declared } = query as { readonly size_bytes?: number };
  if (Number(length) === declared) return undefined;
  const message = `Content-Length is ${length}, size_bytes is ${declared}: they must be the same.`;
  return new Fault('validation_error', message, {
    fields: [{ in: 'query', field: 'size_bytes', message: 'differs from Content-Length' }],
  });
}

/** Tells a sender that waits for leave (`Expect: 100-continue`) to send the body. */
export function letSend(request: FastifyRequest, reply: FastifyReply): void {
  if (header(request, 'expect')?.toLowerCase() === '100-continue') reply.raw.writeContinue();
}

/** The bytes of an upload, a piece at a time, as the handler asks for them. */
export async function* readUpload(request: FastifyRequest, reply: FastifyReply): AsyncGenerator<Uint8Array> {
  letSend(request, reply);
  // A handler that stops reading must not break the connection: its refusal still has to be sent.
  yield* request.raw.iterator({ destroyOnReturn: false }) as AsyncIterable<Uint8Array>;
}

/** After the answer to an upload that was not read to its end: the rest is dropped, and the connection is closed soon. */
export function lingerAfter(request: FastifyRequest, reply: FastifyReply, clock: Clock): FastifyReply {
  const { raw } = request;
  reply.raw.once('finish', () => {
    if (raw.complete || raw.readableEnded || raw.destroyed) return;
    const ended = new AbortController();
    raw.once('close', () => ended.abort());
    clock.sleep(lingerMs, ended.signal).then(
      () => raw.destroy(),
      () => undefined,
    );
    raw.resume();
  });
  return reply;
}
