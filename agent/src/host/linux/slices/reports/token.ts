import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

const tokenBytes = 32;
const nameOf = (folder: string) => join(folder, 'guest_token');

/** The token of a slice, made once and removed with its folder: it opens the door for reports of this machine alone. */
export async function tokenOf(folder: string): Promise<string> {
  const there = await readToken(folder);
  if (there !== undefined) return there;
  const token = randomBytes(tokenBytes).toString('base64url');
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await writeFile(`${nameOf(folder)}.next`, token, { mode: 0o600 });
  await rename(`${nameOf(folder)}.next`, nameOf(folder));
  return token;
}

export const readToken = (folder: string): Promise<string | undefined> =>
  readFile(nameOf(folder), 'utf8').then(
    (text) => text,
    () => undefined,
  );

/** Compares without telling by its time how much of it was right. */
export function isToken(shown: string, expected: string | undefined): boolean {
  if (!expected) return false;
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(shown), digest(expected));
}
