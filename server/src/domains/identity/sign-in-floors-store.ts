import type { SignInFloor } from '../../kernel/access/revocation.ts';
import { type ReadTx, sql, type WriteTx } from '../../kernel/act.ts';

const raiseSql = sql(
  'sign-in-floor-raise',
  `insert into sign_in_floors (user_id, not_before, spared_session, spared_sign_in, spared_token, reason)
   values ($1, $2, $3, $4, $5, $6)
   on conflict (user_id) do update
     set not_before = excluded.not_before, spared_session = excluded.spared_session,
       spared_sign_in = excluded.spared_sign_in, spared_token = excluded.spared_token, reason = excluded.reason,
       updated_at = act_time()
     where is_me(sign_in_floors.user_id) and sign_in_floors.not_before <= excluded.not_before`,
);
const columns = 'not_before, spared_session, spared_sign_in, spared_token';
const recentSql = sql('sign-in-floor-recent', `select user_id, ${columns} from sign_in_floors where updated_at > $1`);
const revocationsSql = sql(
  'sign-in-revocations',
  `select f.not_before, f.spared_session, f.spared_sign_in, f.spared_token, s.revoked_at from users u
   left join sign_in_floors f on f.user_id = u.id
   left join account_sessions s on s.user_id = u.id and s.provider_session_id = $3
   where u.oidc_issuer = $1 and u.oidc_subject = $2`,
);

export interface FloorRow {
  readonly not_before: Date | null;
  readonly spared_session: string | null;
  readonly spared_sign_in: Date | null;
  readonly spared_token: string | null;
}

export const floorOf = (row: FloorRow): SignInFloor | undefined =>
  row.not_before
    ? {
        notBefore: row.not_before,
        spares: {
          sessionId: row.spared_session ?? undefined,
          signedInAt: row.spared_sign_in ?? undefined,
          tokenId: row.spared_token ?? undefined,
        },
      }
    : undefined;

/** Ends the sign-ins of a person that began before a moment, for ever, but for the spared one. */
export function raiseFloor(tx: WriteTx, userId: string, { notBefore, spares }: SignInFloor, reason: string) {
  const session = spares.sessionId ?? null;
  const signIn = session === null ? (spares.signedInAt ?? null) : null;
  const token = session === null && signIn === null ? (spares.tokenId ?? null) : null;
  return tx.run(raiseSql, [userId, notBefore, session, signIn, token, reason]);
}

/** Those that were raised since a moment. */
export const recentFloors = async (tx: ReadTx, since: Date) =>
  (await tx.rows<FloorRow & { readonly user_id: string }>(recentSql, [since])).flatMap((row) => {
    const floor = floorOf(row);
    return floor ? [{ personId: row.user_id, floor }] : [];
  });

/** The revocations of a person's sign-ins, and of the named one. */
export async function findRevocations(
  tx: ReadTx,
  issuer: string,
  subject: string,
  sessionId: string | undefined,
): Promise<Revocations> {
  const [row] = await tx.rows<FloorRow & { readonly revoked_at: Date | null }>(revocationsSql, [
    issuer,
    subject,
    sessionId ?? null,
  ]);
  return { floor: row && floorOf(row), sessionRevokedAt: row?.revoked_at ?? undefined };
}
export interface Revocations {
  readonly floor: SignInFloor | undefined;
  readonly sessionRevokedAt: Date | undefined;
}
