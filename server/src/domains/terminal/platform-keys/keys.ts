import { generateKeyPairSync } from 'node:crypto';
import type { SshPlatformKeyKind } from '@gpuaas/contract';
import { ed25519, ed25519Blob, keyLine, opensshPrivateKey } from '@gpuaas/contract/ssh';
import { type BeginAct, type Database, systemViewer, type WriteTx } from '../../../kernel/act.ts';
import { Outage } from '../../../kernel/fault.ts';
import type { Ids } from '../../../kernel/id.ts';
import type { Seal } from '../../../kernel/secrets/seal.ts';
import { sealedRows } from '../../../kernel/secrets/sealed-rows.ts';
import type { SealedValues } from '../../../kernel/secrets/sealed-values.ts';
import { retiredSeconds } from '../facts.ts';
import {
  findSecret,
  insertPlatformKey,
  listLivingKeys,
  type PlatformKeyRow,
  sealedCount,
  sealedReplace,
  sealedStale,
} from './store.ts';

export interface PlatformKey {
  readonly number: number;
  /** Type and key, as OpenSSH writes them. */
  readonly publicKey: string;
  readonly privateKey: string;
}
/** The SSH keys of the platform. All processes use the same ones, and they stay over restarts. */
export interface PlatformKeys {
  /** The key of this moment. It is read each time, because an operator may have switched to another one. */
  current(kind: SshPlatformKeyKind): Promise<PlatformKey>;
  /** Public keys that clients or machines should know: the current one first, then the announced one and those retired a moment ago. */
  known(kind: SshPlatformKeyKind): Promise<string[]>;
  /** A key that is announced and not used yet. */
  add(tx: WriteTx, kind: SshPlatformKeyKind, number: number): Promise<PlatformKeyRow | undefined>;
}

/** Where the private half lies, for its seal. */
const placeOf = (of: string): string => `ssh platform key ${of}`;
const nameOf = (kind: string, number: number): string => (number === 1 ? kind : `${kind} ${number}`);

function makeKey(comment: string) {
  const { d = '', x = '' } = generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' });
  const [seed, point] = [Buffer.from(d, 'base64url'), Buffer.from(x, 'base64url')];
  return {
    publicKey: keyLine(ed25519, ed25519Blob(point)),
    // Readers compare the two check numbers with each other; in a key without a password any number does.
    privateKey: opensshPrivateKey(seed, point, comment, 1),
  };
}

interface Parts {
  readonly db: Database;
  readonly begin: BeginAct;
  readonly ids: Ids;
  readonly seal: Pick<Seal, 'close' | 'open'>;
}

/** Makes the first key of each kind the first time. Of processes that start together, one makes it. */
export async function openPlatformKeys(parts: Parts, kinds: readonly SshPlatformKeyKind[]): Promise<PlatformKeys> {
  const { db, ids, seal } = parts;
  const viewer = () => systemViewer('terminal', { correlationId: ids.next() });
  const look = (kind: string) => db.read(viewer(), (tx) => findSecret(tx, kind));
  const insert = (tx: WriteTx, kind: SshPlatformKeyKind, number: number, isUsedNow: boolean) => {
    const made = makeKey(kind);
    const sealed = seal.close(made.privateKey, placeOf(nameOf(kind, number)));
    return insertPlatformKey(tx, { kind, number, publicKey: made.publicKey, sealed }, isUsedNow);
  };
  const keys: PlatformKeys = {
    async current(kind) {
      const row = await look(kind);
      if (!row) throw new Outage(`there is no SSH key of kind ${kind}`);
      try {
        const privateKey = seal.open(row.sealed_private_key, placeOf(nameOf(kind, row.number)));
        return { number: row.number, publicKey: row.public_key, privateKey };
      } catch (cause) {
        throw new Outage(`the SSH key ${nameOf(kind, row.number)} was sealed with another GPUAAS_SECRETS_KEY`, {
          cause,
        });
      }
    },
    async known(kind) {
      const rows = await db.read(viewer(), (tx) => listLivingKeys(tx, kind, retiredSeconds));
      const isCurrent = ({ used_from, retired_at }: PlatformKeyRow) => used_from !== null && retired_at === null;
      return rows.toSorted((a, b) => Number(isCurrent(b)) - Number(isCurrent(a))).map(({ public_key }) => public_key);
    },
    add: (tx, kind, number) => insert(tx, kind, number, false),
  };
  for (const kind of kinds) {
    if (!(await look(kind))) {
      await db.write(parts.begin('ssh_platform_key.create', { correlationId: ids.next() }), async (tx) => {
        await insert(tx, kind, 1, true);
        return tx.commit(undefined, { target: { type: 'ssh_platform_key', id: kind }, events: 'none' });
      });
    }
    // A process that could not open it would only say so when a person needs it.
    await keys.current(kind);
  }
  return keys;
}

/** The private halves of the keys that the platform has in SSH. */
export const sealedSshKeys = (parts: Omit<Parts, 'seal'> & { readonly seal: Seal }): SealedValues =>
  sealedRows({
    ...parts,
    ...{ purpose: 'ssh', table: 'ssh_platform_keys', place: placeOf },
    ...{ count: sealedCount, stale: sealedStale, replace: sealedReplace },
  });
