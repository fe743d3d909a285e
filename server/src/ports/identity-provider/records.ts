import { type Adapter, type AdapterPayload, errors } from 'oidc-provider';
import type { Pool } from 'pg';
import type { Clock } from '../../kernel/clock.ts';
import type { Seal } from '../../kernel/secrets/seal.ts';

/**
 * Sessions, codes, grants and refresh tokens in Postgres. The id of most of them is itself the secret that a browser or
 * a program holds, so ids are kept as digests and payloads sealed: see kernel/secrets/seal.ts. A record is found for a
 * while after it expired, so that people get "expired" rather than "unknown"; the library checks its date, and the
 * sweep removes it later.
 */
export interface Records {
  of(kind: string): Adapter;
  /** Ends everything that was begun in the name of a person, and notes the moment on the account. */
  endAccount(accountId: string): Promise<void>;
  /** Removes what expired a while ago, a bounded number at a time. */
  sweep(limit: number): Promise<number>;
}

const keptAfterExpiryMs = 10 * 60_000;

const statements = {
  upsert: {
    name: 'gpuaas_oidc_upsert',
    text: `insert into gpuaas_oidc.record (kind, id, grant_id, uid, user_code, account_id, sealed, expires_at)
      values ($1, $2, $3, $4, $5, $6, $7, $8)
      on conflict (kind, id) do update set grant_id = excluded.grant_id, uid = excluded.uid,
        user_code = excluded.user_code, account_id = excluded.account_id, sealed = excluded.sealed,
        expires_at = excluded.expires_at`,
  },
  find: {
    name: 'gpuaas_oidc_find',
    text: `select id, sealed, consumed_at from gpuaas_oidc.record where kind = $1 and id = any ($2::bytea[])
      order by array_position($2::bytea[], id) limit 1`,
  },
  findByUid: {
    name: 'gpuaas_oidc_find_by_uid',
    text: `select id, sealed, consumed_at from gpuaas_oidc.record where uid = any ($2::bytea[]) and kind = $1
      order by array_position($2::bytea[], uid) limit 1`,
  },
  findByUserCode: {
    name: 'gpuaas_oidc_find_by_user_code',
    text: `select id, sealed, consumed_at from gpuaas_oidc.record where user_code = any ($2::bytea[]) and kind = $1
      order by array_position($2::bytea[], user_code) limit 1`,
  },
  consume: {
    name: 'gpuaas_oidc_consume',
    text: `update gpuaas_oidc.record set consumed_at = $3 where kind = $1 and id = any ($2::bytea[]) and consumed_at is null`,
  },
  destroy: {
    name: 'gpuaas_oidc_destroy',
    text: 'delete from gpuaas_oidc.record where kind = $1 and id = any ($2::bytea[])',
  },
  revoke: {
    name: 'gpuaas_oidc_revoke',
    text: 'delete from gpuaas_oidc.record where grant_id = any ($2::bytea[]) and kind = $1',
  },
  endAccount: {
    name: 'gpuaas_oidc_end_account_2',
    text: `with marked as (update gpuaas_oidc.account set sign_ins_ended_at = $2 where id = $1::text::uuid)
      delete from gpuaas_oidc.record where account_id = $1::text`,
  },
  sweep: {
    name: 'gpuaas_oidc_sweep',
    text: `delete from gpuaas_oidc.record where (kind, id) in (
      select kind, id from gpuaas_oidc.record where expires_at < $1 order by expires_at limit $2
      for update skip locked)`,
  },
} as const;

interface Row {
  readonly id: Buffer;
  readonly sealed: Buffer;
  readonly consumed_at: Date | null;
}

/** Where a record lies, for its seal. */
export const recordPlace = (kind: string, id: Buffer): string => `${kind} ${id.toString('hex')}`;

/** Whose record it is. A question names the account in its answer, or in the session that it was asked in. */
const accountIn = ({ accountId, result, session }: AdapterPayload): string | undefined =>
  accountId ?? result?.login?.accountId ?? session?.accountId;

/** What a record is found by, under the current key. */
export function indexOf(seal: Seal, kind: string, id: string, payload: AdapterPayload) {
  const digest = (what: string, value: string | undefined) =>
    value === undefined ? null : seal.digest(`${what} of ${kind}`, value);
  return {
    id: seal.digest(`id of ${kind}`, id),
    // Grants are named by records of other kinds, so their digest must not depend on the kind.
    grantId: payload.grantId === undefined ? null : seal.digest('grant', payload.grantId),
    uid: digest('uid', payload.uid),
    userCode: digest('user code', payload.userCode),
  };
}

export function makeRecords(parts: { readonly pool: Pool; readonly seal: Seal; readonly clock: Clock }): Records {
  const { pool, seal, clock } = parts;

  function of(kind: string): Adapter {
    // What was kept under an earlier key is found as well.
    const digests = (what: string, value: string) => seal.digests(`${what} of ${kind}`, value);
    const read = async (statement: { name: string; text: string }, keys: readonly Buffer[]) => {
      const { rows } = await pool.query<Row>({ ...statement, values: [kind, keys] });
      const [row] = rows;
      if (!row) return undefined;
      const payload = JSON.parse(seal.open(row.sealed, recordPlace(kind, row.id))) as AdapterPayload;
      if (row.consumed_at) payload.consumed = Math.floor(row.consumed_at.getTime() / 1_000);
      return payload;
    };
    return {
      async upsert(id, payload, expiresInSeconds) {
        const index = indexOf(seal, kind, id, payload);
        const expiresAt = expiresInSeconds ? new Date(clock.now().getTime() + expiresInSeconds * 1_000) : null;
        await pool.query({
          ...statements.upsert,
          values: [
            kind,
            index.id,
            index.grantId,
            index.uid,
            index.userCode,
            accountIn(payload) ?? null,
            seal.close(JSON.stringify(payload), recordPlace(kind, index.id)),
            expiresAt,
          ],
        });
      },
      find: (id) => read(statements.find, digests('id', id)),
      findByUid: (uid) => read(statements.findByUid, digests('uid', uid)),
      findByUserCode: (code) => read(statements.findByUserCode, digests('user code', code)),
      async consume(id) {
        const { rowCount } = await pool.query({
          ...statements.consume,
          values: [kind, digests('id', id), clock.now()],
        });
        // Two who present the same thing at once both saw it unused; only one of them may have it.
        if (rowCount === 0) throw new errors.InvalidGrant(`${kind} was used already`);
      },
      async destroy(id) {
        await pool.query({ ...statements.destroy, values: [kind, digests('id', id)] });
      },
      async revokeByGrantId(grantId) {
        await pool.query({ ...statements.revoke, values: [kind, seal.digests('grant', grantId)] });
      },
    };
  }

  return {
    of,
    async endAccount(accountId) {
      await pool.query({ ...statements.endAccount, values: [accountId, clock.now()] });
    },
    async sweep(limit) {
      const before = new Date(clock.now().getTime() - keptAfterExpiryMs);
      return (await pool.query({ ...statements.sweep, values: [before, limit] })).rowCount ?? 0;
    },
  };
}
