import { hash } from 'node:crypto';
import type { Pool, PoolClient } from 'pg';
import type { Clock } from '../../../kernel/clock.ts';
import type { Ids } from '../../../kernel/id.ts';
import type { Seal } from '../../../kernel/secrets/seal.ts';
import { base32 } from './base32.ts';
import type { Factor, FactorKind, FactorProof, Factors, FactorTry } from './port.ts';
import { makeRecoveryCodes, readRecoveryCode } from './recovery-codes.ts';
import { factorPlace } from './sealed-factors.ts';
import { codeShape, findStep, otpauthUri, secretBytes } from './totp.ts';
import { countTry, forgetTries } from './tries.ts';

interface Row {
  readonly id: string;
  readonly kind: FactorKind;
  readonly name: string;
  readonly sealed: Buffer;
  readonly created_at: Date;
  readonly confirmed_at: Date | null;
  readonly last_used_at: Date | null;
}
const columns = 'id, kind, name, sealed, created_at, confirmed_at, last_used_at';

/** What was begun and not confirmed is forgotten after this. */
export const confirmWithinMs = 10 * 60_000;
const mostFactors = 10;

/** A code has 80 random bits, so its digest needs no key; the account is in it, so that no code is looked up for all. */
const digestOf = (accountId: string, code: string) => hash('sha256', `recovery code ${accountId} ${code}`, 'buffer');
const refuse = <const R extends string>(refused: R): { readonly refused: R } => ({ refused });

/**
 * Second factors in the schema of the issuer. The secret of an app is sealed, because it has to be read again; recovery
 * codes are digests. Everything that changes the factors of an account locks the account, so two changes at once
 * come one after the other.
 */
export function makeFactors(parts: {
  readonly pool: Pool;
  readonly seal: Seal;
  readonly clock: Clock;
  readonly ids: Ids;
  /** What the installation is called in authenticator apps. */
  readonly issuerName: string;
  readonly endSignIns: (accountId: string) => Promise<void>;
  readonly onTry?: ((attempt: FactorTry) => void) | undefined;
}): Factors {
  const { pool, seal, clock, ids } = parts;
  const tried = (by: FactorTry['by'], result: FactorTry['result']) => parts.onTry?.({ by, result });

  /** The work of one person's factors, in a transaction. A refusal keeps what was written: tries stay counted. */
  async function locked<T>(accountId: string, work: (client: PoolClient, login: string) => Promise<T>) {
    const client = await pool.connect();
    try {
      await client.query('begin');
      const { rows } = await client.query<{ login: string }>(
        'select login from gpuaas_oidc.account where id = $1 and disabled_at is null for update',
        [accountId],
      );
      const done = rows[0] ? await work(client, rows[0].login) : refuse('not_found');
      await client.query('commit');
      return done;
    } catch (error) {
      await client.query('rollback').catch(() => undefined);
      throw error;
    } finally {
      client.release();
    }
  }

  const confirmedOf = async (client: Pick<Pool, 'query'>, accountId: string): Promise<Row[]> =>
    (
      await client.query<Row>(
        `select ${columns} from gpuaas_oidc.factor where account_id = $1 and confirmed_at is not null order by id`,
        [accountId],
      )
    ).rows;

  async function writeCodes(client: PoolClient, accountId: string): Promise<string[]> {
    const codes = makeRecoveryCodes(ids.secret);
    const digests = codes.map((code) => digestOf(accountId, readRecoveryCode(code) ?? ''));
    await client.query('delete from gpuaas_oidc.recovery_code where account_id = $1', [accountId]);
    await client.query('insert into gpuaas_oidc.recovery_code (account_id, digest) select $1, unnest($2::bytea[])', [
      accountId,
      digests,
    ]);
    return codes;
  }

  const asCode = (written: string) => written.normalize('NFKC').replaceAll(/\s/g, '');

  /** Uses the code up for this factor: the same code, and every earlier one, is refused from now on. */
  async function useStep(client: PoolClient, row: Row, code: string): Promise<boolean> {
    const secret = Buffer.from(seal.open(row.sealed, factorPlace(row.id)), 'hex');
    const step = findStep(secret, code, clock.now());
    if (step === undefined) return false;
    const { rowCount } = await client.query(
      `update gpuaas_oidc.factor set last_step = $2, last_used_at = $3
       where id = $1 and (last_step is null or last_step < $2)`,
      [row.id, step, clock.now()],
    );
    return rowCount === 1;
  }

  async function useApp(client: PoolClient, accountId: string, code: string): Promise<boolean> {
    for (const row of await confirmedOf(client, accountId)) if (await useStep(client, row, code)) return true;
    return false;
  }

  async function useRecoveryCode(client: PoolClient, accountId: string, code: string): Promise<boolean> {
    const { rowCount } = await client.query(
      `update gpuaas_oidc.recovery_code set used_at = $3
       where account_id = $1 and digest = $2 and used_at is null`,
      [accountId, digestOf(accountId, code), clock.now()],
    );
    return rowCount === 1;
  }

  return {
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

    beginTotp: (accountId, name) =>
      locked(accountId, async (client, login) => {
        if ((await confirmedOf(client, accountId)).length >= mostFactors) return refuse('too_many_factors');
        await client.query('delete from gpuaas_oidc.factor where account_id = $1 and confirmed_at is null', [
          accountId,
        ]);
        const [id, secret] = [ids.next(), Buffer.from(ids.secret(secretBytes), 'hex')];
        await client.query(
          `insert into gpuaas_oidc.factor (id, account_id, kind, name, sealed, created_at)
           values ($1, $2, 'totp', $3, $4, $5)`,
          [id, accountId, name, seal.close(secret.toString('hex'), factorPlace(id)), clock.now()],
        );
        const uri = otpauthUri({ secret, issuer: parts.issuerName, login });
        return { id, secret: base32(secret), uri, expiresAt: new Date(clock.now().getTime() + confirmWithinMs) };
      }),

    confirmTotp: (accountId, id, code) =>
      locked(accountId, async (client) => {
        const limited = await countTry(client, accountId, clock.now());
        if (limited) {
          tried('totp', 'limited');
          return limited;
        }
        const { rows } = await client.query<Row>(
          `select ${columns} from gpuaas_oidc.factor
           where id = $1 and account_id = $2 and confirmed_at is null and created_at > $3`,
          [id, accountId, new Date(clock.now().getTime() - confirmWithinMs)],
        );
        const [row] = rows;
        if (!row) return refuse('not_found');
        if (!(await useStep(client, row, asCode(code)))) {
          tried('totp', 'wrong');
          return refuse('code_wrong');
        }
        tried('totp', 'right');
        const isFirst = (await confirmedOf(client, accountId)).length === 0;
        const { rows: confirmed } = await client.query<Row>(
          `update gpuaas_oidc.factor set confirmed_at = $2 where id = $1 returning ${columns}`,
          [id, clock.now()],
        );
        await forgetTries(client, accountId);
        const recoveryCodes = isFirst ? await writeCodes(client, accountId) : undefined;
        return { factor: show(confirmed[0] as Row), recoveryCodes };
      }),

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
        (await confirmedOf(client, accountId)).length === 0 ? refuse('no_factor') : writeCodes(client, accountId),
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
            ? await useApp(client, accountId, text)
            : await useRecoveryCode(client, accountId, recoveryCode);
        tried(by, isRight ? 'right' : 'wrong');
        if (!isRight) return refuse('code_wrong');
        await forgetTries(client, accountId);
        return { by, methods: ['otp'] } satisfies FactorProof;
      }),

    async reset(accountId) {
      const { rows } = await pool.query<{ n: number }>(
        `with gone as (delete from gpuaas_oidc.factor where account_id = $1 returning confirmed_at),
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

const show = (row: Row): Factor => ({
  id: row.id,
  kind: row.kind,
  name: row.name,
  createdAt: row.created_at,
  lastUsedAt: row.last_used_at ?? undefined,
});
