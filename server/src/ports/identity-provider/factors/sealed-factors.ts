import type { Pool } from 'pg';
import type { Seal } from '../../../kernel/secrets/seal.ts';
import { pageOf, type SealedValues } from '../../../kernel/secrets/sealed-values.ts';

export const factorPlace = (id: string) => `factor ${id}`;

/** The secrets of authenticator apps. Recovery codes are digests and passkeys public keys: neither needs a sealing key. */
export function sealedFactors({ pool, seal }: { readonly pool: Pool; readonly seal: Seal }): SealedValues {
  const [, ...others] = seal.keyIds;
  return {
    purpose: 'factors',
    table: 'gpuaas_oidc.factor',
    keyIds: seal.keyIds,
    async counts() {
      const { rows } = await pool.query<{ key_id: string; values: string }>(
        `select gpuaas_oidc.sealed_key_id(sealed) as key_id, count(*) as values from gpuaas_oidc.factor
         where sealed is not null group by 1`,
      );
      return rows.map(({ key_id, values }) => ({ keyId: key_id, values: Number(values) }));
    },
    async reseal(after, limit) {
      const { rows } = await pool.query<{ at: string; sealed: Buffer }>(
        `select id::text as at, sealed from gpuaas_oidc.factor
         where gpuaas_oidc.sealed_key_id(sealed) = any ($1::text[]) and id::text > $2 order by 1 limit $3`,
        [others, after, limit],
      );
      let resealed = 0;
      for (const { at, sealed } of rows) {
        const place = factorPlace(at);
        const { rowCount } = await pool.query(
          'update gpuaas_oidc.factor set sealed = $3 where id = $1 and sealed = $2',
          [at, sealed, seal.close(seal.open(sealed, place), place)],
        );
        resealed += rowCount ?? 0;
      }
      return pageOf(rows, limit, resealed);
    },
  };
}
