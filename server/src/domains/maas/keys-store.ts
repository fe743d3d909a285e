import { type BeginAct, type Database, sql } from '../../kernel/act.ts';
import type { Ids } from '../../kernel/id.ts';
import type { Seal } from '../../kernel/secrets/seal.ts';
import { sealedRows } from '../../kernel/secrets/sealed-rows.ts';
import type { SealedValues } from '../../kernel/secrets/sealed-values.ts';

/** The place that the seal of a site's key is bound to. */
export const keyLocation = (id: string): string => `maas_sites.sealed_key ${id}`;

const count = sql(
  'maas-key-sealed-count',
  'select sealed_key_id(sealed_key) as key_id, count(*) as values from maas_sites group by 1 order by 1',
);
const stale = sql(
  'maas-key-sealed-stale',
  `select id::text as at, sealed_key as sealed from maas_sites
   where sealed_key_id(sealed_key) = any ($1::text[]) and id::text > $2 order by id::text limit $3`,
);
const replace = sql(
  'maas-key-sealed-replace',
  'update maas_sites set sealed_key = $3 where id = $1 and sealed_key = $2',
);

/** The keys of MAAS sites. */
export const sealedMaasKeys = (parts: {
  readonly db: Database;
  readonly begin: BeginAct;
  readonly ids: Ids;
  readonly seal: Seal;
}): SealedValues =>
  sealedRows({ ...parts, purpose: 'maas', table: 'maas_sites', place: keyLocation, count, stale, replace });
