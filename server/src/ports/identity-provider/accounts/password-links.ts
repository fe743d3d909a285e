import { hash } from 'node:crypto';
import type { Pool } from 'pg';
import type { Clock } from '../../../kernel/clock.ts';
import type { Ids } from '../../../kernel/id.ts';
import type { Seal } from '../../../kernel/secrets/seal.ts';
import type { Accounts } from '../port.ts';
import type { Records } from '../records.ts';
import { isWeak, type Passwords } from './passwords.ts';
import { type AccountRow, accountOf } from './rows.ts';

export interface AccountParts {
  readonly pool: Pool;
  readonly records: Records;
  readonly passwords: Passwords;
  readonly seal: Seal;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly linkTo: (token: string) => string;
}

/** Links by which a person chooses a password. Each works once, and a newer one replaces it. */
export function makePasswordLinks(
  parts: AccountParts,
): Pick<Accounts, 'offerPasswordLink' | 'makePasswordLink' | 'redeemPasswordLink'> {
  const { pool, records, passwords, seal, clock, ids } = parts;
  // A token has 32 bytes that nobody can guess, so its digest needs no key. Links from before had one with a key.
  const linkDigest = (token: string) => hash('sha256', `password link ${token}`, 'buffer');
  const linkDigests = (token: string) => [linkDigest(token), ...seal.digests('password link', token)];

  return {
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
      const { rows } = await pool.query<AccountRow>(
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
  };
}
