import { timingSafeEqual } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { scopes as apiScopes } from '@gpuaas/contract';
import { importJWK, SignJWT } from 'jose';
import { errors, type Interaction, type Provider } from 'oidc-provider';
import type { Clock } from '../../kernel/clock.ts';
import type { Ids } from '../../kernel/id.ts';
import { keepKeyring, openKeyring } from '../../kernel/secrets/keyring.ts';
import type { Seal } from '../../kernel/secrets/seal.ts';
import { requireKeys } from '../../kernel/secrets/sealed-values.ts';
import { makeAccounts } from './accounts.ts';
import { consoleSecretOf, makeClients, ownClients } from './clients.ts';
import { sweepChallenges } from './factors/challenges.ts';
import { makeFactors } from './factors/factors.ts';
import { type FactorTry, secondFactorAcr } from './factors/port.ts';
import { relyingPartyOf } from './factors/relying-party.ts';
import { sealedFactors } from './factors/sealed-factors.ts';
import { makeSecondSteps } from './factors/second-steps.ts';
import type { RotationPolicy } from './key-rotation.ts';
import { defaultCost, openPasswords, type PasswordCost } from './passwords.ts';
import {
  type Answer,
  type EmbeddedIssuer,
  type IssuerPages,
  type Marks,
  ownIssuerName,
  type Question,
  type SeeOther,
} from './port.ts';
import { asksForSecondFactor, defaultLifetimes, type Lifetimes, makeProvider } from './provider.ts';
import { makeRecords } from './records.ts';
import type { FindRevocations } from './revoked-sign-ins.ts';
import { sealedIssuerValues } from './sealing/sealed-values.ts';
import { openSigningKeys } from './signing-keys.ts';
import { openTables } from './tables.ts';
import { makeVerify } from './verify.ts';

/**
 * The identity provider of an installation that has no other: accounts, sessions and keys in a schema of its own, the
 * protocol by `oidc-provider`, reached through the mount of edge/oidc. Any number of processes may open it over one
 * database with one sealing key. The library lives by the wall clock, so the clock that is handed in must be it.
 */
export interface EmbeddedIssuerOptions {
  /** PostgreSQL, as a role that may make a schema. */
  readonly url: string;
  /** What browsers call us; the issuer is `/oidc` below it. */
  readonly publicUrl: string;
  /** What the installation is called; its console and command line are introduced by it. */
  readonly name?: string;
  readonly audience: string;
  /** 32 bytes in base64, or the file that keeps them and is made when it is missing. */
  readonly sealingKey: { readonly text: string } | { readonly file: string };
  /** Keys of the keyring that are given up: see kernel/secrets/sealed-values.ts. */
  readonly lostKeys?: readonly string[];
  readonly console?: { readonly redirectUris: readonly string[]; readonly postLogoutRedirectUris: readonly string[] };
  readonly scopes?: readonly string[];
  readonly ttl?: Partial<Lifetimes>;
  readonly rotation?: Partial<Pick<RotationPolicy, 'rotateEveryMs' | 'publishAheadMs'>>;
  readonly passwordCost?: PasswordCost;
}
export interface EmbeddedIssuerParts {
  readonly clock: Clock;
  readonly ids: Ids;
  readonly pages: IssuerPages;
  readonly log?: { warn(details: object, message: string): void };
  /** What the installation revoked; left out where no sign-in is renewed. */
  readonly revocations?: FindRevocations;
  /** Hears of each try of a second factor. */
  readonly onFactorTry?: ((attempt: FactorTry) => void) | undefined;
}
const nothingRevoked: FindRevocations = async () => ({ floor: undefined, sessionRevokedAt: undefined });

export const tendEveryMs = 60_000;
const sweepAtOnce = 1_000;
/** Processes notice a rotation with their next round; until then they sign with the key that was retired. */
const lateSigningMs = 10 * 60_000;

export async function openEmbeddedIssuer(
  options: EmbeddedIssuerOptions,
  parts: EmbeddedIssuerParts,
): Promise<EmbeddedIssuer> {
  const { clock, ids, log, pages } = parts;
  const { audience } = options;
  const issuer = `${options.publicUrl.replace(/\/+$/, '')}/oidc`;
  const ttl: Lifetimes = { ...defaultLifetimes, ...options.ttl };
  const { sealingKey } = options;
  const keyring = openKeyring(
    'text' in sealingKey ? sealingKey.text : await keepKeyring(sealingKey.file),
    'text' in sealingKey ? 'The configured value' : sealingKey.file,
  );
  const seal = keyring.seal('issuer');
  const issuerName = options.name ?? 'GPUaaS';
  const pool = await openTables(options.url, log);
  const ending = new AbortController();
  let tending: Promise<void> = Promise.resolve();
  const close = async () => {
    if (ending.signal.aborted) return;
    ending.abort();
    await tending;
    await pool.end();
  };

  try {
    const factorSeal = keyring.seal('factors');
    const sealed = [...sealedIssuerValues({ pool, seal }), sealedFactors({ pool, seal: factorSeal })];
    await requireKeys(sealed, options.lostKeys);
    const records = makeRecords({ pool, seal, clock });
    const passwords = await openPasswords(options.passwordCost ?? defaultCost, ids.secret(16));
    const linkTo = (token: string) => `${issuer}/password?token=${token}`;
    const accounts = makeAccounts({ pool, records, passwords, seal, clock, ids, linkTo });
    const clients = makeClients({ pool, clock, ids });
    const factors = makeFactors({
      ...{ pool, clock, ids, issuerName },
      relyingParty: relyingPartyOf(options.publicUrl, issuerName),
      seal: factorSeal,
      endSignIns: records.endAccount,
      onTry: parts.onFactorTry,
    });
    const own = ownClients(seal, issuerName, options.console ?? { redirectUris: [], postLogoutRedirectUris: [] });
    const afterForms = new WeakMap<IncomingMessage, SeeOther>();
    let provider: Provider | undefined;
    let respond: ReturnType<Provider['callback']> | undefined;
    const keys = await openSigningKeys({
      pool,
      seal,
      clock,
      makeId: ids.next,
      policy: {
        rotateEveryMs: 30 * 24 * 60 * 60_000,
        publishAheadMs: 60 * 60_000,
        keepRetiredMs: ttl.accessTokenMs + lateSigningMs,
        ...options.rotation,
      },
      onChange(current) {
        provider = makeProvider({
          issuer,
          audience,
          scopes: options.scopes ?? Object.keys(apiScopes),
          keys: current,
          seal,
          accounts,
          factors,
          adapter: (kind) =>
            kind === 'Client' ? { ...records.of(kind), find: clients.metadata as never } : records.of(kind),
          clients: own,
          pages,
          afterForm: (request) => afterForms.get(request),
          ttl,
          revocations: parts.revocations ?? nothingRevoked,
        });
        respond = provider.callback();
        provider.on('server_error', (_, error) => log?.warn({ err: error }, 'the issuer could not answer a request'));
      },
    });
    const theProvider = (): Provider => {
      if (!provider || ending.signal.aborted) throw new Error('the identity provider is closed');
      return provider;
    };

    async function tend(): Promise<void> {
      while (!ending.signal.aborted) {
        await clock.sleep(tendEveryMs, ending.signal).catch(() => undefined);
        if (ending.signal.aborted) return;
        try {
          await keys.tend();
          while ((await records.sweep(sweepAtOnce)) === sweepAtOnce && !ending.signal.aborted);
          while ((await sweepChallenges(pool, clock.now(), sweepAtOnce)) === sweepAtOnce && !ending.signal.aborted);
        } catch (error) {
          log?.warn({ err: error }, 'the keys and records of the issuer could not be tended');
        }
      }
    }
    tending = tend();

    return {
      issuer,
      name: ownIssuerName,
      secondFactorAcr,
      accounts,
      clients,
      factors,
      secondSteps: makeSecondSteps({ records, clock }),
      consoleSecret: consoleSecretOf(seal),
      marks: makeMarks(seal),
      sealed,
      keys: keys.find,
      verify: makeVerify({ issuer, audience, keys: keys.find, clock }),
      endpoints: async () => ({
        authorize: `${issuer}/auth`,
        token: `${issuer}/token`,
        device: `${issuer}/device/auth`,
        logout: `${issuer}/session/end`,
        jwks: `${issuer}/jwks`,
        revocation: `${issuer}/token/revocation`,
        introspection: `${issuer}/token/introspection`,
      }),
      async handle(request, response, afterForm) {
        theProvider();
        if (afterForm) afterForms.set(request, afterForm);
        await respond?.(request, response);
      },
      question: (request, response) => readQuestion(theProvider(), request, response),
      answer: (request, response, answer) => giveAnswer(theProvider(), request, response, answer),
      async vouchFor(accountId, ttlMs) {
        const [jwk] = keys.current();
        if (!jwk) throw new Error('the identity provider has no key yet');
        const nowSeconds = Math.floor(clock.now().getTime() / 1_000);
        const exp = nowSeconds + Math.floor(ttlMs / 1_000);
        return new SignJWT({ jti: ids.next(), iat: nowSeconds, auth_time: nowSeconds, exp })
          .setProtectedHeader({ alg: 'ES256', typ: 'at+jwt', ...(jwk.kid && { kid: jwk.kid }) })
          .setIssuer(issuer)
          .setAudience(audience)
          .setSubject(accountId)
          .sign(await importJWK(jwk, 'ES256'));
      },
      rotateKeys: () => keys.tend(true),
      async check() {
        theProvider();
        await pool.query('select 1 from gpuaas_oidc.signing_key limit 1');
      },
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Signatures of a key that was replaced count for as long as it is on the keyring. */
const makeMarks = (seal: Seal): Marks => ({
  sign: (text) => seal.digest('mark', text).toString('base64url'),
  isOurs(text, signature) {
    const given = Buffer.from(signature, 'base64url');
    return seal.digests('mark', text).some((each) => each.length === given.length && timingSafeEqual(each, given));
  },
});

async function findInteraction(
  provider: Provider,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<Interaction | undefined> {
  try {
    return await provider.interactionDetails(request, response);
  } catch (error) {
    if (error instanceof errors.SessionNotFound) return undefined;
    throw error;
  }
}

async function readQuestion(
  provider: Provider,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<Question | undefined> {
  const interaction = await findInteraction(provider, request, response);
  const kind = interaction?.prompt.name;
  if (!interaction || (kind !== 'login' && kind !== 'consent')) return undefined;
  const { params } = interaction;
  const text = (name: string) => (typeof params[name] === 'string' ? params[name] : undefined);
  const client = await provider.Client.find(text('client_id') ?? '');
  return {
    id: interaction.uid,
    kind,
    clientName: client?.clientName ?? client?.clientId ?? 'An unknown program',
    redirectUri: interaction.deviceCode ? undefined : text('redirect_uri'),
    loginHint: text('login_hint'),
    accountId: interaction.session?.accountId,
    scopes: (text('scope') ?? '').split(' ').filter((scope) => scope.includes(':')),
    wantsSecondFactor: asksForSecondFactor(params),
  };
}

async function giveAnswer(
  provider: Provider,
  request: IncomingMessage,
  response: ServerResponse,
  answer: Answer,
): Promise<void> {
  if ('login' in answer) {
    const { login: accountId, methods, checkedAt } = answer;
    const login = {
      // Without a moment the library takes that of the last redirect, which a browser may put off for half an hour.
      ...{ accountId, remember: true, ts: Math.floor(checkedAt.getTime() / 1_000) },
      ...(methods.length > 0 ? { amr: ['pwd', ...methods, 'mfa'], acr: secondFactorAcr } : { amr: ['pwd'] }),
    };
    return provider.interactionFinished(request, response, { login }, { mergeWithLastSubmission: false });
  }
  if ('refuse' in answer) {
    const refusal = { error: 'access_denied', error_description: 'The person refused.' };
    return provider.interactionFinished(request, response, refusal, { mergeWithLastSubmission: false });
  }
  const { prompt, params, session } = await provider.interactionDetails(request, response);
  if (prompt.name !== 'consent' || !session?.accountId) throw new Error('this browser was not asked to consent');
  const grant = new provider.Grant({ accountId: session.accountId, clientId: String(params['client_id']) });
  const { missingOIDCScope, missingOIDCClaims, missingResourceScopes } = prompt.details as {
    missingOIDCScope?: string[];
    missingOIDCClaims?: string[];
    missingResourceScopes?: Record<string, string[]>;
  };
  if (missingOIDCScope) grant.addOIDCScope(missingOIDCScope.join(' '));
  if (missingOIDCClaims) grant.addOIDCClaims(missingOIDCClaims);
  for (const [resource, scopes] of Object.entries(missingResourceScopes ?? {})) {
    grant.addResourceScope(resource, scopes.join(' '));
  }
  const consent = { grantId: await grant.save() };
  await provider.interactionFinished(request, response, { consent }, { mergeWithLastSubmission: true });
}
