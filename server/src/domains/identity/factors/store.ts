import { sql } from '../../../kernel/act.ts';

export const whereSql = sql(
  'factor-account',
  'select oidc_issuer as issuer, oidc_subject as subject from users where id = $1 and is_me(id)',
);
