import type { Pool, PoolClient } from 'pg';
import type { Clock } from '../../../kernel/clock.ts';
import type { Ids } from '../../../kernel/id.ts';
import type { Seal } from '../../../kernel/secrets/seal.ts';
import { asCode, makeApps } from './apps.ts';
import { makePasskeys } from './passkeys.ts';
import type { FactorProof, Factors, FactorTry } from './port.ts';
import { readRecoveryCode } from './recovery-codes.ts';
import type { RelyingParty } from './relying-party.ts';
import { confirmedOf, digestOf, makeLocked, refuse, show, writeCodes } from './rows.ts';
import { codeShape } from './totp.ts';
import { countTry, forgetTries } from './tries.ts';

/**
 * Second factors in the schema of the issuer. The secret of an app is sealed, because it has to be read again; recovery
 * codes are digests; of a passkey there is a public key.
 */
export function makeFactors(parts: {
  readonly pool: Pool;
  readonly seal: Seal;
  readonly clock: Clock;
  readonly ids: Ids;
  /** What the installation is called in authenticator apps. */
  readonly issuerName: string;
  /** Undefined where browsers make no passkeys for this installation. */
  readonly relyingParty: RelyingParty | undefined;
  readonly endSignIns: (accountId: string) => Promise<void>;
  readonly onTry?: ((attempt: FactorTry) => void) | undefined;
}): Factors {
  const { pool, clock, ids } = parts;
  const tried = (by: FactorTry['by'], result: FactorTry['result']) => parts.onTry?.({ by, result });

  const locked = makeLocked(pool);
  const apps = makeApps({ ...parts, locked, tried });

  async function useRecoveryCode(client: PoolClient, accountId: string, code: string): Promise<boolean> {
    const { rowCount } = await client.query(
      `update gpuaas_oidc.recovery_code set used_at = $3
       where account_id = $1 and digest = $2 and used_at is null`,
      [accountId, digestOf(accountId, code), clock.now()],
    );
    return rowCount === 1;
  }

  return {
    ...apps.adding,
    ...makePasskeys({ pool, clock, ids, locked, relyingParty: parts.relyingParty, tried }),
    takesPasskeys: parts.relyingParty !== undefined,

    async list(accountId) {
      const { rows } = await pool.query<{ n: number }>(
        'select count(*)::int as n from gpuaas_oidc.recovery_code where account_id = $1 and used_at is null',
        [accountId],
      );
      return { factors: (await confirmedOf(pool, accountId)).map(show), recoveryCodesLeft: rows[0]?.n ?? 0 };
    },

    async has(accountId) {
      const { rowCount } = await pool.query({
        name: 'gpuaas_oidc_has_factor',
        text: 'select 1 from gpuaas_oidc.factor where account_id = $1 and confirmed_at is not null limit 1',
        values: [accountId],
      });
      return rowCount === 1;
    },

    remove: (accountId, id, { keepLast }) =>
      locked(accountId, async (client) => {
        const confirmed = await confirmedOf(client, accountId);
        const row = confirmed.find((each) => each.id === id);
        if (!row) return refuse('not_found');
        const isLast = confirmed.length === 1;
        if (isLast && keepLast) return refuse('last_factor');
        await client.query('delete from gpuaas_oidc.factor where id = $1', [id]);
        if (isLast) await client.query('delete from gpuaas_oidc.recovery_code where account_id = $1', [accountId]);
        return show(row);
      }),

    renewRecoveryCodes: (accountId) =>
      locked(accountId, async (client) =>
        (await confirmedOf(client, accountId)).length === 0 ? refuse('no_factor') : writeCodes(client, ids, accountId),
      ),

    prove: (accountId, written) =>
      locked(accountId, async (client) => {
        const text = asCode(written);
        const recoveryCode = codeShape.test(text) ? undefined : readRecoveryCode(written);
        const by = recoveryCode === undefined ? 'totp' : 'recovery_code';
        const limited = await countTry(client, accountId, clock.now());
        if (limited) {
          tried(by, 'limited');
          return limited;
        }
        const isRight =
          recoveryCode === undefined
            ? await apps.use(client, accountId, text)
            : await useRecoveryCode(client, accountId, recoveryCode);
        tried(by, isRight ? 'right' : 'wrong');
        if (!isRight) return refuse('code_wrong');
        await forgetTries(client, accountId);
        return { by, methods: ['otp'] } satisfies FactorProof;
      }),

    async reset(accountId) {
      const { rows } = await pool.query<{ n: number }>(
        `with gone as (delete from gpuaas_oidc.factor where account_id = $1 returning confirmed_at),
           challenges as (delete from gpuaas_oidc.passkey_challenge where account_id = $1),
           codes as (delete from gpuaas_oidc.recovery_code where account_id = $1),
           tries as (update gpuaas_oidc.account set factor_tries = 0, factor_tries_from = null where id = $1)
         select count(confirmed_at)::int as n from gone`,
        [accountId],
      );
      await parts.endSignIns(accountId);
      return rows[0]?.n ?? 0;
    },
  };
}
