import type { PoolClient } from 'pg';

/**
 * A code of six digits can be guessed, so attempts are counted for the account: ten in fifteen minutes, from any
 * address, at sign-in and while a factor is set up. They are counted in the table, before the code is checked: many at
 * once do not slip through, and a cache that forgets gives no new attempts. A caller who may try knows the password
 * already, so this cannot be used to lock strangers out.
 */
interface LimitedTry {
  readonly refused: 'too_many_tries';
  readonly waitMs: number;
}
const mostTries = 10;
const windowMs = 15 * 60_000;

export async function countTry(client: PoolClient, accountId: string, now: Date): Promise<LimitedTry | undefined> {
  const { rows } = await client.query<{ factor_tries: number; factor_tries_from: Date }>(
    `update gpuaas_oidc.account set
       factor_tries = case when factor_tries_from > $3 then least(factor_tries + 1, 1000) else 1 end,
       factor_tries_from = case when factor_tries_from > $3 then factor_tries_from else $2 end
     where id = $1 returning factor_tries, factor_tries_from`,
    [accountId, now, new Date(now.getTime() - windowMs)],
  );
  const [row] = rows;
  if (!row || row.factor_tries <= mostTries) return undefined;
  return { refused: 'too_many_tries', waitMs: row.factor_tries_from.getTime() + windowMs - now.getTime() };
}

/** A right code resets the count. */
export const forgetTries = (client: PoolClient, accountId: string) =>
  client.query('update gpuaas_oidc.account set factor_tries = 0, factor_tries_from = null where id = $1', [accountId]);
