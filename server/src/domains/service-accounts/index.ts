import { type ErrorCode, type Output, type Scope, serviceAccountToken } from '@gpuaas/contract';
import type { JWTVerifyGetKey } from 'jose';
import { makeFresh } from '../../kernel/access/fresh.ts';
import {
  type Act,
  type BeginAct,
  type Database,
  type Mounted,
  type ReadTx,
  systemViewer,
  type Viewer,
} from '../../kernel/act.ts';
import type { Clock } from '../../kernel/clock.ts';
import { Fault } from '../../kernel/fault.ts';
import type { Ids } from '../../kernel/id.ts';
import { accountRoutes } from './accounts-routes.ts';
import { update } from './changes-routes.ts';
import { freshMs, maxKnown } from './facts.ts';
import { keyRoutes } from './keys-routes.ts';
import { findGood, type GoodKey } from './keys-store.ts';
import { makeSigner, type Seal } from './signer.ts';
import { findOwner } from './store.ts';
import { exchangeAssertion, tokenRoutes } from './tokens-routes.ts';

/** Service accounts: the identities of machines, and the tokens they get. */
export interface ServiceAccounts {
  readonly routes: readonly Mounted[];
  /** Whom we sign tokens as, and the keys to check them with. */
  readonly issuer: string;
  readonly find: JWTVerifyGetKey;
  /** The account behind a token, while it and the key that asked for the token are good. */
  recognise(accountId: string, keyId: string): Promise<KnownMachine | Fault<'token_invalid'>>;
  readonly owner: {
    readonly absent: ErrorCode;
    find(id: string): Promise<{ readonly organizationId: string; readonly projectId: string | undefined } | undefined>;
  };
  /** Exchanges an assertion for a token, by whatever way it came in. */
  exchange(
    act: Act,
    wanted: { readonly assertion: string; readonly scope: string | undefined },
  ): Promise<
    Output<typeof serviceAccountToken> | Fault<'assertion_invalid' | 'assertion_replayed' | 'insufficient_permissions'>
  >;
  close(): Promise<void>;
}
export interface KnownMachine {
  readonly id: string;
  readonly kind: 'service_account';
  readonly platformRoles: readonly [];
  readonly bounds: {
    readonly organizationId: string;
    readonly projectIds: readonly string[];
    /** Whether what belongs to the organization and to no project exists for it. */
    readonly seesOrganization: boolean;
    readonly scopes: readonly Scope[];
  };
}

export const serviceAccountsChannel = 'gpuaas_service_accounts';

export async function openServiceAccounts(parts: {
  readonly db: Database;
  readonly begin: BeginAct;
  readonly ids: Ids;
  readonly clock: Clock;
  readonly region: string;
  readonly seal: Seal | undefined;
  /** Where OAuth libraries exchange assertions, below the public address. */
  readonly tokenPath: string;
  /** Where callers reach this installation. */
  readonly publicUrl: string;
  readonly audience: string;
  readonly keyMaxDays: (who: Viewer) => number;
  readonly tokenSeconds: (organizationId: string) => number;
  readonly flush: () => Promise<void>;
  readonly listen: (channel: string, listener: () => void) => Promise<{ close(): Promise<void> }>;
  readonly notify: (channel: string) => void;
}): Promise<ServiceAccounts> {
  const { db, ids, clock } = parts;
  const fresh = { clock, ttlMs: freshMs, max: maxKnown };
  const machines = makeFresh<string, GoodKey | undefined>(fresh);
  const owners = makeFresh<string, { organizationId: string; projectId: string | undefined } | undefined>(fresh);
  const forget = () => {
    machines.forget();
    owners.forget();
  };
  const listening = await parts.listen(serviceAccountsChannel, forget);
  const changed = () => {
    forget();
    parts.notify(serviceAccountsChannel);
  };
  const look = <T>(work: (tx: ReadTx) => Promise<T>) =>
    db.read(systemViewer('service-accounts', { correlationId: ids.next() }), work);
  const findKey = (keyId: string, accountId: string) => look((tx) => findGood(tx, keyId, accountId, clock.now()));
  const signer = makeSigner(parts);
  const issuer = new URL('/api/v1/auth/service-accounts', parts.publicUrl).href;

  const endpoints = [serviceAccountToken.path, parts.tokenPath].map((path) => new URL(path, parts.publicUrl).href);
  const exchangeParts = { ...parts, signer, issuer, endpoints, findKey };

  return {
    issuer,
    find: signer.find,
    routes: [
      ...accountRoutes({ ...parts, changed }),
      update({ ...parts, changed }),
      ...keyRoutes({ ...parts, changed }),
      ...tokenRoutes(exchangeParts),
    ],
    async exchange(act, wanted) {
      const done = await exchangeAssertion(exchangeParts, act, wanted);
      return done instanceof Fault ? done : done.value;
    },
    async recognise(accountId, keyId) {
      const found = await machines.get(`${accountId} ${keyId}`, () => findKey(keyId, accountId));
      if (!found || found.expires_at <= clock.now()) {
        return new Fault('token_invalid', 'The service account or its key is no longer good.');
      }
      return {
        id: found.id,
        kind: 'service_account',
        platformRoles: [],
        bounds: {
          organizationId: found.organization_id,
          projectIds: found.project_ids,
          seesOrganization: found.scope === 'organization',
          scopes: found.scopes,
        },
      };
    },
    owner: {
      absent: 'service_account_not_found',
      find: (id) =>
        owners.get(id, async () => {
          const row = await look((tx) => findOwner(tx, id));
          return row && { organizationId: row.organization_id, projectId: row.project_id ?? undefined };
        }),
    },
    close: () => listening.close(),
  };
}

export { sealedSigningKeys } from './sealed-signing-keys-store.ts';
export type { Seal };
