import { createCipheriv, createDecipheriv, createHmac, randomBytes } from 'node:crypto';
import { open, readFile, stat } from 'node:fs/promises';

/**
 * What the issuer keeps in Postgres would let its reader sign in as anybody: session ids, refresh tokens, private keys.
 * So nothing is kept as it is. A value that is looked up is kept as a keyed digest, and a payload is encrypted under
 * a key of its own, made from the sealing key and the place where it lies. A copy of the tables opens no door, and a
 * row that was moved to another place does not open either.
 */
export interface Seal {
  close(text: string, place: string): Buffer;
  /** Throws when the text was sealed elsewhere, with another key, or changed since. */
  open(sealed: Uint8Array, place: string): string;
  /** The same value gives the same digest under one sealing key, and says nothing without it. */
  digest(purpose: string, value: string): Buffer;
}

export const sealingKeyBytes = 32;
const version = 1;
const ivBytes = 12;
const tagBytes = 16;

export function makeSeal(key: Uint8Array): Seal {
  if (key.length !== sealingKeyBytes) throw new Error(`a sealing key has ${sealingKeyBytes} bytes`);
  const derive = (purpose: string, value: string) =>
    createHmac('sha256', key).update(purpose).update('\0').update(value).digest();
  return {
    close(text, place) {
      const iv = randomBytes(ivBytes);
      const cipher = createCipheriv('aes-256-gcm', derive('seal', place), iv);
      const body = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
      return Buffer.concat([Buffer.of(version), iv, cipher.getAuthTag(), body]);
    },
    open(sealed, place) {
      const bytes = Buffer.from(sealed);
      if (bytes[0] !== version || bytes.length < 1 + ivBytes + tagBytes) throw new Error('this is not a sealed text');
      const iv = bytes.subarray(1, 1 + ivBytes);
      const decipher = createDecipheriv('aes-256-gcm', derive('seal', place), iv, { authTagLength: tagBytes });
      decipher.setAuthTag(bytes.subarray(1 + ivBytes, 1 + ivBytes + tagBytes));
      return decipher.update(bytes.subarray(1 + ivBytes + tagBytes), undefined, 'utf8') + decipher.final('utf8');
    },
    digest: (purpose, value) => derive(`digest ${purpose}`, value),
  };
}

/** The key of a data directory: made once, readable by us alone. */
export async function keepSealingKey(path: string): Promise<Buffer> {
  try {
    // Made under its own name only if nobody was faster; a reader that meets it half-written is told to look again.
    const file = await open(path, 'wx', 0o600);
    try {
      await file.writeFile(`${randomBytes(sealingKeyBytes).toString('base64')}\n`);
      await file.sync();
    } finally {
      await file.close();
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
  const { mode } = await stat(path);
  if ((mode & 0o077) !== 0) {
    throw new Error(`${path} can be read by others. Run "chmod 600" on it, and treat the key as known.`);
  }
  return readSealingKey(await readFile(path, 'utf8'), path);
}

export function readSealingKey(text: string, from: string): Buffer {
  const key = Buffer.from(text.trim(), 'base64');
  if (key.length !== sealingKeyBytes) {
    throw new Error(`${from} does not hold a sealing key: ${sealingKeyBytes} bytes in base64 are expected.`);
  }
  return key;
}
