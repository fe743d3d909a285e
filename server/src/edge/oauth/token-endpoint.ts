import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Act } from '../../kernel/act.ts';
import { Fault } from '../../kernel/fault.ts';
import { callerAddress } from '../gate/caller-address.ts';
import type { RateLimit } from '../http/admission/rate-limit.ts';
import { isOutage } from '../http/failures.ts';

/**
 * The token endpoint of service accounts as OAuth libraries know it (RFC 6749, RFC 7523): a form goes in, and a token or one
 * of the error codes of OAuth comes out. It needs no idempotency key, because an assertion works once.
 */
export const tokenPath = '/oauth/token';
const jwtBearer = 'urn:ietf:params:oauth:grant-type:jwt-bearer';
const maxFormBytes = 16 * 1024;
const maxLength = { assertion: 4_096, scope: 2_000 };

export interface IssuedToken {
  readonly access_token: string;
  readonly token_type: 'Bearer';
  readonly expires_in: number;
  readonly scope: string;
}
export type ExchangeFault = Fault<'assertion_invalid' | 'assertion_replayed' | 'insufficient_permissions'>;

export interface TokenEndpointParts {
  readonly exchange: (
    act: Act,
    wanted: { readonly assertion: string; readonly scope: string | undefined },
  ) => Promise<IssuedToken | ExchangeFault>;
  /** The act of a request that nobody has proved anything for yet. */
  readonly begin: (from: {
    readonly correlationId: string;
    readonly address: string;
    readonly userAgent: string | undefined;
  }) => Act;
  readonly rateLimit: RateLimit;
  readonly log: { error(details: object, message: string): void };
}

type OAuthError =
  | 'invalid_request'
  | 'invalid_grant'
  | 'invalid_scope'
  | 'unsupported_grant_type'
  | 'temporarily_unavailable'
  | 'server_error';

const errorOf: Readonly<Record<ExchangeFault['code'], OAuthError>> = {
  assertion_invalid: 'invalid_grant',
  assertion_replayed: 'invalid_grant',
  insufficient_permissions: 'invalid_scope',
};

const refuse = (reply: FastifyReply, status: number, error: OAuthError, description: string) =>
  reply.code(status).send({ error, error_description: description });

export async function mountTokenEndpoint(app: FastifyInstance, parts: TokenEndpointParts): Promise<void> {
  await app.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser(
      'application/x-www-form-urlencoded',
      { parseAs: 'string', bodyLimit: maxFormBytes },
      (_request, body, done) => done(null, new URLSearchParams(String(body))),
    );
    scope.setErrorHandler(async (error: Error & { readonly statusCode?: number }, request, reply) => {
      if (error.statusCode !== undefined && error.statusCode < 500) {
        return refuse(reply, 400, 'invalid_request', 'Send a form: application/x-www-form-urlencoded, 16 KiB at most.');
      }
      parts.log.error({ err: error, correlation_id: request.id }, 'the token endpoint failed');
      if (isOutage(error)) {
        reply.header('retry-after', '5');
        return refuse(
          reply,
          503,
          'temporarily_unavailable',
          'The database is unavailable. Try again in a few seconds.',
        );
      }
      return refuse(reply, 500, 'server_error', `Something went wrong on our side. Its id is ${request.id}.`);
    });
    scope.post(tokenPath, (request, reply) => answer(parts, request, reply));
  });
}

async function answer(parts: TokenEndpointParts, request: FastifyRequest, reply: FastifyReply) {
  reply.header('pragma', 'no-cache');
  const address = callerAddress(request.ip);
  const { allowed, resetSeconds } = await parts.rateLimit('credentials', { address }, {});
  if (!allowed) {
    reply.header('retry-after', String(resetSeconds));
    const words = `Too many requests from this address. Try again in ${resetSeconds} s.`;
    return refuse(reply, 429, 'temporarily_unavailable', words);
  }
  const form = readForm(request.body);
  if (typeof form === 'string') return refuse(reply, 400, 'invalid_request', form);
  if (form.grantType !== jwtBearer) {
    return refuse(reply, 400, 'unsupported_grant_type', `The only grant type here is ${jwtBearer}.`);
  }
  const act = parts.begin({
    correlationId: request.id,
    address: request.ip,
    userAgent: request.headers['user-agent'],
  });
  const done = await parts.exchange(act, form);
  if (done instanceof Fault) return refuse(reply, 400, errorOf[done.code], done.message);
  return reply.code(200).send(done);
}

/** The fields of the form, or what is wrong with it. */
function readForm(body: unknown) {
  if (!(body instanceof URLSearchParams)) return 'Send a form: application/x-www-form-urlencoded.';
  const twice = [...new Set(body.keys())].find((name) => body.getAll(name).length > 1);
  if (twice !== undefined) return 'A parameter is there twice. Send each one once.';
  const grantType = body.get('grant_type');
  const assertion = body.get('assertion') ?? '';
  const scope = body.get('scope') ?? undefined;
  if (!grantType) return 'grant_type is missing.';
  if (grantType === jwtBearer && !assertion) return 'assertion is missing.';
  if (assertion.length > maxLength.assertion || (scope?.length ?? 0) > maxLength.scope)
    return 'A parameter is too long.';
  return { grantType, assertion, scope };
}
