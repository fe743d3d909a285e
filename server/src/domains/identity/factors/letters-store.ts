import { sql } from '../../../kernel/act.ts';

export const insert = sql(
  'security-letter-insert',
  'insert into security_letters (id, account_id, login, email, change) values ($1, $2, $3, $4, $5)',
);
// Accounts of our own provider have ids that no other provider gives.
export const findUser = sql('security-letter-user', 'select id from users where oidc_subject = $1');
export const find = sql(
  'security-letter-find',
  'select login, email, change, created_at from security_letters where id = $1',
);
export const drop = sql('security-letter-delete', 'delete from security_letters where id = $1');
