import type { FastifyReply, FastifyRequest } from 'fastify';
import { Fault } from '../../kernel/fault.ts';
import type { Metrics } from '../../kernel/telemetry/metrics.ts';
import type { Page } from '../../ports/identity-provider/port.ts';
import { refuse } from '../http/failures.ts';
import { credentialOf, isOfPerson } from '../http/shown.ts';
import { callerAddress } from './caller-address.ts';
import type { Gate } from './gate.ts';
import type { IsTrustedProxy, UnlistedProxies } from './proxies.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Answered from memory without any I/O: passes the gate without being counted. */
    readonly isFree?: true;
    /** Has a limit per caller, so a known credential does not count against its address. */
    readonly countsCallers?: true;
  }
}
/** For routes that are answered from memory: files and liveness. */
export const free = { config: { isFree: true } } as const;

export interface PassParts {
  readonly gate: Gate;
  readonly proxies: Pick<UnlistedProxies, 'note'> & { readonly isTrusted: IsTrustedProxy };
  /** Reads the cookie that a browser is signed in with. */
  readonly sessionOf?: (cookie: string | undefined) => string | undefined;
  /** The page for a person whose address sends too many requests. */
  readonly crowded?: Page;
  readonly metrics: Metrics;
}

const forwarded = ['x-forwarded-for', 'forwarded', 'x-real-ip'] as const;

/** The gate as a hook: it comes before everything that reads, looks up or verifies. */
export function makePass(parts: PassParts) {
  const refusals = parts.metrics.counter(
    'gpuaas_gate_refusals_total',
    'Requests without a known credential that were refused because their address sent too many.',
    [],
  );
  return (request: FastifyRequest, reply: FastifyReply): FastifyReply | undefined => {
    const { remoteAddress = '' } = request.socket;
    if (forwarded.some((name) => request.headers[name] !== undefined) && !parts.proxies.isTrusted(remoteAddress)) {
      parts.proxies.note(remoteAddress);
    }
    const { isFree, countsCallers } = request.routeOptions.config;
    if (isFree) return undefined;
    // Sign-in pages have no limit per person, so a known credential does not exempt from the limit of the address.
    const credential = countsCallers ? credentialOf(request, parts.sessionOf) : undefined;
    const waitSeconds = parts.gate.admit(callerAddress(request.ip), credential);
    if (waitSeconds === undefined) return undefined;
    refusals.inc();
    dropBody(request, reply).header('retry-after', String(waitSeconds));
    if (parts.crowded && isOfPerson(request))
      return reply.code(429).headers(parts.crowded.headers).send(parts.crowded.html);
    return refuse(
      reply,
      request.id,
      new Fault('rate_limit_exceeded', `Too many requests from your address: come back in ${waitSeconds} s.`),
    );
  };
}

/** A longer body is not read only to keep a connection. */
const worthReadingBytes = 64 * 1_024;

/** A request refused before its body was read: close the connection if the body is large. */
export function dropBody(request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const { 'content-length': length, 'transfer-encoding': encoding } = request.headers;
  const isLarge = encoding !== undefined || Number(length ?? 0) > worthReadingBytes;
  return isLarge ? reply.header('connection', 'close') : reply;
}
