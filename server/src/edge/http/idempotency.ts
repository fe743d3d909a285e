import { hash } from 'node:crypto';
import { isWrite, type Route } from '@gpuaas/contract';
import type { FastifyRequest } from 'fastify';
import { Fault } from '../../kernel/fault.ts';
import { header } from './shown.ts';

const maxKeyLength = 128;
const printable = /^[\x21-\x7e]+$/;

/** The caller's key, its alias, or a refusal. Undefined where the route needs none. */
export function readKey(
  route: Route,
  headers: Readonly<Record<string, string | string[] | undefined>>,
): string | undefined | Fault<'idempotency_key_missing' | 'idempotency_key_invalid'> {
  if (!isWrite(route) || route.idempotency !== 'key') return undefined;
  const canonical = headers['idempotency-key'];
  const alias = headers['x-idempotency-key'];
  if (canonical !== undefined && alias !== undefined && canonical !== alias) {
    return new Fault('idempotency_key_invalid', 'Idempotency-Key and X-Idempotency-Key disagree: send one of them.');
  }
  const key = canonical ?? alias;
  if (key === undefined) {
    return new Fault(
      'idempotency_key_missing',
      'Send an Idempotency-Key (a UUID will do), and the same one when you repeat this request.',
    );
  }
  if (typeof key !== 'string' || key.length > maxKeyLength || !printable.test(key)) {
    return new Fault(
      'idempotency_key_invalid',
      `An Idempotency-Key has 1 to ${maxKeyLength} visible ASCII characters.`,
    );
  }
  return key;
}

/** The fingerprint of a request: route, tenant and content. */
export const fingerprint = (url: string, projectHeader: string | undefined, body: unknown): string =>
  hash('sha256', `${url}\n${projectHeader ?? ''}\n${body === undefined ? '' : JSON.stringify(body)}`, 'base64');

export const fingerprintOf = (request: FastifyRequest): string =>
  fingerprint(request.url, header(request, 'x-project-id'), request.body);

/** A secret is sent once and not stored: a replay says that it was shown. */
export const shownMark = '[shown once]';
export function withoutSecrets(value: unknown, fields: readonly string[] | undefined): unknown {
  if (!fields || typeof value !== 'object' || value === null) return value;
  return {
    ...value,
    ...Object.fromEntries(fields.filter((field) => field in value).map((field) => [field, shownMark])),
  };
}
