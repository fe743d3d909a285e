import type { PoolClient } from 'pg';
import type { Clock } from '../../../kernel/clock.ts';
import type { Ids } from '../../../kernel/id.ts';
import type { Seal } from '../../../kernel/secrets/seal.ts';
import { base32 } from './base32.ts';
import type { Factors, FactorTry } from './port.ts';
import {
  beginRow,
  confirmedOf,
  confirmRow,
  confirmWithinMs,
  type FactorRow,
  findBegun,
  type makeLocked,
  refuse,
} from './rows.ts';
import { factorPlace } from './sealed-factors.ts';
import { findStep, otpauthUri, secretBytes } from './totp.ts';
import { countTry, forgetTries } from './tries.ts';

/** People write codes with spaces, and in other scripts. */
export const asCode = (written: string) => written.normalize('NFKC').replaceAll(/\s/g, '');

/** Authenticator apps: how one is added, and how its codes are used. */
export function makeApps(parts: {
  readonly seal: Seal;
  readonly clock: Clock;
  readonly ids: Ids;
  /** What the installation is called in authenticator apps. */
  readonly issuerName: string;
  readonly locked: ReturnType<typeof makeLocked>;
  readonly tried: (by: FactorTry['by'], result: FactorTry['result']) => void;
}) {
  const { seal, clock, ids, locked, tried } = parts;

  /** Uses the code up for this factor: the same code, and every earlier one, is refused from now on. */
  async function useStep(client: PoolClient, row: FactorRow, code: string): Promise<boolean> {
    if (!row.sealed) return false;
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

  const adding: Pick<Factors, 'beginTotp' | 'confirmTotp'> = {
    beginTotp: (accountId, name, options) =>
      locked(accountId, async (client, { login }) => {
        if (options?.asFirst && (await confirmedOf(client, accountId)).length > 0) return refuse('not_found');
        const [id, now] = [ids.next(), clock.now()];
        const secret = Buffer.from(ids.secret(secretBytes), 'hex');
        const sealed = seal.close(secret.toString('hex'), factorPlace(id));
        const row = { id, accountId, kind: 'totp', name, sealed, created_at: now } as const;
        if (!(await beginRow(client, row))) return refuse('too_many_factors');
        const uri = otpauthUri({ secret, issuer: parts.issuerName, login });
        return { id, secret: base32(secret), uri, expiresAt: new Date(now.getTime() + confirmWithinMs) };
      }),

    confirmTotp: (accountId, id, code, options) =>
      locked(accountId, async (client) => {
        if (options?.asFirst && (await confirmedOf(client, accountId)).length > 0) return refuse('not_found');
        const limited = await countTry(client, accountId, clock.now());
        if (limited) {
          tried('totp', 'limited');
          return limited;
        }
        const row = await findBegun(client, { id, accountId, kind: 'totp', now: clock.now() });
        if (!row) return refuse('not_found');
        if (!(await useStep(client, row, asCode(code)))) {
          tried('totp', 'wrong');
          return refuse('code_wrong');
        }
        tried('totp', 'right');
        await forgetTries(client, accountId);
        return confirmRow(client, ids, accountId, id, clock.now());
      }),
  };

  return {
    adding,
    /** Whether the code is of one of the apps of the account; it is then used up. */
    async use(client: PoolClient, accountId: string, code: string): Promise<boolean> {
      for (const row of await confirmedOf(client, accountId)) if (await useStep(client, row, code)) return true;
      return false;
    },
  };
}
