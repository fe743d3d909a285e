import { generateKeyPairSync } from 'node:crypto';
import { ed25519, ed25519Blob, keyLine, opensshPrivateKey } from '@gpuaas/contract/ssh';
import { type BeginAct, type Database, systemViewer } from '../../../kernel/act.ts';
import { Outage } from '../../../kernel/fault.ts';
import type { Ids } from '../../../kernel/id.ts';
import type { Seal } from '../../../kernel/secrets/seal.ts';
import { sealedRows } from '../../../kernel/secrets/sealed-rows.ts';
import type { SealedValues } from '../../../kernel/secrets/sealed-values.ts';
import { findPlatformKey, insertPlatformKey, sealedCount, sealedReplace, sealedStale } from './store.ts';

/** The key by which clients know the jump host. All copies show the same one, and it stays over restarts. */
export interface JumpHostKey {
  /** Type and key, as OpenSSH writes them. */
  readonly publicKey: string;
  readonly privateKey: string;
}
const kind = 'jump_host';
/** Where the private half lies, for its seal. */
const placeOf = (of: string): string => `ssh platform key ${of}`;

function makeKey(): JumpHostKey {
  const { d = '', x = '' } = generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' });
  const [seed, point] = [Buffer.from(d, 'base64url'), Buffer.from(x, 'base64url')];
  return {
    publicKey: keyLine(ed25519, ed25519Blob(point)),
    // Readers compare the two check numbers with each other; in a key without a password any number does.
    privateKey: opensshPrivateKey(seed, point, kind, 1),
  };
}

/** Reads the key of the jump host, and makes it the first time. Of processes that start together, one makes it. */
export async function openJumpHostKey(parts: {
  readonly db: Database;
  readonly begin: BeginAct;
  readonly ids: Ids;
  readonly seal: Pick<Seal, 'close' | 'open'>;
}): Promise<JumpHostKey> {
  const { db, ids, seal } = parts;
  const look = () =>
    db.read(systemViewer('terminal', { correlationId: ids.next() }), (tx) => findPlatformKey(tx, kind));
  if (!(await look())) {
    const made = makeKey();
    await db.write(parts.begin('ssh_platform_key.create', { correlationId: ids.next() }), async (tx) => {
      await insertPlatformKey(tx, kind, made.publicKey, seal.close(made.privateKey, placeOf(kind)));
      return tx.commit(undefined, { target: { type: 'ssh_platform_key', id: kind }, events: 'none' });
    });
  }
  const row = await look();
  if (!row) throw new Error('the key of the jump host was not written');
  try {
    return { publicKey: row.public_key, privateKey: seal.open(row.sealed_private_key, placeOf(kind)) };
  } catch (cause) {
    throw new Outage('the key of the SSH jump host was sealed with another GPUAAS_SECRETS_KEY', { cause });
  }
}

/** The private halves of the keys that the platform has in SSH. */
export const sealedSshKeys = (parts: {
  readonly db: Database;
  readonly begin: BeginAct;
  readonly ids: Ids;
  readonly seal: Seal;
}): SealedValues =>
  sealedRows({
    ...parts,
    ...{ purpose: 'ssh', table: 'ssh_platform_keys', place: placeOf },
    ...{ count: sealedCount, stale: sealedStale, replace: sealedReplace },
  });
