import { decodeJwt, decodeProtectedHeader, importJWK, jwtVerify } from 'jose';
import { Fault } from '../../kernel/fault.ts';
import { secondMs } from '../../kernel/units.ts';
import { assertionMaxMs } from './facts.ts';
import { algorithmOf } from './keys-routes.ts';
import type { GoodKey } from './keys-store.ts';

/** What a service account says of itself, once it is proven. */
export interface Proven {
  readonly account: GoodKey;
  readonly keyId: string;
  readonly assertionId: string;
  readonly expiresAt: Date;
}

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const printable = /^[\x21-\x7e]{1,128}$/;

/** One sentence for every reason: who guesses learns nothing. */
const invalid = () =>
  new Fault(
    'assertion_invalid',
    'The assertion is not accepted. It needs kid, iss and sub (the account), aud (this endpoint), exp within five minutes and a new jti, signed with a live key of the account.',
  );

/**
 * Holds an assertion (RFC 7523) against the key that it names. The algorithm is the key's, never the header's choice;
 * the key must belong to the account that the assertion speaks for, and both must be good now.
 */
export async function proveAssertion(
  assertion: string,
  parts: {
    readonly endpoints: readonly string[];
    readonly now: Date;
    readonly findKey: (keyId: string, accountId: string) => Promise<GoodKey | undefined>;
  },
): Promise<Proven | Fault<'assertion_invalid'>> {
  const claimed = claims(assertion);
  if (!claimed) return invalid();
  const account = await parts.findKey(claimed.keyId, claimed.accountId);
  if (!account) return invalid();
  try {
    const algorithm = algorithmOf(account.public_key);
    const { payload } = await jwtVerify(assertion, await importJWK(account.public_key, algorithm), {
      issuer: account.id,
      subject: account.id,
      audience: [...parts.endpoints],
      algorithms: algorithm === 'EdDSA' ? ['EdDSA', 'Ed25519'] : [algorithm],
      currentDate: parts.now,
      requiredClaims: ['exp', 'jti', 'aud'],
    });
    const { jti, exp = 0 } = payload;
    const expiresAt = new Date(exp * secondMs);
    const isShort = expiresAt.getTime() - parts.now.getTime() <= assertionMaxMs;
    if (typeof jti !== 'string' || !printable.test(jti) || !isShort) return invalid();
    return { account, keyId: claimed.keyId, assertionId: jti, expiresAt };
  } catch {
    return invalid();
  }
}

function claims(assertion: string): { readonly keyId: string; readonly accountId: string } | undefined {
  try {
    const { kid } = decodeProtectedHeader(assertion);
    const { iss } = decodeJwt(assertion);
    return kid && iss && uuid.test(kid) && uuid.test(iss) ? { keyId: kid, accountId: iss } : undefined;
  } catch {
    return undefined;
  }
}
