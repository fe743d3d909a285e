import { type BeginAct, type Database, sql } from '../../kernel/act.ts';
import type { Ids } from '../../kernel/id.ts';
import type { Seal } from '../../kernel/secrets/seal.ts';
import { sealedRows } from '../../kernel/secrets/sealed-rows.ts';
import type { SealedValues } from '../../kernel/secrets/sealed-values.ts';
import { signingKeyPlace } from './signer.ts';

const count = sql(
  'signing-key-sealed-count',
  `select sealed_key_id(sealed_private_key) as key_id, count(*) as values from token_signing_keys group by 1 order by 1`,
);
const stale = sql(
  'signing-key-sealed-stale',
  `select id::text as at, sealed_private_key as sealed from token_signing_keys
   where sealed_key_id(sealed_private_key) = any ($1::text[]) and id::text > $2 order by id::text limit $3`,
);
const replace = sql(
  'signing-key-sealed-replace',
  'update token_signing_keys set sealed_private_key = $3 where id = $1 and sealed_private_key = $2',
);

/** The private halves of the keys that sign tokens of service accounts. */
export const sealedSigningKeys = (parts: {
  readonly db: Database;
  readonly begin: BeginAct;
  readonly ids: Ids;
  readonly seal: Seal;
}): SealedValues =>
  sealedRows({
    ...parts,
    ...{ purpose: 'service-accounts', table: 'token_signing_keys', place: signingKeyPlace, count, stale, replace },
  });
