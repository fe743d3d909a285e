import {
  createLocalJWKSet,
  exportJWK,
  generateKeyPair,
  type JWK,
  type JWTVerifyGetKey,
  errors as joseErrors,
} from 'jose';
import type { Pool, PoolClient } from 'pg';
import type { Clock } from '../../kernel/clock.ts';
import type { Seal } from '../../kernel/secrets/seal.ts';
import { isEmpty, type KeyLife, planRotation, type RotationPolicy } from './key-rotation.ts';

/** The keys that sign tokens, shared by all processes that issue. Private halves are sealed: see seal.ts. */
export interface SigningKeys {
  /** All that are shown, the one that signs first, with their private halves. */
  current(): readonly JWK[];
  readonly find: JWTVerifyGetKey;
  /** Does what is due and looks what others did. Calls back when the keys are other ones than before. */
  tend(atOnce?: boolean): Promise<void>;
}

const lock = 7_235_118_452_003_512n;
/** Strangers make up key ids; they do not get to make us look for each. */
const lookAgainAfterMs = 10_000;

interface Row {
  readonly id: string;
  readonly state: KeyLife['state'];
  readonly public_key: JWK;
  readonly sealed_private_key: Buffer;
  readonly created_at: Date;
  readonly retired_at: Date | null;
}
/** Where the private half of a key lies, for its seal. */
export const signingKeyPlace = (id: string): string => `signing key ${id}`;
const list = 'select * from gpuaas_oidc.signing_key order by state, created_at';

export async function openSigningKeys(parts: {
  readonly pool: Pool;
  readonly seal: Seal;
  readonly clock: Clock;
  readonly makeId: () => string;
  readonly policy: RotationPolicy;
  readonly onChange: (keys: readonly JWK[]) => void;
}): Promise<SigningKeys> {
  const { pool, seal, clock, policy } = parts;
  let keys: readonly JWK[] = [];
  let shown = createLocalJWKSet({ keys: [] });
  let seen = '';
  let lookedAtMs = 0;

  async function tend(atOnce = false): Promise<void> {
    lookedAtMs = clock.now().getTime();
    let { rows } = await pool.query<Row>(list);
    if (atOnce || !isEmpty(planRotation(rows.map(lifeOf), clock.now(), policy))) {
      rows = await inLockedTransaction(pool, (client) => rotate(client, atOnce));
    }
    const version = JSON.stringify(rows.map(({ id, state }) => [id, state]));
    if (version === seen) return;
    // 'active' sorts before 'next' and 'retired', and the signer takes the first.
    keys = rows.map((row) => unseal(row, seal));
    shown = createLocalJWKSet({ keys: rows.map(({ public_key }) => public_key) });
    seen = version;
    parts.onChange(keys);
  }

  async function rotate(client: PoolClient, atOnce: boolean): Promise<Row[]> {
    const before = await client.query<Row>(list);
    const now = clock.now();
    const plan = planRotation(before.rows.map(lifeOf), now, policy, atOnce);
    await client.query('delete from gpuaas_oidc.signing_key where id = any($1)', [plan.remove]);
    await client.query(`update gpuaas_oidc.signing_key set state = 'retired', retired_at = $2 where id = $1`, [
      plan.retire ?? '',
      now,
    ]);
    await client.query(`update gpuaas_oidc.signing_key set state = 'active' where id = $1`, [plan.activate ?? '']);
    for (const state of plan.create) {
      const id = parts.makeId();
      const pair = await generateKeyPair('ES256', { extractable: true });
      const shownAs = { ...(await exportJWK(pair.publicKey)), kid: id, use: 'sig', alg: 'ES256' };
      const privately = JSON.stringify({ ...(await exportJWK(pair.privateKey)), kid: id, use: 'sig', alg: 'ES256' });
      await client.query(
        `insert into gpuaas_oidc.signing_key (id, state, public_key, sealed_private_key, created_at)
         values ($1, $2, $3, $4, $5)`,
        [id, state, JSON.stringify(shownAs), seal.close(privately, signingKeyPlace(id)), now],
      );
    }
    return (await client.query<Row>(list)).rows;
  }

  await tend();
  return {
    current: () => keys,
    async find(header, token) {
      try {
        return await shown(header, token);
      } catch (error) {
        const isUnknown = error instanceof joseErrors.JWKSNoMatchingKey;
        if (!isUnknown || clock.now().getTime() - lookedAtMs < lookAgainAfterMs) throw error;
        // Another process may have made it.
        await tend();
        return shown(header, token);
      }
    },
    tend,
  };
}

const lifeOf = (row: Row): KeyLife => ({
  id: row.id,
  state: row.state,
  createdAt: row.created_at,
  retiredAt: row.retired_at ?? undefined,
});

function unseal(row: Row, seal: Seal): JWK {
  try {
    return JSON.parse(seal.open(row.sealed_private_key, signingKeyPlace(row.id))) as JWK;
  } catch (cause) {
    throw new Error(
      'The signing keys in the database were sealed with another key. Give this process the sealing key that made them.',
      { cause },
    );
  }
}

async function inLockedTransaction<T>(pool: Pool, work: (client: PoolClient) => Promise<T>): Promise<T> {
  const client = await pool.connect();
  try {
    await client.query('begin');
    await client.query('select pg_advisory_xact_lock($1)', [lock]);
    const result = await work(client);
    await client.query('commit');
    client.release();
    return result;
  } catch (error) {
    // The connection is given up with its transaction.
    client.release(true);
    throw error;
  }
}
