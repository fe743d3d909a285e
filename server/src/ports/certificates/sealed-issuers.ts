import { X509Certificate } from 'node:crypto';
import { Pool } from 'pg';
import type { Seal } from '../../kernel/secrets/seal.ts';
import { pageOf, type SealedValues } from '../../kernel/secrets/sealed-values.ts';

/** Where the key of an issuer lies, for its seal. */
export const issuerPlace = (certificate: string): string =>
  `authority ${new X509Certificate(certificate).fingerprint256}`;

/** The keys of our own certificate authority. */
export function sealedIssuers({ pool, seal }: { readonly pool: Pool; readonly seal: Seal }): SealedValues {
  const [, ...others] = seal.keyIds;
  return {
    purpose: 'authority',
    table: 'gpuaas_pki.issuer',
    keyIds: seal.keyIds,
    async counts() {
      const { rows } = await pool.query<{ key_id: string; values: string }>(
        `select gpuaas_pki.sealed_key_id(sealed_key) as key_id, count(*) as values from gpuaas_pki.issuer group by 1 order by 1`,
      );
      return rows.map(({ key_id, values }) => ({ keyId: key_id, values: Number(values) }));
    },
    async reseal(after, limit) {
      const { rows } = await pool.query<{ at: string; certificate: string; sealed_key: Buffer }>(
        `select id::text as at, certificate, sealed_key from gpuaas_pki.issuer
         where gpuaas_pki.sealed_key_id(sealed_key) = any ($1::text[]) and id > $2::bigint order by id limit $3`,
        [others, after === '' ? '0' : after, limit],
      );
      let resealed = 0;
      for (const { at, certificate, sealed_key: sealed } of rows) {
        const place = issuerPlace(certificate);
        const { rowCount } = await pool.query(
          'update gpuaas_pki.issuer set sealed_key = $3 where id = $1 and sealed_key = $2',
          [at, sealed, seal.close(seal.open(sealed, place), place)],
        );
        resealed += rowCount ?? 0;
      }
      return pageOf(rows, limit, resealed);
    },
  };
}

/** The same beside an authority that runs, for the command that seals anew. */
export function openSealedIssuers(url: string, seal: Seal) {
  const pool = new Pool({ connectionString: url, max: 1, application_name: 'gpuaas secrets' });
  pool.on('error', () => undefined);
  return { stores: [sealedIssuers({ pool, seal })], close: () => pool.end() };
}
