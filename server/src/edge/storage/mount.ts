import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type Transfer, type Transfers, transfersPath } from '../../domains/storage/index.ts';
import type { Clock } from '../../kernel/clock.ts';
import { Fault } from '../../kernel/fault.ts';
import { NotAsDeclared } from '../../kernel/files/declared-bytes.ts';
import type { Storage } from '../../ports/storage/port.ts';
import { callerAddress } from '../gate/caller-address.ts';
import type { RateLimit } from '../http/admission/rate-limit.ts';
import { letSend, lingerAfter } from '../http/body/upload.ts';
import { refuse } from '../http/failures.ts';
import { type Range, readRange } from './range.ts';
import type { TransferSeats } from './seats.ts';

export interface TransferParts {
  readonly storage: Pick<Storage, 'putPart' | 'read'>;
  readonly transfers: Pick<Transfers, 'open'>;
  readonly rateLimit: RateLimit;
  readonly clock: Clock;
  readonly seats: TransferSeats;
}

/**
 * Bytes of tenants' files, where callers do not reach the object store. The address is the right: what it allows is sealed into it,
 * for a short time. Bytes are streamed, so the process holds a few pieces of each. No file becomes a page of ours: answers are
 * downloads, in a sandbox, whatever their type.
 */
export async function mountTransfers(app: FastifyInstance, parts: TransferParts): Promise<void> {
  await app.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('*', (_request, _payload, done) => done(null));
    scope.route({
      method: 'GET',
      url: transfersPath,
      exposeHeadRoute: true,
      handler: (request, reply) => download(parts, request, reply),
    });
    scope.route({
      method: 'PUT',
      url: transfersPath,
      config: { isUpload: true },
      handler: (request, reply) => upload(parts, request, lingerAfter(request, reply, parts.clock)),
    });
  });
}

const gone = () =>
  new Fault('storage_object_not_found', 'This address works no more: ask for another one and go on with that.');

/** How long a caller without a seat waits. */
const retrySeconds = 2;

/** What the address allows; a stranger's guesses are counted by address, and what runs at the same time by project. */
async function admit(parts: TransferParts, request: FastifyRequest, reply: FastifyReply) {
  const { t: token } = request.query as { readonly t?: unknown };
  const allowed = typeof token === 'string' ? parts.transfers.open(token) : undefined;
  if (allowed) return seat(parts, allowed, request, reply);
  const counted = await parts.rateLimit('downloads', { address: callerAddress(request.ip) }, {});
  if (counted.allowed) {
    refuse(reply, request.id, gone());
    return undefined;
  }
  reply.header('retry-after', String(counted.resetSeconds));
  const words = `Too many downloads from this address: come back in ${counted.resetSeconds} s.`;
  refuse(reply, request.id, new Fault('rate_limit_exceeded', words, { lane: 'downloads', limit: counted.limit }));
  return undefined;
}

function seat(parts: TransferParts, allowed: Transfer, request: FastifyRequest, reply: FastifyReply) {
  const leave = parts.seats.take(allowed);
  if (leave) {
    reply.raw.once('close', leave);
    return allowed;
  }
  reply.header('retry-after', String(retrySeconds));
  const words = 'Too many transfers of this part or project are running: end some, or try again soon.';
  refuse(reply, request.id, new Fault('rate_limit_exceeded', words, { lane: 'transfers' }));
  return undefined;
}

async function download(parts: TransferParts, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const allowed = await admit(parts, request, reply);
  if (!allowed) return reply;
  if (allowed.kind !== 'read') return refuse(reply, request.id, gone());
  const { blob, shown } = allowed;
  const size = shown.sizeBytes;
  const range: Range = readRange(request.headers.range, size);
  reply.headers({
    'content-type': shown.contentType,
    'content-disposition': shown.contentDisposition,
    'content-security-policy': "sandbox; default-src 'none'; frame-ancestors 'none'",
    'accept-ranges': 'bytes',
  });
  if (range.kind === 'unsatisfiable') return reply.code(416).header('content-range', `bytes */${size}`).send();
  const { start, end } = range;
  if (range.kind === 'part') reply.code(206).header('content-range', `bytes ${start}-${end}/${size}`);
  reply.header('content-length', String(size === 0 ? 0 : end - start + 1));
  if (request.method === 'HEAD' || size === 0) return reply.send();
  const body = await parts.storage.read(blob, { start, end });
  return body ? reply.send(body) : refuse(reply, request.id, gone());
}

async function upload(parts: TransferParts, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const allowed = await admit(parts, request, reply);
  if (!allowed) return reply;
  if (allowed.kind !== 'part') return refuse(reply, request.id, gone());
  const length = request.headers['content-length'];
  if (length !== undefined && Number(length) !== allowed.part.sizeBytes) {
    return refuse(reply, request.id, new Fault('invalid_request', `This part has ${allowed.part.sizeBytes} bytes.`));
  }
  letSend(request, reply);
  try {
    const bytes = request.raw.iterator({ destroyOnReturn: false }) as AsyncIterable<Uint8Array>;
    await parts.storage.putPart(allowed.upload, allowed.part, bytes);
  } catch (error) {
    if (error instanceof NotAsDeclared) {
      return refuse(reply, request.id, new Fault('storage_checksum_mismatch', error.message));
    }
    // The upload was given up, and what had arrived of it was removed.
    if (error instanceof RangeError) return refuse(reply, request.id, gone());
    throw error;
  }
  return reply.code(204).send();
}
