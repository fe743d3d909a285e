import { createHmac, randomBytes } from 'node:crypto';
import { open, readFile, stat } from 'node:fs/promises';
import { formerKeyId, makeSeal, type Seal, type SealingKey, sealingKeyBytes } from './seal.ts';

/**
 * One secret seals everything that an installation keeps, and no process needs all of it. Each purpose has a key of its
 * own that follows from the secret; a process may be given only the keys of its purposes, and the secret does not follow
 * from those. A stolen mail worker can then write invitations and read no signing key.
 *
 * A keyring is a text of one or more keys with spaces between them, the one that seals first:
 *
 *     k2:<base64> k1:<base64>          whole keys, from which all purposes follow
 *     k2/letters:<base64>              the key of one purpose
 *     <base64>                         a whole key from before keys had ids; it is called "first"
 */
export const purposes = [
  'authority',
  'console',
  'factors',
  'issuer',
  'letters',
  'maas',
  'service-accounts',
  'ssh',
  'storage',
  'task-signers',
  'webhooks',
] as const;
export type Purpose = (typeof purposes)[number];

export interface Keyring {
  /** The key that seals, and those that still open. */
  readonly ids: readonly [current: string, ...others: string[]];
  /** Throws when this keyring has no key for the purpose. */
  seal(purpose: Purpose): Seal;
  /** Nothing when it has none. */
  find(purpose: Purpose): Seal | undefined;
  /**
   * The text of a keyring that holds these purposes alone. A key from before keys had ids stays whole: what it sealed then
   * opens with nothing less.
   */
  only(...wanted: readonly Purpose[]): string;
  /** The text of this keyring with a new whole key behind the others: known, and sealing nothing yet. */
  add(id: string): string;
  /** The text with this key in front: it seals from now on, and the others still open. */
  promote(id: string): string;
  /** The text without this key. */
  drop(id: string): string;
}

interface Part {
  readonly id: string;
  readonly purpose: Purpose | undefined;
  readonly key: Buffer;
  readonly isFormer: boolean;
}

const shape = /^(?:(?<id>[a-z0-9][a-z0-9-]{0,31})(?:\/(?<purpose>[a-z-]+))?:)?(?<key>[A-Za-z0-9+/_-]{43}=?)$/;
const idShape = /^[a-z0-9][a-z0-9-]{0,31}$/;

export class KeyringFault extends Error {
  override readonly name = 'KeyringFault';
}

/** `from` says where the text came from; the text itself is never repeated. */
export function openKeyring(text: string, from: string): Keyring {
  const parts = text
    .split(/[\s,]+/)
    .filter((each) => each !== '')
    .map((each, index) => partOf(each, index, from));
  const [first] = parts;
  if (first === undefined)
    throw new KeyringFault(`${from} is empty: it holds a sealing key, "k1:" and 32 bytes in base64.`);
  const ids = [...new Set(parts.map(({ id }) => id))];
  const keysOf = (purpose: Purpose): SealingKey[] =>
    parts
      .filter((part) => part.purpose === undefined || part.purpose === purpose)
      .map(({ id, key, purpose: narrowed, isFormer }) => ({
        id,
        key: narrowed === undefined ? subkey(key, purpose) : key,
        ...(isFormer && { former: key }),
      }));
  const find = (purpose: Purpose) => {
    const keys = keysOf(purpose);
    return keys.length > 0 ? makeSeal(keys) : undefined;
  };
  const split = (id: string): [Part[], Part[]] => {
    if (!ids.includes(id)) throw new KeyringFault(`${from} has no key "${id}"; it has ${ids.join(', ')}.`);
    return [parts.filter((part) => part.id === id), parts.filter((part) => part.id !== id)];
  };
  return {
    ids: [first.id, ...ids.slice(1)],
    find,
    seal(purpose) {
      const seal = find(purpose);
      if (!seal) throw new KeyringFault(`${from} holds no key for ${purpose}.`);
      return seal;
    },
    only(...wanted) {
      const texts = wanted.flatMap((purpose) =>
        keysOf(purpose).map(({ id, key, former }) => (former ? text64(former) : `${id}/${purpose}:${text64(key)}`)),
      );
      return [...new Set(texts)].join(' ');
    },
    add(id) {
      if (ids.includes(id)) throw new KeyringFault(`${from} has a key "${id}" already: take another id.`);
      return [...parts.map(textOf), makeKey(id)].join(' ');
    },
    promote(id) {
      const [chosen, rest] = split(id);
      return [...chosen, ...rest].map(textOf).join(' ');
    },
    drop(id) {
      const [, rest] = split(id);
      if (id === first.id) throw new KeyringFault(`"${id}" is the key that seals: promote another one first.`);
      return rest.map(textOf).join(' ');
    },
  };
}

function partOf(text: string, index: number, from: string): Part {
  const { id, purpose, key = '' } = shape.exec(text)?.groups ?? {};
  const bytes = Buffer.from(key, 'base64');
  if (bytes.length !== sealingKeyBytes) {
    throw new KeyringFault(
      `${from} does not hold a sealing key in place ${index + 1}: "k1:" and ${sealingKeyBytes} bytes in base64 are expected.`,
    );
  }
  if (purpose !== undefined && !isPurpose(purpose)) {
    throw new KeyringFault(`${from} names the purpose "${purpose}"; there are ${purposes.join(', ')}.`);
  }
  return { id: id ?? formerKeyId, purpose, key: bytes, isFormer: id === undefined || id === formerKeyId };
}

const textOf = ({ id, purpose, key, isFormer }: Part): string =>
  isFormer ? text64(key) : `${id}${purpose === undefined ? '' : `/${purpose}`}:${text64(key)}`;

export const isPurpose = (text: string): text is Purpose => (purposes as readonly string[]).includes(text);

const subkey = (key: Uint8Array, purpose: Purpose): Buffer =>
  createHmac('sha256', key).update(`gpuaas purpose ${purpose}`).digest();

const text64 = (key: Uint8Array): string => Buffer.from(key).toString('base64');

/** A new whole key, to be put in front of the others. */
export function makeKey(id: string): string {
  if (!idShape.test(id) || id === formerKeyId) {
    throw new KeyringFault(
      `"${id}" cannot name a key: take up to 32 small letters, digits and hyphens, such as k2, and not "${formerKeyId}".`,
    );
  }
  return `${id}:${text64(randomBytes(sealingKeyBytes))}`;
}

/** The keyring of a data directory: made once, readable by its owner alone. */
export async function keepKeyring(path: string): Promise<string> {
  try {
    // Created only if no other process was faster; a reader that finds it half-written reads again.
    const file = await open(path, 'wx', 0o600);
    try {
      await file.writeFile(`${makeKey('k1')}\n`);
      await file.sync();
    } finally {
      await file.close();
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
  const { mode } = await stat(path);
  if ((mode & 0o077) !== 0) {
    throw new KeyringFault(`${path} can be read by others. Run "chmod 600" on it, and treat the key as known.`);
  }
  const text = (await readFile(path, 'utf8')).trim();
  openKeyring(text, path);
  return text;
}
