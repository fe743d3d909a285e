import { createLocalJWKSet, type JSONWebKeySet, errors as joseErrors } from 'jose';
import type { Clock } from '../../kernel/clock.ts';
import { Outage } from '../../kernel/fault.ts';
import type { Adapted } from '../adapter.ts';
import type { Endpoints, IdentityProvider } from './port.ts';
import { makeVerify } from './protocol/verify.ts';

/**
 * Any OIDC issuer, by its discovery document. Its keys are kept here and fetched anew every five minutes in the
 * background, so no request waits for the issuer, and an issuer that is away for hours is missed only by those who
 * want to sign in. A key id that we do not know is looked up at once, but not for every stranger who makes one up.
 */
export interface ExternalIssuerOptions {
  readonly issuerUrl: string;
  readonly audience: string;
  readonly secondFactorAcr?: string | undefined;
  readonly clock: Clock;
  readonly log?: { warn(details: object, message: string): void };
  /** How long keys are believed that could not be fetched anew. */
  readonly believeForMs?: number;
}

const refreshMs = 5 * 60_000;
/** While the issuer is away, it is asked more often. */
const retryMs = 30_000;
const lookAgainAfterMs = 10_000;
const answerWithinMs = 5_000;
const maxBytes = 1024 * 1024;

interface Known {
  readonly endpoints: Endpoints;
  readonly find: ReturnType<typeof createLocalJWKSet>;
  readonly fetchedAtMs: number;
}

/** The issuer answers, but is not what it was configured to be. Waiting does not help. */
export class WrongIssuer extends Error {
  override readonly name = 'WrongIssuer';
}

export async function openExternalIssuer(options: ExternalIssuerOptions): Promise<IdentityProvider & Adapted> {
  const { clock, log, audience, believeForMs = 24 * 60 * 60_000 } = options;
  const issuer = options.issuerUrl.replace(/\/\.well-known\/openid-configuration$/, '');
  assertPrivate(issuer, 'The issuer');
  const ending = new AbortController();
  let known: Known | undefined;
  let askedAtMs = Number.NEGATIVE_INFINITY;
  let asking: Promise<void> | undefined;

  const ask = (): Promise<void> => {
    askedAtMs = clock.now().getTime();
    asking ??= discover(issuer, clock, ending.signal)
      .then((found) => {
        known = found;
      })
      .finally(() => {
        asking = undefined;
      });
    return asking;
  };

  /** What we know, fetched now if it is missing, and refused when it is too old to be believed. */
  async function believed(): Promise<Known> {
    if (ending.signal.aborted) throw new Error('the identity provider is closed');
    const nowMs = clock.now().getTime();
    if (!known || nowMs - known.fetchedAtMs > believeForMs) {
      if (asking || nowMs - askedAtMs >= lookAgainAfterMs) await ask().catch(() => undefined);
    }
    if (known && nowMs - known.fetchedAtMs <= believeForMs) return known;
    throw new Outage(`The keys of ${issuer} cannot be fetched.`);
  }

  const keys: IdentityProvider['keys'] = async (header, token) => {
    try {
      return await (await believed()).find(header, token);
    } catch (error) {
      const isUnknown = error instanceof joseErrors.JWKSNoMatchingKey;
      if (!isUnknown || (!asking && clock.now().getTime() - askedAtMs < lookAgainAfterMs)) throw error;
      await ask().catch((cause: unknown) => log?.warn({ err: cause, issuer }, 'an unknown key could not be looked up'));
      return (await believed()).find(header, token);
    }
  };

  async function keepFresh(): Promise<void> {
    let isFresh = known !== undefined;
    while (!ending.signal.aborted) {
      await clock.sleep(isFresh ? refreshMs : retryMs, ending.signal).catch(() => undefined);
      if (ending.signal.aborted) return;
      isFresh = await ask().then(
        () => true,
        (error: unknown) => {
          if (!ending.signal.aborted) log?.warn({ err: error, issuer }, 'the keys of the issuer could not be fetched');
          return false;
        },
      );
    }
  }

  await ask().catch((error: unknown) => {
    if (error instanceof WrongIssuer) throw error;
    // An issuer that is away keeps us from being ready, not from starting.
    log?.warn({ err: error, issuer }, 'the issuer does not answer');
  });
  const fresh = keepFresh();

  return {
    adapter: { name: 'external', kind: 'production' },
    issuer,
    name: issuer,
    secondFactorAcr: options.secondFactorAcr,
    verify: makeVerify({ issuer, audience, keys, clock }),
    keys,
    endpoints: async () => (await believed()).endpoints,
    async check() {
      await believed();
    },
    async close() {
      ending.abort();
      await fresh;
      await asking?.catch(() => undefined);
    },
  };
}

async function discover(issuer: string, clock: Clock, signal: AbortSignal): Promise<Known> {
  const document = (await fetchJson(`${issuer}/.well-known/openid-configuration`, signal)) as Record<string, unknown>;
  if (document['issuer'] !== issuer) {
    throw new WrongIssuer(`The issuer at ${issuer} calls itself ${JSON.stringify(document['issuer'])}.`);
  }
  const at = (name: string): string | undefined => {
    const url = document[name];
    if (url === undefined) return undefined;
    if (typeof url !== 'string' || !URL.canParse(url)) throw new WrongIssuer(`${name} of ${issuer} is not an address.`);
    assertPrivate(url, `${name} of ${issuer}`);
    return url;
  };
  const must = (name: string): string => {
    const url = at(name);
    if (!url) throw new WrongIssuer(`The issuer at ${issuer} names no ${name}.`);
    return url;
  };
  const endpoints: Endpoints = {
    authorize: must('authorization_endpoint'),
    token: must('token_endpoint'),
    jwks: must('jwks_uri'),
    device: at('device_authorization_endpoint'),
    logout: at('end_session_endpoint'),
    revocation: at('revocation_endpoint'),
    introspection: at('introspection_endpoint'),
  };
  const { keys } = (await fetchJson(endpoints.jwks, signal)) as Partial<JSONWebKeySet>;
  if (!Array.isArray(keys) || keys.length === 0) throw new Error(`The issuer at ${issuer} shows no keys.`);
  // A key for other purposes, or a shared secret that was published by mistake, verifies nothing.
  const ours = keys.filter((key) => key.kty !== 'oct' && (key.use === undefined || key.use === 'sig'));
  return { endpoints, find: createLocalJWKSet({ keys: ours }), fetchedAtMs: clock.now().getTime() };
}

/** Keys that came over an open line could be anybody's; only this machine may be asked without encryption. */
function assertPrivate(address: string, what: string): void {
  const { protocol, hostname } = new URL(address);
  const isHere = hostname === 'localhost' || hostname === '[::1]' || hostname.startsWith('127.');
  if (protocol !== 'https:' && !(protocol === 'http:' && isHere)) {
    throw new WrongIssuer(`${what} must be an https address, or one on this machine.`);
  }
}

async function fetchJson(url: string, signal: AbortSignal): Promise<unknown> {
  const response = await fetch(url, {
    headers: { accept: 'application/json' },
    redirect: 'error',
    signal: AbortSignal.any([signal, AbortSignal.timeout(answerWithinMs)]),
  });
  if (!response.ok || !response.body) {
    await response.body?.cancel();
    throw new Error(`${url} answered ${response.status}`);
  }
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body) {
    bytes += chunk.byteLength;
    if (bytes > maxBytes) throw new Error(`${url} answered more than ${maxBytes} bytes`);
    chunks.push(chunk);
  }
  return JSON.parse(Buffer.concat(chunks).toString('utf8'));
}
