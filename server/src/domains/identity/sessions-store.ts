import type { AccountSession } from '@gpuaas/contract';
import { type Credential, type ReadTx, sql, type WriteTx } from '../../kernel/act.ts';

const listSql = sql(
  'session-list',
  `select * from account_sessions
   where user_id = $1 and is_me(user_id) and revoked_at is null and expires_at > $2 and ($3::uuid is null or id < $3)
   order by id desc limit $4`,
);
const lockSql = sql(
  'session-lock',
  'select * from account_sessions where id = $1 and user_id = $2 and is_me(user_id) for update',
);
const currentSql = sql(
  'session-current',
  `select * from account_sessions
   where user_id = $1 and is_me(user_id)
     and case when $2::text is null then provider_session_id is null and latest_token_id = $3
       else provider_session_id = $2 end
   for update`,
);
const othersSql = sql(
  'session-others',
  `select * from account_sessions
   where user_id = $1 and is_me(user_id) and revoked_at is null
     and not coalesce(case when $2::text is null then provider_session_id is null and latest_token_id = $3
       else provider_session_id = $2 end, false)
   order by id for update`,
);
const revokeSql = sql(
  'session-revoke',
  `update account_sessions set revoked_at = act_time(), revoked_by = $2, revoke_reason = $3, updated_at = act_time()
   where id = any ($1) and is_me(user_id) and revoked_at is null`,
);
const denySql = sql(
  'denial-add',
  `insert into token_denials (kind, token_id, reason, expires_at)
   select * from unnest($1::text[], $2::text[], $3::text[], $4::timestamptz[])
   on conflict (kind, token_id) do update
     set reason = excluded.reason, expires_at = greatest(token_denials.expires_at, excluded.expires_at)`,
);
const sweepSql = sql(
  'denial-sweep',
  `delete from token_denials where (kind, token_id) in (
     select kind, token_id from token_denials where expires_at <= $1 order by expires_at limit 100
   )`,
);
const denialsSql = sql(
  'denial-list',
  `select kind, token_id as subject from token_denials where expires_at > $1 and kind <> 'person'`,
);
const userExistsSql = sql('identity-exists', 'select id from users where id = $1 and is_me(id)');

export interface SessionRow {
  readonly id: string;
  readonly user_id: string;
  readonly provider: AccountSession['provider'];
  readonly provider_session_id: string | null;
  readonly latest_token_id: string | null;
  readonly device_label: string | null;
  readonly browser: string | null;
  readonly os: string | null;
  readonly user_agent: string | null;
  readonly ip_address: string | null;
  readonly signed_in_at: Date;
  readonly last_seen_at: Date;
  readonly expires_at: Date;
  readonly revoked_at: Date | null;
  readonly revoke_reason: string | null;
}
export interface NewDenial {
  readonly kind: 'token' | 'session';
  readonly subject: string;
  readonly reason: string;
  readonly expiresAt: Date;
}

const isCurrent = (row: SessionRow, credential: Credential | undefined): boolean =>
  credential?.kind === 'oidc' &&
  (row.provider_session_id === null
    ? credential.sessionId === undefined && row.latest_token_id === (credential.tokenId ?? '')
    : row.provider_session_id === credential.sessionId);

export const showSession = (row: SessionRow, credential: Credential | undefined): AccountSession => ({
  id: row.id,
  provider: row.provider,
  current: isCurrent(row, credential),
  device_label: row.device_label,
  browser: row.browser,
  os: row.os,
  user_agent: row.user_agent,
  ip_address: row.ip_address,
  signed_in_at: row.signed_in_at.toISOString(),
  last_seen_at: row.last_seen_at.toISOString(),
  expires_at: row.expires_at.toISOString(),
  revoked_at: row.revoked_at?.toISOString() ?? null,
  revoke_reason: row.revoke_reason,
});

export const listSessions = (
  tx: ReadTx,
  userId: string,
  page: { readonly now: Date; readonly before: string | undefined; readonly limit: number },
) => tx.rows<SessionRow>(listSql, [userId, page.now, page.before ?? null, page.limit]);

export const lockSession = async (tx: WriteTx, id: string, userId: string): Promise<SessionRow | undefined> =>
  (await tx.rows<SessionRow>(lockSql, [id, userId]))[0];
export const lockCurrent = async (
  tx: WriteTx,
  userId: string,
  credential: Pick<Credential, 'sessionId' | 'tokenId'>,
): Promise<SessionRow | undefined> =>
  (await tx.rows<SessionRow>(currentSql, [userId, credential.sessionId ?? null, credential.tokenId ?? null]))[0];
/**
 * All that were not revoked, but for the one of the given credential. One whose last access token has expired may still
 * be renewed, so it counts too.
 */
export const lockUnrevoked = (
  tx: WriteTx,
  userId: string,
  spared: Pick<Credential, 'sessionId' | 'tokenId'> | undefined,
) => tx.rows<SessionRow>(othersSql, [userId, spared?.sessionId ?? null, spared?.tokenId ?? null]);
export const markRevoked = (tx: WriteTx, ids: readonly string[], by: string, reason: string | undefined) =>
  tx.run(revokeSql, [ids, by, reason ?? null]);

export async function addDenials(tx: WriteTx, denials: readonly NewDenial[], now: Date): Promise<void> {
  await tx.run(sweepSql, [now]);
  await tx.run(denySql, [
    denials.map(({ kind }) => kind),
    denials.map(({ subject }) => subject),
    denials.map(({ reason }) => reason),
    denials.map(({ expiresAt }) => expiresAt),
  ]);
}
export const currentDenials = (tx: ReadTx, now: Date) =>
  tx.rows<Pick<NewDenial, 'kind' | 'subject'>>(denialsSql, [now]);
export const userExists = async (tx: ReadTx, id: string): Promise<boolean> =>
  (await tx.rows(userExistsSql, [id])).length > 0;
