import { type Scope, serviceAccountToken, signingKeyList } from '@gpuaas/contract';
import { type Act, type Database, handlers, type Mounted } from '../../kernel/act.ts';
import type { Clock } from '../../kernel/clock.ts';
import { Fault } from '../../kernel/fault.ts';
import type { Ids } from '../../kernel/id.ts';
import { secondMs } from '../../kernel/units.ts';
import { proveAssertion } from './assertion.ts';
import { type GoodKey, useAssertion } from './keys-store.ts';
import type { Signer } from './signer.ts';

export interface TokenParts {
  readonly db: Database;
  readonly ids: Ids;
  readonly clock: Clock;
  readonly signer: Signer;
  readonly issuer: string;
  readonly audience: string;
  /** The addresses of the exchange: an assertion must be meant for one of them. */
  readonly endpoints: readonly string[];
  readonly tokenSeconds: (organizationId: string) => number;
  readonly findKey: (keyId: string, accountId: string) => Promise<GoodKey | undefined>;
}
const on = handlers<TokenParts>();

/** What was asked for, if the account has all of it; everything it has when nothing was asked for. */
function narrowed(
  held: readonly Scope[],
  wanted: string | undefined,
): readonly string[] | Fault<'insufficient_permissions'> {
  if (wanted === undefined) return held;
  const asked = [...new Set(wanted.split(' ').filter(Boolean))];
  const beyond = asked.filter((scope) => !(held as readonly string[]).includes(scope));
  return beyond.length === 0
    ? asked
    : new Fault('insufficient_permissions', 'The account does not have all of these scopes.', { beyond });
}

/** Exchanges an assertion for a token, and writes down that it did. An assertion works once. */
export async function exchangeAssertion(
  parts: TokenParts,
  act: Act,
  body: { readonly assertion: string; readonly scope?: string | undefined },
) {
  const now = parts.clock.now();
  const proven = await proveAssertion(body.assertion, { ...parts, now });
  if (proven instanceof Fault) return proven;
  const { account, keyId, assertionId, expiresAt } = proven;
  const scopes = narrowed(account.scopes, body.scope);
  if (scopes instanceof Fault) return scopes;
  const seconds = parts.tokenSeconds(account.organization_id);
  const nowSeconds = Math.floor(now.getTime() / secondMs);
  const tokenId = parts.ids.next();
  const scope = scopes.join(' ');
  const token = await parts.signer.sign({
    iss: parts.issuer,
    aud: parts.audience,
    sub: account.id,
    iat: nowSeconds,
    exp: nowSeconds + seconds,
    jti: tokenId,
    scope,
    principal_type: 'service_account',
    key_id: keyId,
  });
  return parts.db.write(act, async (tx) => {
    if (!(await useAssertion(tx, { accountId: account.id, assertionId, expiresAt, now }))) {
      return tx.abandon(new Fault('assertion_replayed', 'This assertion was used before: sign a new one.'));
    }
    return tx.commit(
      { access_token: token, token_type: 'Bearer' as const, expires_in: seconds, scope },
      {
        // The caller is unknown until the assertion is verified; the audit row goes to the account's organization.
        organizationId: account.organization_id,
        target: { type: 'service_account', id: account.id },
        change: { key_id: keyId, token_id: tokenId, scope },
        events: 'none',
      },
    );
  });
}
const exchange = on(serviceAccountToken, (parts, act, { body }) => exchangeAssertion(parts, act, body));

const keys = on(signingKeyList, async ({ signer }) => ({ keys: [...(await signer.shown())] }));

export const tokenRoutes = (parts: TokenParts): Mounted[] => [exchange, keys].map((bind) => bind(parts));
