import { type ReadTx, sql, type WriteTx } from '../../../kernel/act.ts';

const insertSql = sql(
  'console-session-insert',
  `insert into console_sessions (id, user_id, cookie_digest, provider_session_id, sealed_tokens, expires_at)
   values ($1, $2, decode($3, 'hex'), $4, $5, $6)`,
);
const findSql = sql(
  'console-session-find',
  `select id, user_id, provider_session_id, sealed_tokens, generation, expires_at from console_sessions
   where cookie_digest = decode($1, 'hex') and ended_at is null and is_me(user_id)`,
);
const endSql = sql(
  'console-session-end',
  `update console_sessions set ended_at = act_time(), end_reason = $2
   where id = $1 and ended_at is null and is_me(user_id)`,
);
/** A browser whose issuer names no sessions cannot be distinguished from the caller; its tokens are refused instead. */
const endAllSql = sql(
  'console-session-end-all',
  `update console_sessions set ended_at = act_time(), end_reason = $2
   where user_id = $1 and ended_at is null and is_me(user_id)
     and (not $3 or (provider_session_id is not null and provider_session_id is distinct from $4))`,
);
const sweepSql = sql(
  'console-session-sweep',
  `delete from console_sessions where id in (
     select id from console_sessions where user_id = $1 and is_me(user_id) and expires_at <= $2
     order by expires_at limit 100
   ) and is_me(user_id)`,
);

interface Row {
  readonly id: string;
  readonly user_id: string;
  readonly provider_session_id: string | null;
  readonly sealed_tokens: Buffer;
  readonly generation: bigint;
  readonly expires_at: Date;
}
/** The session of one browser. */
export interface ConsoleSession {
  readonly id: string;
  readonly personId: string;
  /** What the issuer calls the sign-in. */
  readonly sessionId: string | undefined;
  readonly sealed: Uint8Array;
  readonly generation: bigint;
  readonly expiresAt: Date;
}
export interface NewConsoleSession extends Omit<ConsoleSession, 'generation'> {
  /** SHA-256 of the cookie, in hex. */
  readonly digest: string;
}

export const insertConsoleSession = (tx: WriteTx, session: NewConsoleSession) =>
  tx.run(insertSql, [
    session.id,
    session.personId,
    session.digest,
    session.sessionId ?? null,
    session.sealed,
    session.expiresAt,
  ]);
export async function findConsoleSession(tx: ReadTx, digest: string): Promise<ConsoleSession | undefined> {
  const [row] = await tx.rows<Row>(findSql, [digest]);
  return (
    row && {
      id: row.id,
      personId: row.user_id,
      sessionId: row.provider_session_id ?? undefined,
      sealed: row.sealed_tokens,
      generation: row.generation,
      expiresAt: row.expires_at,
    }
  );
}
export const endConsoleSession = (tx: WriteTx, id: string, reason: string) => tx.run(endSql, [id, reason]);
/** Ends the sessions of all browsers of a person, but for those of the given sign-in. */
export const endConsoleSessions = (
  tx: WriteTx,
  userId: string,
  reason: string,
  spared: { readonly sessionId: string | undefined } | undefined,
) => tx.run(endAllSql, [userId, reason, spared !== undefined, spared?.sessionId ?? null]);
export const sweepConsoleSessions = (tx: WriteTx, personId: string, now: Date) => tx.run(sweepSql, [personId, now]);
