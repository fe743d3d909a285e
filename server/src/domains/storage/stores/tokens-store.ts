import type { Scope, StorageToken } from '@gpuaas/contract';
import { type ReadTx, sql, type WriteTx } from '../../../kernel/act.ts';

export interface TokenRow {
  readonly id: string;
  readonly organization_id: string;
  readonly project_id: string;
  readonly allocation_id: string;
  readonly level: StorageToken['level'];
  readonly created_by: string;
  readonly created_at: Date;
  readonly revoked_at: Date | null;
  /** Whether the allocation has not begun to end. */
  readonly is_running: boolean;
}
/** An allocation runs from its request until its release, a loss or a failure. */
const columns = `t.id, t.organization_id, t.project_id, t.allocation_id, t.level, t.created_by, t.created_at, t.revoked_at,
     a.state in ('requested', 'provisioning', 'active') as is_running`;
const joined = `storage_tokens t
     join allocations a on a.id = t.allocation_id and a.organization_id = t.organization_id and mine(a.organization_id)`;

const allocation = sql(
  'storage-token-allocation',
  `select a.project_id, a.state in ('requested', 'provisioning', 'active') as is_running from allocations a where a.id = $1 and mine(a.organization_id)`,
);
const insert = sql(
  'storage-token-insert',
  `insert into storage_tokens (id, organization_id, project_id, allocation_id, level, token_hash, created_by)
   values ($1, $2, $3, $4, $5, decode($6, 'hex'), $7)`,
);
const find = sql(
  'storage-token-find',
  `select ${columns} from ${joined} where t.id = $1 and t.allocation_id = $2 and mine(t.organization_id)`,
);
const list = sql(
  'storage-token-list',
  `select ${columns} from ${joined}
   where t.allocation_id = $1 and mine(t.organization_id) and ($2::uuid is null or t.id < $2)
   order by t.id desc limit $3`,
);
const count = sql(
  'storage-token-count',
  `select count(*)::int as tokens from storage_tokens t
   where t.allocation_id = $1 and t.revoked_at is null and mine(t.organization_id)`,
);
const revoke = sql(
  'storage-token-revoke',
  'update storage_tokens t set revoked_at = act_time() where t.id = $1 and t.revoked_at is null and mine(t.organization_id)',
);
/**
 * What a request is held against, each time: the allocation runs, and who made the token is still there. A service account has no
 * role that could be asked, so what it may in the project comes along.
 */
const findGood = sql(
  'storage-token-good',
  `select t.id, t.organization_id, t.project_id, t.level, t.created_by, s.scopes as program_scopes
   from ${joined}
     left join service_accounts s on s.id = t.created_by and s.organization_id = t.organization_id and s.state = 'active'
       and (s.project_id = t.project_id or exists (select from service_account_projects p where p.service_account_id = s.id
         and p.project_id = t.project_id and p.organization_id = s.organization_id))
     left join users u on u.id = t.created_by and u.disabled_at is null
   where t.token_hash = decode($1, 'hex') and t.revoked_at is null
     and a.state in ('requested', 'provisioning', 'active') and mine(t.organization_id)
     and (s.id is not null or u.id is not null)`,
);

/** Undefined for one that the organization does not have. */
export const findRunning = async (tx: ReadTx, allocationId: string) =>
  (await tx.rows<{ project_id: string; is_running: boolean }>(allocation, [allocationId]))[0];
export const insertToken = (
  tx: WriteTx,
  one: Pick<TokenRow, 'id' | 'organization_id' | 'project_id' | 'allocation_id' | 'level' | 'created_by'> & {
    readonly digest: string;
  },
) =>
  tx.run(insert, [
    ...[one.id, one.organization_id, one.project_id, one.allocation_id, one.level, one.digest, one.created_by],
  ]);
export const findToken = async (tx: ReadTx, id: string, allocationId: string) =>
  (await tx.rows<TokenRow>(find, [id, allocationId]))[0];
export const listTokens = (tx: ReadTx, allocationId: string, before: string | undefined, limit: number) =>
  tx.rows<TokenRow>(list, [allocationId, before ?? null, limit]);
export const countTokens = async (tx: ReadTx, allocationId: string): Promise<number> =>
  (await tx.rows<{ tokens: number }>(count, [allocationId]))[0]?.tokens ?? 0;
export const revokeToken = (tx: WriteTx, id: string) => tx.run(revoke, [id]);

export interface GoodToken extends Pick<TokenRow, 'id' | 'organization_id' | 'project_id' | 'level' | 'created_by'> {
  /** Null where a person made it. */
  readonly program_scopes: readonly Scope[] | null;
}
export const findGoodToken = async (tx: ReadTx, digest: string) => (await tx.rows<GoodToken>(findGood, [digest]))[0];
