import type { Accounts } from '../port.ts';
import { type AccountParts, makePasswordLinks } from './password-links.ts';
import { isWeak } from './passwords.ts';
import { type AccountRow, accountOf } from './rows.ts';

const loginShape = /^[a-z0-9][a-z0-9._@+-]{0,127}$/;
/** People write their login in many ways and mean one. */
const asLogin = (text: string): string => text.normalize('NFKC').trim().toLowerCase();
const isUuid = (text: string): boolean => /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text);

const columns = 'id, login, display_name, email, password_hash, created_at, disabled_at, sign_ins_ended_at';
const byId = { name: 'gpuaas_oidc_account', text: `select ${columns} from gpuaas_oidc.account where id = $1` };
const byLogin = {
  name: 'gpuaas_oidc_account_by_login',
  text: `select ${columns} from gpuaas_oidc.account where login = $1`,
};

const byEmail = {
  name: 'gpuaas_oidc_account_by_email',
  text: `select ${columns} from gpuaas_oidc.account where lower(email) = $1 order by created_at, id limit 1`,
};

export function makeAccounts(parts: AccountParts): Accounts {
  const { pool, records, passwords, clock, ids } = parts;
  async function look(statement: { name: string; text: string }, value: string): Promise<AccountRow | undefined> {
    return (await pool.query<AccountRow>({ ...statement, values: [value] })).rows[0];
  }

  return {
    async create({ login: written, displayName, email, password }) {
      const login = asLogin(written);
      if (!loginShape.test(login)) return { refused: 'login_malformed' };
      if (password !== undefined && isWeak(password)) return { refused: 'password_weak' };
      const hash = password === undefined ? null : await passwords.hash(password);
      const { rows } = await pool.query<AccountRow>(
        `insert into gpuaas_oidc.account (id, login, display_name, email, password_hash, created_at)
         values ($1, $2, $3, $4, $5, $6) on conflict (login) do nothing
         returning id, login, display_name, email, password_hash, created_at, disabled_at, sign_ins_ended_at`,
        [ids.next(), login, displayName, email ?? null, hash, clock.now()],
      );
      return rows[0] ? accountOf(rows[0]) : { refused: 'login_taken' };
    },

    async find(by) {
      if ('id' in by && !isUuid(by.id)) return undefined;
      const row =
        'id' in by
          ? await look(byId, by.id)
          : 'login' in by
            ? await look(byLogin, asLogin(by.login))
            : await look(byEmail, asLogin(by.email));
      return row && accountOf(row);
    },

    ...makePasswordLinks(parts),

    async setPassword(id, password) {
      if (isWeak(password)) return { refused: 'password_weak' };
      const { rowCount } = await pool.query(
        `update gpuaas_oidc.account set password_hash = $2, link_digest = null, link_expires_at = null where id = $1`,
        [id, await passwords.hash(password)],
      );
      if (rowCount === 0) throw new Error('there is no such account');
      await records.endAccount(id);
      return undefined;
    },

    async disable(id) {
      await pool.query('update gpuaas_oidc.account set disabled_at = coalesce(disabled_at, $2) where id = $1', [
        id,
        clock.now(),
      ]);
      await records.endAccount(id);
    },

    async enable(id) {
      await pool.query('update gpuaas_oidc.account set disabled_at = null where id = $1', [id]);
    },

    async remove(id) {
      await pool.query('delete from gpuaas_oidc.account where id = $1', [id]);
      await records.endAccount(id);
    },

    async authenticate(login, password) {
      // Taken before the hash is read: a change of the password after this ends the sign-in that follows.
      const checkedAt = clock.now();
      const row = await look(byLogin, asLogin(login));
      const usable = row && !row.disabled_at ? row : undefined;
      const isRight = await passwords.verify(usable?.password_hash ?? undefined, password);
      return usable && isRight ? { ...accountOf(usable), checkedAt } : undefined;
    },
  };
}
