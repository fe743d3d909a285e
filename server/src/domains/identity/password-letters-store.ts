import { sql } from '../../kernel/act.ts';

/**
 * Emails with a link to choose a password. The api, which may read accounts, decides who gets one; the email-worker may
 * not, and reads here what it has to write. The token in the link is derived from the id and a key that both have, so
 * no table, event or log contains it.
 */
export const insert = sql(
  'password-letter-insert',
  `insert into password_letters (id, account_id, login, email, token_hash, expires_at) values ($1, $2, $3, $4, $5, $6)`,
);
export const find = sql(
  'password-letter-find',
  'select login, email, token_hash, expires_at from password_letters where id = $1',
);
export const drop = sql('password-letter-delete', 'delete from password_letters where id = $1');
