import { hash } from 'node:crypto';
import type { Pool, PoolClient } from 'pg';
import type { Ids } from '../../../kernel/id.ts';
import type { Factor, FactorKind } from './port.ts';
import { makeRecoveryCodes, readRecoveryCode } from './recovery-codes.ts';

/** The rows of an account's second factors, as authenticator apps and passkeys share them. */
export interface FactorRow {
  readonly id: string;
  readonly kind: FactorKind;
  readonly name: string;
  /** The secret of an app. A passkey has none: its secret never leaves the device. */
  readonly sealed: Buffer | null;
  readonly created_at: Date;
  readonly confirmed_at: Date | null;
  readonly last_used_at: Date | null;
}
export const columns = 'id, kind, name, sealed, created_at, confirmed_at, last_used_at';

/** What was begun and not confirmed is forgotten after this. */
export const confirmWithinMs = 10 * 60_000;
export const mostFactors = 10;

export const refuse = <const R extends string>(refused: R): { readonly refused: R } => ({ refused });

export const show = (row: FactorRow): Factor => ({
  id: row.id,
  kind: row.kind,
  name: row.name,
  createdAt: row.created_at,
  lastUsedAt: row.last_used_at ?? undefined,
});

export interface LockedAccount {
  readonly login: string;
  readonly displayName: string;
}
/**
 * The work of one person's factors, in a transaction that locks the account: two changes at once come one after the
 * other. A refusal keeps what was written, so tries stay counted and challenges stay used.
 */
export const makeLocked =
  (pool: Pool) =>
  async <T>(accountId: string, work: (client: PoolClient, account: LockedAccount) => Promise<T>) => {
    const client = await pool.connect();
    try {
      await client.query('begin');
      const { rows } = await client.query<LockedAccount>(
        `select login, display_name as "displayName" from gpuaas_oidc.account
         where id = $1 and disabled_at is null for update`,
        [accountId],
      );
      const done = rows[0] ? await work(client, rows[0]) : refuse('not_found');
      await client.query('commit');
      return done;
    } catch (error) {
      await client.query('rollback').catch(() => undefined);
      throw error;
    } finally {
      client.release();
    }
  };
export type Locked = ReturnType<typeof makeLocked>;

export const confirmedOf = async (client: Pick<Pool, 'query'>, accountId: string): Promise<FactorRow[]> =>
  (
    await client.query<FactorRow>(
      `select ${columns} from gpuaas_oidc.factor where account_id = $1 and confirmed_at is not null order by id`,
      [accountId],
    )
  ).rows;

/** Begins anew: what was begun before and never confirmed is forgotten. Answers false when the account has enough. */
export async function beginRow(
  client: PoolClient,
  row: Pick<FactorRow, 'id' | 'kind' | 'name' | 'sealed' | 'created_at'> & { readonly accountId: string },
): Promise<boolean> {
  if ((await confirmedOf(client, row.accountId)).length >= mostFactors) return false;
  await client.query('delete from gpuaas_oidc.factor where account_id = $1 and confirmed_at is null', [row.accountId]);
  await client.query(
    `insert into gpuaas_oidc.factor (id, account_id, kind, name, sealed, created_at) values ($1, $2, $3, $4, $5, $6)`,
    [row.id, row.accountId, row.kind, row.name, row.sealed, row.created_at],
  );
  return true;
}

/** The factor that was begun and waits to be confirmed. */
export async function findBegun(
  client: PoolClient,
  wanted: { readonly id: string; readonly accountId: string; readonly kind: FactorKind; readonly now: Date },
): Promise<FactorRow | undefined> {
  const { rows } = await client.query<FactorRow>(
    `select ${columns} from gpuaas_oidc.factor
     where id = $1 and account_id = $2 and kind = $3 and confirmed_at is null and created_at > $4`,
    [wanted.id, wanted.accountId, wanted.kind, new Date(wanted.now.getTime() - confirmWithinMs)],
  );
  return rows[0];
}

/** The factor counts from now on. Recovery codes come with the first one. */
export async function confirmRow(client: PoolClient, ids: Ids, accountId: string, id: string, now: Date) {
  const isFirst = (await confirmedOf(client, accountId)).length === 0;
  const { rows } = await client.query<FactorRow>(
    `update gpuaas_oidc.factor set confirmed_at = $2 where id = $1 returning ${columns}`,
    [id, now],
  );
  const recoveryCodes = isFirst ? await writeCodes(client, ids, accountId) : undefined;
  return { factor: show(rows[0] as FactorRow), recoveryCodes };
}

/** A code has 80 random bits, so its digest needs no key; the account is in it, so that no code is looked up for all. */
export const digestOf = (accountId: string, code: string) =>
  hash('sha256', `recovery code ${accountId} ${code}`, 'buffer');

/** Ten new codes; those from before are gone. */
export async function writeCodes(client: PoolClient, ids: Ids, accountId: string): Promise<string[]> {
  const codes = makeRecoveryCodes(ids.secret);
  const digests = codes.map((code) => digestOf(accountId, readRecoveryCode(code) ?? ''));
  await client.query('delete from gpuaas_oidc.recovery_code where account_id = $1', [accountId]);
  await client.query('insert into gpuaas_oidc.recovery_code (account_id, digest) select $1, unnest($2::bytea[])', [
    accountId,
    digests,
  ]);
  return codes;
}
