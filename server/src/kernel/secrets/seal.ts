import { createCipheriv, createDecipheriv, createHmac, randomBytes } from 'node:crypto';

/**
 * What we keep in Postgres would let its reader sign in as anybody or sign tasks for nodes: session ids, refresh tokens,
 * private keys. So nothing of that is kept as it is. A value that is looked up is kept as a keyed digest, and a payload is
 * encrypted under a key of its own, made from the sealing key and the place where it lies. A copy of the tables opens no
 * door, and a row that was moved to another place does not open either.
 *
 * A sealed text names the key that sealed it, so that keys can be replaced: the first key seals, every key opens.
 */
export interface Seal {
  close(text: string, place: string): Buffer;
  /** Throws when the text was sealed elsewhere, with a key that is not here, or changed since. */
  open(sealed: Uint8Array, place: string): string;
  /** Whether the key that seals now sealed it. */
  isCurrent(sealed: Uint8Array): boolean;
  /** The key that seals, and those that only open. */
  readonly keyIds: readonly [current: string, ...others: string[]];
  /** The same value gives the same digest under one key, and says nothing without it. */
  digest(purpose: string, value: string): Buffer;
  /** The digests under all keys, the current one first: for finding what was kept under an earlier key. */
  digests(purpose: string, value: string): Buffer[];
}

export interface SealingKey {
  readonly id: string;
  readonly key: Uint8Array;
  /** The whole key of an installation from before keys had ids and purposes; it opens what was sealed then. */
  readonly former?: Uint8Array;
}

export const sealingKeyBytes = 32;
const formerVersion = 1;
const version = 2;
/** What the key of an installation from before keys had ids is called. */
export const formerKeyId = 'first';
const ivBytes = 12;
const tagBytes = 16;

const derive = (key: Uint8Array, purpose: string, value: string) =>
  createHmac('sha256', key).update(purpose).update('\0').update(value).digest();

export function makeSeal(keys: readonly SealingKey[]): Seal {
  const [current] = keys;
  if (current === undefined) throw new Error('a seal needs at least one key');
  for (const { key } of keys) {
    if (key.length !== sealingKeyBytes) throw new Error(`a sealing key has ${sealingKeyBytes} bytes`);
  }
  const prefixOf = ({ id }: SealingKey) => Buffer.concat([Buffer.of(version, id.length), Buffer.from(id, 'latin1')]);
  const currentPrefix = prefixOf(current);
  return {
    keyIds: [current.id, ...keys.slice(1).map(({ id }) => id)],
    isCurrent: (sealed) => Buffer.from(sealed).subarray(0, currentPrefix.length).equals(currentPrefix),
    close(text, place) {
      const iv = randomBytes(ivBytes);
      const cipher = createCipheriv('aes-256-gcm', derive(current.key, 'seal', place), iv);
      const body = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
      return Buffer.concat([currentPrefix, iv, cipher.getAuthTag(), body]);
    },
    open(sealed, place) {
      const bytes = Buffer.from(sealed);
      for (const each of keys) {
        const prefix = prefixOf(each);
        if (bytes.subarray(0, prefix.length).equals(prefix)) {
          return decrypt(bytes.subarray(prefix.length), derive(each.key, 'seal', place));
        }
        // A text from before keys had ids is opened by the key that has been here since then.
        if (bytes[0] === formerVersion && each.former) {
          return decrypt(bytes.subarray(1), derive(each.former, 'seal', place));
        }
      }
      throw new Error(whyNot(bytes));
    },
    digest: (purpose, value) => derive(current.key, `digest ${purpose}`, value),
    digests: (purpose, value) =>
      keys.flatMap(({ key, former }) =>
        [key, ...(former ? [former] : [])].map((each) => derive(each, `digest ${purpose}`, value)),
      ),
  };
}

function decrypt(bytes: Buffer, key: Buffer): string {
  if (bytes.length < ivBytes + tagBytes) throw new Error('this is not a sealed text');
  const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, ivBytes), { authTagLength: tagBytes });
  decipher.setAuthTag(bytes.subarray(ivBytes, ivBytes + tagBytes));
  return decipher.update(bytes.subarray(ivBytes + tagBytes), undefined, 'utf8') + decipher.final('utf8');
}

function whyNot(bytes: Buffer): string {
  if (bytes[0] === formerVersion) return 'this was sealed before keys had ids, and the key of that time is not here';
  if (bytes[0] !== version) return 'this is not a sealed text';
  const id = bytes.subarray(2, 2 + (bytes[1] ?? 0)).toString('latin1');
  return `this was sealed with the key "${id.replaceAll(/[^a-z0-9-]/g, '?')}", which is not here`;
}
