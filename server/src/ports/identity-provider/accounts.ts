import { hash } from 'node:crypto';
import type { Pool } from 'pg';
import type { Clock } from '../../kernel/clock.ts';
import type { Ids } from '../../kernel/id.ts';
import type { Seal } from '../../kernel/secrets/seal.ts';
import { isWeak, type Passwords } from './passwords.ts';
import type { Account, Accounts } from './port.ts';
import type { Records } from './records.ts';

interface Row {
  readonly id: string;
  readonly login: string;
  readonly display_name: string;
  readonly email: string | null;
  readonly password_hash: string | null;
  readonly created_at: Date;
  readonly disabled_at: Date | null;
  readonly sign_ins_ended_at: Date | null;
}

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

export function makeAccounts(parts: {
  readonly pool: Pool;
  readonly records: Records;
  readonly passwords: Passwords;
  readonly seal: Seal;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly linkTo: (token: string) => string;
}): Accounts {
  const { pool, records, passwords, seal, clock, ids } = parts;
  // A token has 32 bytes that nobody can guess, so its digest needs no key. Links from before had one with a key.
  const linkDigest = (token: string) => hash('sha256', `password link ${token}`, 'buffer');
  const linkDigests = (token: string) => [linkDigest(token), ...seal.digests('password link', token)];

  async function look(statement: { name: string; text: string }, value: string): Promise<Row | undefined> {
    return (await pool.query<Row>({ ...statement, values: [value] })).rows[0];
  }

  return {
    async create({ login: written, displayName, email, password }) {
      const login = asLogin(written);
      if (!loginShape.test(login)) return { refused: 'login_malformed' };
      if (password !== undefined && isWeak(password)) return { refused: 'password_weak' };
      const hash = password === undefined ? null : await passwords.hash(password);
      const { rows } = await pool.query<Row>(
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

    async offerPasswordLink(id, { token, ttlMs, restMs }) {
      const expiresMs = clock.now().getTime() + ttlMs;
      const { rowCount } = await pool.query(
        `update gpuaas_oidc.account set link_digest = $2, link_expires_at = $3
         where id = $1 and (link_expires_at is null or link_expires_at <= $4)`,
        [id, linkDigest(token), new Date(expiresMs), new Date(expiresMs - restMs)],
      );
      return rowCount === 1;
    },

    async makePasswordLink(id, ttlMs) {
      const token = ids.secret(32);
      const { rowCount } = await pool.query(
        'update gpuaas_oidc.account set link_digest = $2, link_expires_at = $3 where id = $1',
        [id, linkDigest(token), new Date(clock.now().getTime() + ttlMs)],
      );
      if (rowCount === 0) throw new Error('there is no such account');
      return parts.linkTo(token);
    },

    async redeemPasswordLink(token, password) {
      if (isWeak(password)) return { refused: 'password_weak' };
      const digests = linkDigests(token);
      const found = await pool.query(
        `select 1 from gpuaas_oidc.account
         where link_digest = any ($1) and link_expires_at > $2 and disabled_at is null`,
        [digests, clock.now()],
      );
      // Guesses cost their maker a request, not us a hash.
      if (found.rowCount === 0) return undefined;
      const { rows } = await pool.query<Row>(
        `update gpuaas_oidc.account set password_hash = $3, link_digest = null, link_expires_at = null
         where link_digest = any ($1) and link_expires_at > $2 and disabled_at is null
         returning id, login, display_name, email, password_hash, created_at, disabled_at, sign_ins_ended_at`,
        [digests, clock.now(), await passwords.hash(password)],
      );
      const [row] = rows;
      if (!row) return undefined;
      await records.endAccount(row.id);
      return accountOf(row);
    },

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

const accountOf = (row: Row): Account => ({
  id: row.id,
  login: row.login,
  displayName: row.display_name,
  email: row.email ?? undefined,
  createdAt: row.created_at,
  disabledAt: row.disabled_at ?? undefined,
  signInsEndedAt: row.sign_ins_ended_at ?? undefined,
});
