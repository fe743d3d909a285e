import { sql } from '../../kernel/act.ts';

export const listSigningKeysSql = sql(
  'signing-key-list',
  `select id, public_key, sealed_private_key, created_at from token_signing_keys where created_at > $1
   order by created_at desc, id desc`,
);
export const insertSigningKeySql = sql(
  'signing-key-insert',
  'insert into token_signing_keys (id, public_key, sealed_private_key) values ($1, $2, $3)',
);
