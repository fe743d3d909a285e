import type { PublicKey, Scope, ServiceAccountKey } from '@gpuaas/contract';
import { type ReadTx, sql, type WriteTx } from '../../kernel/act.ts';
import { expectCovered, type ScopeGrant } from './scope-grant.ts';

const insertSql = sql(
  'service-account-key-insert',
  `insert into service_account_keys (id, service_account_id, organization_id, name, public_key, expires_at)
   values ($1, $2, $3, $4, $5, $6)
   returning *, null::timestamptz as last_used_at`,
);
const listSql = sql(
  'service-account-key-list',
  `select k.*, s.last_used_at from service_account_keys k left join credential_sightings s on s.credential_id = k.id
   where k.service_account_id = $1 and mine(k.organization_id) and ($2::uuid is null or k.id < $2)
   order by k.id desc limit $3`,
);
const revokeSql = sql(
  'service-account-key-revoke',
  `update service_account_keys k set revoked_at = coalesce(revoked_at, act_time())
   where k.id = $1 and k.service_account_id = $2 and mine(k.organization_id)
   returning k.*, (select s.last_used_at from credential_sightings s where s.credential_id = k.id) as last_used_at`,
);
/** Account and key together, as long as both are good: what the assertion and every later request are held against. */
const goodSql = sql(
  'service-account-good',
  `select a.id, a.organization_id, a.scope, a.scopes, k.public_key, k.expires_at,
     array(select p.id from projects p
       where p.organization_id = a.organization_id and p.state <> 'deleted' and (p.id = a.project_id or exists (
         select from service_account_projects s
         where s.service_account_id = a.id and s.project_id = p.id and s.organization_id = a.organization_id
       ))) as project_ids
   from service_account_keys k join service_accounts a on a.id = k.service_account_id and a.organization_id = k.organization_id
   where k.id = $1 and a.id = $2 and k.revoked_at is null and k.expires_at > $3 and a.state = 'active'
     and mine(a.organization_id)`,
);
const useSql = sql(
  'assertion-use',
  `insert into assertion_uses (service_account_id, assertion_id, expires_at) values ($1, $2, $3) on conflict do nothing`,
);
const forgetSql = sql(
  'assertion-forget',
  `delete from assertion_uses where (service_account_id, assertion_id) in (
     select service_account_id, assertion_id from assertion_uses where expires_at < $1 order by expires_at limit 50
   )`,
);

interface KeyRow {
  readonly id: string;
  readonly service_account_id: string;
  readonly name: string;
  readonly public_key: PublicKey;
  readonly expires_at: Date;
  readonly revoked_at: Date | null;
  readonly created_at: Date;
  readonly last_used_at: Date | null;
}
export interface GoodKey {
  readonly id: string;
  readonly organization_id: string;
  readonly scope: 'project' | 'organization';
  readonly scopes: Scope[];
  readonly public_key: PublicKey;
  readonly expires_at: Date;
  readonly project_ids: string[];
}

export const showKey = (row: KeyRow): ServiceAccountKey => ({
  id: row.id,
  service_account_id: row.service_account_id,
  name: row.name,
  public_key: row.public_key,
  created_at: row.created_at.toISOString(),
  expires_at: row.expires_at.toISOString(),
  last_used_at: row.last_used_at?.toISOString() ?? null,
  revoked_at: row.revoked_at?.toISOString() ?? null,
});

export async function insertKey(
  tx: WriteTx,
  may: ScopeGrant,
  account: { readonly id: string; readonly organization_id: string; readonly scopes: readonly Scope[] },
  key: {
    readonly id: string;
    readonly name: string;
    readonly publicKey: PublicKey;
    readonly expiresAt: Date;
  },
): Promise<KeyRow> {
  expectCovered(may, account.scopes);
  const values = [key.id, account.id, account.organization_id, key.name, JSON.stringify(key.publicKey), key.expiresAt];
  const [row] = await tx.rows<KeyRow>(insertSql, values);
  if (!row) throw new Error('a key was not stored');
  return row;
}
export const listKeys = (tx: ReadTx, accountId: string, before: string | undefined, limit: number) =>
  tx.rows<KeyRow>(listSql, [accountId, before ?? null, limit]);
export const revokeKey = async (tx: WriteTx, id: string, accountId: string): Promise<KeyRow | undefined> =>
  (await tx.rows<KeyRow>(revokeSql, [id, accountId]))[0];
export const findGood = async (tx: ReadTx, keyId: string, accountId: string, now: Date): Promise<GoodKey | undefined> =>
  (await tx.rows<GoodKey>(goodSql, [keyId, accountId, now]))[0];
/** Whether this is its first use. */
export async function useAssertion(
  tx: WriteTx,
  use: { readonly accountId: string; readonly assertionId: string; readonly expiresAt: Date; readonly now: Date },
): Promise<boolean> {
  const first = (await tx.run(useSql, [use.accountId, use.assertionId, use.expiresAt])) === 1;
  await tx.run(forgetSql, [use.now]);
  return first;
}
