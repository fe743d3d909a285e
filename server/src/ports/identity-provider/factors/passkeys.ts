import {
  type AuthenticationResponseJSON,
  generateAuthenticationOptions,
  generateRegistrationOptions,
  type RegistrationResponseJSON,
  verifyAuthenticationResponse,
  verifyRegistrationResponse,
} from '@simplewebauthn/server';
import type { Pool, PoolClient } from 'pg';
import type { Clock } from '../../../kernel/clock.ts';
import type { Ids } from '../../../kernel/id.ts';
import { challengeTtlMs, keepChallenge, takeChallenge } from './challenges.ts';
import type { Factors, FactorTry } from './port.ts';
import type { RelyingParty } from './relying-party.ts';
import { beginRow, confirmRow, confirmWithinMs, findBegun, type Locked, refuse } from './rows.ts';
import { countTry, forgetTries } from './tries.ts';

interface PasskeyRow {
  readonly factor_id: string;
  readonly credential_id: Buffer;
  readonly public_key: Buffer;
  readonly sign_count: string;
  readonly transports: string[];
}
const columns = 'factor_id, credential_id, public_key, sign_count, transports';

/** Ed25519, ES256 and RS256, as COSE numbers them: every authenticator has one of them. */
const algorithms = [-8, -7, -257];

/** What browsers and authenticators call their ways of talking. Others are left out: a browser refuses what it does not know. */
const knownTransports = new Set(['ble', 'cable', 'hybrid', 'internal', 'nfc', 'smart-card', 'usb']);
const descriptorOf = (row: PasskeyRow) => ({
  id: row.credential_id.toString('base64url'),
  transports: row.transports,
});

const passkeysOf = async (client: Pick<Pool, 'query'>, accountId: string): Promise<PasskeyRow[]> =>
  (
    await client.query<PasskeyRow>(
      `select ${columns} from gpuaas_oidc.passkey join gpuaas_oidc.factor on factor.id = factor_id
       where account_id = $1 and confirmed_at is not null order by factor_id`,
      [accountId],
    )
  ).rows;

/** What the library throws is about the answer of the browser, whatever it is: the answer is wrong. */
async function verified<T extends { readonly verified: boolean }>(check: () => Promise<T>): Promise<T | undefined> {
  try {
    const done = await check();
    return done.verified ? done : undefined;
  } catch {
    return undefined;
  }
}

const idOf = (response: unknown): string =>
  typeof response === 'object' && response !== null && 'id' in response && typeof response.id === 'string'
    ? response.id
    : '';

/**
 * Passkeys (WebAuthn) as second factors. The device verifies its person (by a PIN or a finger) each time. Each answer is
 * checked against our origin, our domain and a challenge that works once.
 */
export const makePasskeys = (parts: PasskeyParts) => ({ ...makeEnrolment(parts), ...makeProof(parts) });

interface PasskeyParts {
  readonly pool: Pool;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly locked: Locked;
  readonly relyingParty: RelyingParty | undefined;
  readonly tried: (by: FactorTry['by'], result: FactorTry['result']) => void;
}

async function countPasskeyTry({ clock, tried }: PasskeyParts, client: PoolClient, accountId: string) {
  const limited = await countTry(client, accountId, clock.now());
  if (limited) tried('passkey', 'limited');
  return limited;
}
const wrong = ({ tried }: PasskeyParts) => {
  tried('passkey', 'wrong');
  return refuse('passkey_wrong');
};

function makeEnrolment(parts: PasskeyParts): Pick<Factors, 'beginPasskey' | 'confirmPasskey'> {
  const { clock, ids, locked, relyingParty, tried } = parts;
  return {
    async beginPasskey(accountId, name) {
      if (!relyingParty) return refuse('passkeys_unavailable');
      return locked(accountId, async (client, { login, displayName }) => {
        const [id, now] = [ids.next(), clock.now()];
        const row = { id, accountId, kind: 'passkey', name, sealed: null, created_at: now } as const;
        if (!(await beginRow(client, row))) return refuse('too_many_factors');
        const challenge = await keepChallenge(client, ids.secret, { accountId, boundTo: id, now });
        const options = await generateRegistrationOptions({
          rpName: relyingParty.name,
          rpID: relyingParty.id,
          userName: login,
          userDisplayName: displayName,
          userID: new Uint8Array(Buffer.from(accountId.replaceAll('-', ''), 'hex')),
          challenge: new Uint8Array(challenge),
          timeout: challengeTtlMs,
          attestationType: 'none',
          supportedAlgorithmIDs: algorithms,
          excludeCredentials: (await passkeysOf(client, accountId)).map(descriptorOf),
          authenticatorSelection: { residentKey: 'preferred', userVerification: 'required' },
        });
        return { id, options, expiresAt: new Date(now.getTime() + Math.min(challengeTtlMs, confirmWithinMs)) };
      });
    },

    async confirmPasskey(accountId, id, response) {
      if (!relyingParty) return refuse('passkeys_unavailable');
      return locked(accountId, async (client) => {
        const limited = await countPasskeyTry(parts, client, accountId);
        if (limited) return limited;
        const now = clock.now();
        if (!(await findBegun(client, { id, accountId, kind: 'passkey', now }))) return refuse('not_found');
        const expectedChallenge = await takeChallenge(client, { accountId, boundTo: id, now });
        if (!expectedChallenge) return wrong(parts);
        const done = await verified(() =>
          verifyRegistrationResponse({
            response: response as RegistrationResponseJSON,
            expectedChallenge,
            expectedOrigin: relyingParty.origin,
            expectedRPID: relyingParty.id,
            requireUserVerification: true,
            supportedAlgorithmIDs: algorithms,
          }),
        );
        if (!done?.registrationInfo) return wrong(parts);
        const { credential } = done.registrationInfo;
        const { rowCount } = await client.query(
          `insert into gpuaas_oidc.passkey (${columns}) values ($1, $2, $3, $4, $5) on conflict do nothing`,
          [
            id,
            Buffer.from(credential.id, 'base64url'),
            Buffer.from(credential.publicKey),
            credential.counter,
            (credential.transports ?? []).filter((each) => knownTransports.has(each)),
          ],
        );
        // The device chooses the id of a passkey. One that exists already is refused, for any account.
        if (rowCount !== 1) return wrong(parts);
        tried('passkey', 'right');
        await forgetTries(client, accountId);
        return confirmRow(client, ids, accountId, id, now);
      });
    },
  };
}

function makeProof(parts: PasskeyParts): Pick<Factors, 'waysToProve' | 'provePasskey'> {
  const { pool, clock, ids, locked, relyingParty, tried } = parts;
  return {
    async waysToProve(accountId, questionId) {
      const { rows } = await pool.query<{ kind: string }>(
        'select distinct kind from gpuaas_oidc.factor where account_id = $1 and confirmed_at is not null',
        [accountId],
      );
      const has = (kind: string) => rows.some((row) => row.kind === kind);
      if (!relyingParty || !has('passkey')) return { app: has('totp'), passkey: undefined };
      const place = { accountId, boundTo: questionId, now: clock.now() };
      const challenge = await keepChallenge(pool, ids.secret, place);
      const passkey = await generateAuthenticationOptions({
        rpID: relyingParty.id,
        challenge: new Uint8Array(challenge),
        timeout: challengeTtlMs,
        userVerification: 'required',
        allowCredentials: (await passkeysOf(pool, accountId)).map(descriptorOf),
      });
      return { app: has('totp'), passkey };
    },

    async provePasskey(accountId, questionId, response) {
      if (!relyingParty) return refuse('passkeys_unavailable');
      return locked(accountId, async (client) => {
        const limited = await countPasskeyTry(parts, client, accountId);
        if (limited) return limited;
        const now = clock.now();
        const expectedChallenge = await takeChallenge(client, { accountId, boundTo: questionId, now });
        const used = idOf(response);
        const row = (await passkeysOf(client, accountId)).find((each) => descriptorOf(each).id === used);
        if (!expectedChallenge || !row) return wrong(parts);
        const done = await verified(() =>
          verifyAuthenticationResponse({
            response: response as AuthenticationResponseJSON,
            expectedChallenge,
            expectedOrigin: relyingParty.origin,
            expectedRPID: relyingParty.id,
            requireUserVerification: true,
            // The count is compared below, once the signature is known to be right: only then does it show a copy.
            credential: { ...descriptorOf(row), publicKey: new Uint8Array(row.public_key), counter: 0 },
          }),
        );
        if (!done) return wrong(parts);
        const { newCounter, credentialDeviceType } = done.authenticationInfo;
        if (isCopy(Number(row.sign_count), newCounter)) {
          tried('passkey', 'cloned');
          return refuse('passkey_wrong');
        }
        await client.query('update gpuaas_oidc.passkey set sign_count = $2 where factor_id = $1', [
          row.factor_id,
          newCounter,
        ]);
        await client.query('update gpuaas_oidc.factor set last_used_at = $2 where id = $1', [row.factor_id, now]);
        tried('passkey', 'right');
        await forgetTries(client, accountId);
        // A passkey that is kept on one device is hardware; one that its person's devices share is software.
        return { by: 'passkey', methods: [credentialDeviceType === 'singleDevice' ? 'hwk' : 'swk', 'pop'] };
      });
    },
  };
}

/**
 * A device that counts its signatures counts upwards. A count that was seen before comes from a copy of the key, or the
 * device itself was used after its copy. Devices that do not count say 0 each time.
 */
const isCopy = (known: number, said: number): boolean => (known > 0 || said > 0) && said <= known;
