import {
  createLocalJWKSet,
  exportJWK,
  generateKeyPair,
  importJWK,
  type JWK,
  type JWTPayload,
  type JWTVerifyGetKey,
  errors as joseErrors,
  SignJWT,
} from 'jose';
import { type BeginAct, type Database, type ReadTx, systemViewer } from '../../kernel/act.ts';
import type { Clock } from '../../kernel/clock.ts';
import { Outage } from '../../kernel/fault.ts';
import type { Ids } from '../../kernel/id.ts';
import { lookAgainMs, shownMs, signsMs } from './facts.ts';
import { insertSigningKeySql, listSigningKeysSql } from './signing-keys-store.ts';

/** Encrypts what must not lie in the database as it is. A text that is moved to another place does not open. */
export interface Seal {
  close(text: string, place: string): Buffer;
  open(sealed: Uint8Array, place: string): string;
}
export interface Signer {
  sign(claims: JWTPayload): Promise<string>;
  /** The public halves: those that sign, and those that did so not long ago. */
  shown(): Promise<readonly Record<string, string>[]>;
  readonly find: JWTVerifyGetKey;
}

const algorithm = 'ES256';

interface Row {
  readonly id: string;
  readonly public_key: Record<string, string>;
  readonly sealed_private_key: Buffer;
  readonly created_at: Date;
}
/** Where the private half of a key lies, for its seal. */
export const signingKeyPlace = (id: string): string => `token signing key ${id}`;

/** The keys that we sign with, shared by all processes. The newest signs; one that is 90 days old gets a successor. */
export function makeSigner(parts: {
  readonly db: Database;
  readonly begin: BeginAct;
  readonly ids: Ids;
  readonly clock: Clock;
  readonly seal: Seal | undefined;
}): Signer {
  const { db, ids, clock, seal } = parts;
  let known: { readonly rows: readonly Row[]; readonly find: JWTVerifyGetKey; readonly atMs: number } | undefined;
  let making: Promise<Row> | undefined;

  const list = (tx: ReadTx) => tx.rows<Row>(listSigningKeysSql, [new Date(clock.now().getTime() - shownMs)]);
  async function look() {
    const rows = await db.read(systemViewer('service-accounts', { correlationId: ids.next() }), list);
    const find = createLocalJWKSet({ keys: rows.map(({ public_key }) => public_key as unknown as JWK) });
    known = { rows, find, atMs: clock.now().getTime() };
    return known;
  }
  const fresh = async () => (known && clock.now().getTime() - known.atMs < lookAgainMs ? known : look());

  async function make(sealing: Seal): Promise<Row> {
    const id = ids.next();
    const pair = await generateKeyPair(algorithm, { extractable: true });
    const about = { kid: id, alg: algorithm, use: 'sig' };
    const { kty = '', crv = '', x = '', y = '' } = await exportJWK(pair.publicKey);
    const publicKey = { kty, crv, x, y, ...about };
    const sealed = sealing.close(
      JSON.stringify({ ...(await exportJWK(pair.privateKey)), ...about }),
      signingKeyPlace(id),
    );
    await db.write(parts.begin('signing_key.create', { correlationId: ids.next() }), async (tx) => {
      await tx.run(insertSigningKeySql, [id, JSON.stringify(publicKey), sealed]);
      return tx.commit(undefined, { target: { type: 'signing_key', id }, events: 'none' });
    });
    known = undefined;
    return { id, public_key: publicKey, sealed_private_key: sealed, created_at: clock.now() };
  }

  async function current(sealing: Seal): Promise<Row> {
    const [newest] = (await fresh()).rows;
    if (newest && clock.now().getTime() - newest.created_at.getTime() < signsMs) return newest;
    making ??= make(sealing).finally(() => {
      making = undefined;
    });
    return making;
  }

  return {
    async sign(claims) {
      if (!seal) throw new Outage('no tokens are issued without GPUAAS_SECRETS_KEY');
      const row = await current(seal);
      let secret: JWK;
      try {
        secret = JSON.parse(seal.open(row.sealed_private_key, signingKeyPlace(row.id))) as JWK;
      } catch (cause) {
        throw new Outage('the signing keys were sealed with another GPUAAS_SECRETS_KEY', { cause });
      }
      return new SignJWT(claims)
        .setProtectedHeader({ alg: algorithm, kid: row.id, typ: 'at+jwt' })
        .sign(await importJWK(secret, algorithm));
    },
    shown: async () => (await fresh()).rows.map(({ public_key }) => public_key),
    async find(header, token) {
      const held = known ?? (await look());
      try {
        return await held.find(header, token);
      } catch (error) {
        const isUnknown = error instanceof joseErrors.JWKSNoMatchingKey;
        if (!isUnknown || clock.now().getTime() - held.atMs < lookAgainMs) throw error;
        // Another process may have made it. Strangers, who make ids up, do not get to make us look for each.
        return (await look()).find(header, token);
      }
    },
  };
}
