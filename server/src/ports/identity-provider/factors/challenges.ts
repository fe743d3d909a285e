import type { Pool, PoolClient } from 'pg';

/**
 * What a passkey is asked to sign. A challenge belongs to one account and to one place: a factor that is being added, or the
 * question that one browser was asked. It works once, whether the answer was right or wrong, and not after it expired.
 */
const challengeBytes = 32;
export const challengeTtlMs = 5 * 60_000;

interface Place {
  readonly accountId: string;
  readonly boundTo: string;
  readonly now: Date;
}

/** Keeps a new challenge in the place of an earlier one. */
export async function keepChallenge(
  client: Pick<Pool, 'query'>,
  makeSecret: (bytes: number) => string,
  { accountId, boundTo, now }: Place,
): Promise<Buffer> {
  const challenge = Buffer.from(makeSecret(challengeBytes), 'hex');
  await client.query(
    `insert into gpuaas_oidc.passkey_challenge (account_id, bound_to, challenge, expires_at) values ($1, $2, $3, $4)
     on conflict (account_id, bound_to) do update set challenge = excluded.challenge, expires_at = excluded.expires_at`,
    [accountId, boundTo, challenge, new Date(now.getTime() + challengeTtlMs)],
  );
  return challenge;
}

/** Uses the challenge up. Undefined when there is none, or when it came too late. */
export async function takeChallenge(
  client: PoolClient,
  { accountId, boundTo, now }: Place,
): Promise<string | undefined> {
  const { rows } = await client.query<{ challenge: Buffer; expires_at: Date }>(
    'delete from gpuaas_oidc.passkey_challenge where account_id = $1 and bound_to = $2 returning challenge, expires_at',
    [accountId, boundTo],
  );
  const [row] = rows;
  return row && row.expires_at > now ? row.challenge.toString('base64url') : undefined;
}

/** Removes challenges that nobody answered, a bounded number at a time. */
export async function sweepChallenges(pool: Pool, now: Date, limit: number): Promise<number> {
  const { rowCount } = await pool.query(
    `delete from gpuaas_oidc.passkey_challenge where (account_id, bound_to) in (
       select account_id, bound_to from gpuaas_oidc.passkey_challenge where expires_at < $1 limit $2
       for update skip locked)`,
    [now, limit],
  );
  return rowCount ?? 0;
}
