import { timingSafeEqual } from 'node:crypto';
import { scopes as apiScopes } from '@gpuaas/contract';
import { importJWK, SignJWT } from 'jose';
import type { Pool } from 'pg';
import type { Clock } from '../../kernel/clock.ts';
import type { Ids } from '../../kernel/id.ts';
import { keepKeyring, openKeyring } from '../../kernel/secrets/keyring.ts';
import type { Seal } from '../../kernel/secrets/seal.ts';
import { requireKeys } from '../../kernel/secrets/sealed-values.ts';
import type { Adapted } from '../adapter.ts';
import { makeAccounts } from './accounts/accounts.ts';
import { defaultCost, openPasswords, type PasswordCost } from './accounts/passwords.ts';
import { consoleSecretOf, makeClients, ownClients } from './clients.ts';
import { sweepChallenges } from './factors/challenges.ts';
import { makeFactors } from './factors/factors.ts';
import { type FactorTry, secondFactorAcr } from './factors/port.ts';
import { relyingPartyOf } from './factors/relying-party.ts';
import { sealedFactors } from './factors/sealed-factors.ts';
import { makeSecondSteps } from './factors/second-steps.ts';
import type { RotationPolicy } from './key-rotation.ts';
import { type EmbeddedIssuer, type IssuerPages, type Marks, ownIssuerName } from './port.ts';
import { giveAnswer, readQuestion } from './protocol/interactions.ts';
import { openProtocol } from './protocol/over-keys.ts';
import { defaultLifetimes, type Lifetimes } from './protocol/provider.ts';
import { makeVerify } from './protocol/verify.ts';
import { makeRecords, type Records } from './records.ts';
import type { FindRevocations } from './revoked-sign-ins.ts';
import { sealedIssuerValues } from './sealing/sealed-values.ts';
import type { SigningKeys } from './signing-keys.ts';
import { openTables } from './tables.ts';

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
export async function openEmbeddedIssuer(
  options: EmbeddedIssuerOptions,
  parts: EmbeddedIssuerParts,
): Promise<EmbeddedIssuer & Adapted> {
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
    const protocol = await openProtocol(
      {
        issuer,
        audience,
        scopes: options.scopes ?? Object.keys(apiScopes),
        seal,
        accounts,
        factors,
        adapter: (kind) =>
          kind === 'Client' ? { ...records.of(kind), find: clients.metadata as never } : records.of(kind),
        clients: ownClients(seal, issuerName, options.console ?? { redirectUris: [], postLogoutRedirectUris: [] }),
        pages,
        ttl,
        revocations: parts.revocations ?? nothingRevoked,
      },
      { pool, clock, ids, log, rotation: options.rotation ?? {}, signal: ending.signal },
    );
    const { keys } = protocol;

    tending = tend({ keys, records, pool, clock, log }, ending.signal);

    return {
      adapter: { name: 'embedded', kind: 'embedded' },
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
      endpoints: async () => endpointsOf(issuer),
      handle: protocol.handle,
      question: (request, response) => readQuestion(protocol.provider(), request, response),
      answer: (request, response, answer) => giveAnswer(protocol.provider(), request, response, answer),
      vouchFor: (accountId, ttlMs) => vouchFor({ issuer, audience, keys, clock, ids }, accountId, ttlMs),
      rotateKeys: () => keys.tend(true),
      async check() {
        protocol.provider();
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

const endpointsOf = (issuer: string) => ({
  authorize: `${issuer}/auth`,
  token: `${issuer}/token`,
  device: `${issuer}/device/auth`,
  logout: `${issuer}/session/end`,
  jwks: `${issuer}/jwks`,
  revocation: `${issuer}/token/revocation`,
  introspection: `${issuer}/token/introspection`,
});

/** A token of ours for an account that did not sign in. */
async function vouchFor(
  parts: Pick<EmbeddedIssuerParts, 'clock' | 'ids'> & {
    readonly issuer: string;
    readonly audience: string;
    readonly keys: SigningKeys;
  },
  accountId: string,
  ttlMs: number,
): Promise<string> {
  const [jwk] = parts.keys.current();
  if (!jwk) throw new Error('the identity provider has no key yet');
  const nowSeconds = Math.floor(parts.clock.now().getTime() / 1_000);
  const exp = nowSeconds + Math.floor(ttlMs / 1_000);
  return new SignJWT({ jti: parts.ids.next(), iat: nowSeconds, auth_time: nowSeconds, exp })
    .setProtectedHeader({ alg: 'ES256', typ: 'at+jwt', ...(jwk.kid && { kid: jwk.kid }) })
    .setIssuer(parts.issuer)
    .setAudience(parts.audience)
    .setSubject(accountId)
    .sign(await importJWK(jwk, 'ES256'));
}

/** Rotates keys and removes what is over, until the end. */
async function tend(
  parts: {
    readonly clock: Clock;
    readonly log: EmbeddedIssuerParts['log'] | undefined;
    readonly keys: SigningKeys;
    readonly records: Records;
    readonly pool: Pool;
  },
  signal: AbortSignal,
): Promise<void> {
  const { keys, records, pool, clock, log } = parts;
  while (!signal.aborted) {
    await clock.sleep(tendEveryMs, signal).catch(() => undefined);
    if (signal.aborted) return;
    try {
      await keys.tend();
      while ((await records.sweep(sweepAtOnce)) === sweepAtOnce && !signal.aborted);
      while ((await sweepChallenges(pool, clock.now(), sweepAtOnce)) === sweepAtOnce && !signal.aborted);
    } catch (error) {
      log?.warn({ err: error }, 'the keys and records of the issuer could not be tended');
    }
  }
}
