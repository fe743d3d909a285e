import type { AdapterPayload } from 'oidc-provider';
import { Pool } from 'pg';
import type { Keyring } from '../../../kernel/secrets/keyring.ts';
import type { Seal } from '../../../kernel/secrets/seal.ts';
import { pageOf, type SealedValues } from '../../../kernel/secrets/sealed-values.ts';
import { sealedFactors } from '../factors/sealed-factors.ts';
import { indexOf, recordPlace } from '../records.ts';
import { signingKeyPlace } from '../signing-keys.ts';

/** What our own OpenID provider keeps sealed: the keys that sign its tokens, and sessions, grants and refresh tokens. */
export const sealedIssuerValues = (parts: { readonly pool: Pool; readonly seal: Seal }): SealedValues[] => [
  sealedSigningKeys(parts),
  sealedRecords(parts),
];

function sealedSigningKeys({ pool, seal }: { readonly pool: Pool; readonly seal: Seal }): SealedValues {
  const [, ...others] = seal.keyIds;
  return {
    purpose: 'issuer',
    table: 'gpuaas_oidc.signing_key',
    keyIds: seal.keyIds,
    counts: () =>
      countOf(
        pool,
        `select gpuaas_oidc.sealed_key_id(sealed_private_key) as key_id, count(*) as values from gpuaas_oidc.signing_key group by 1`,
      ),
    async reseal(after, limit) {
      const { rows } = await pool.query<{ at: string; sealed: Buffer }>(
        `select id as at, sealed_private_key as sealed from gpuaas_oidc.signing_key
         where gpuaas_oidc.sealed_key_id(sealed_private_key) = any ($1::text[]) and id > $2 order by id limit $3`,
        [others, after, limit],
      );
      let resealed = 0;
      for (const { at, sealed } of rows) {
        const place = signingKeyPlace(at);
        const { rowCount } = await pool.query(
          'update gpuaas_oidc.signing_key set sealed_private_key = $3 where id = $1 and sealed_private_key = $2',
          [at, sealed, seal.close(seal.open(sealed, place), place)],
        );
        resealed += rowCount ?? 0;
      }
      return pageOf(rows, limit, resealed);
    },
  };
}

interface RecordRow {
  readonly at: string;
  readonly kind: string;
  readonly id: Buffer;
  readonly sealed: Buffer;
}

/**
 * A record is found by digests that a key made from its content, so they are recomputed with it. The row is updated and
 * not replaced: a transaction that waits for it, to use a code or a refresh token, still finds it under one of the
 * digests.
 */
function sealedRecords({ pool, seal }: { readonly pool: Pool; readonly seal: Seal }): SealedValues {
  const [, ...others] = seal.keyIds;
  return {
    purpose: 'issuer',
    table: 'gpuaas_oidc.record',
    keyIds: seal.keyIds,
    counts: () =>
      countOf(
        pool,
        `select gpuaas_oidc.sealed_key_id(sealed) as key_id, count(*) as values from gpuaas_oidc.record where (expires_at is null or expires_at > clock_timestamp()) group by 1`,
      ),
    async reseal(after, limit) {
      const { rows } = await pool.query<RecordRow>(
        `select kind || ' ' || encode(id, 'hex') as at, kind, id, sealed from gpuaas_oidc.record
         where (expires_at is null or expires_at > clock_timestamp()) and gpuaas_oidc.sealed_key_id(sealed) = any ($1::text[]) and kind || ' ' || encode(id, 'hex') > $2 order by 1 limit $3`,
        [others, after, limit],
      );
      let resealed = 0;
      for (const row of rows) if (await resealRecord(pool, seal, row)) resealed += 1;
      return pageOf(rows, limit, resealed);
    },
  };
}

async function resealRecord(pool: Pool, seal: Seal, { kind, id, sealed }: RecordRow): Promise<boolean> {
  const text = seal.open(sealed, recordPlace(kind, id));
  const payload = JSON.parse(text) as AdapterPayload;
  const index = indexOf(seal, kind, String(payload.jti), payload);
  // A record that was saved since under the current key has taken the place of this one.
  const { rowCount: gone } = await pool.query(
    `delete from gpuaas_oidc.record where kind = $1 and id = $2
       and exists (select from gpuaas_oidc.record where kind = $1 and id = $3)`,
    [kind, id, index.id],
  );
  if (gone !== 0) return true;
  const { rowCount } = await pool
    .query(
      `update gpuaas_oidc.record set id = $4, grant_id = $5, uid = $6, user_code = $7, sealed = $8
       where kind = $1 and id = $2 and sealed = $3`,
      [
        ...[kind, id, sealed, index.id, index.grantId, index.uid, index.userCode],
        seal.close(text, recordPlace(kind, index.id)),
      ],
    )
    .catch((error: unknown) => {
      // Saved under the current key between the two statements: the next round removes this one.
      if (error instanceof Error && 'code' in error && error.code === '23505') return { rowCount: 0 };
      throw error;
    });
  return rowCount !== 0;
}

async function countOf(pool: Pool, text: string): Promise<{ keyId: string; values: number }[]> {
  const { rows } = await pool.query<{ key_id: string; values: string }>(text);
  return rows.map(({ key_id, values }) => ({ keyId: key_id, values: Number(values) }));
}

/** The same beside an issuer that runs, for the command that seals anew. */
export function openSealedIssuerValues(url: string, keyring: Keyring) {
  const pool = new Pool({ connectionString: url, max: 1, application_name: 'gpuaas secrets' });
  pool.on('error', () => undefined);
  const stores = [
    ...sealedIssuerValues({ pool, seal: keyring.seal('issuer') }),
    sealedFactors({ pool, seal: keyring.seal('factors') }),
  ];
  return { stores, close: () => pool.end() };
}
