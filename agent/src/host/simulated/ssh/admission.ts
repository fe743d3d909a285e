import { readKeyLine } from '@gpuaas/contract/ssh';
import ssh2, { type PublicKeyAuthContext } from 'ssh2';

/** Whether a key is one of these lines. */
export const holds = (lines: readonly string[], key: Uint8Array): boolean => find(lines, key) !== undefined;
const find = (lines: readonly string[], key: Uint8Array): string | undefined =>
  lines.find((one) => Buffer.from(readKeyLine(one)?.blob ?? []).equals(key));

/** Whether a key opens a login, by the lines that are installed there. */
export function admits(
  lines: readonly string[],
  { key, signature, blob, hashAlgo }: Pick<PublicKeyAuthContext, 'key' | 'signature' | 'blob' | 'hashAlgo'>,
): boolean {
  const line = find(lines, key.data);
  const parsed = line === undefined ? undefined : ssh2.utils.parseKey(line);
  if (parsed === undefined || parsed instanceof Error) return false;
  // Without a signature the client only asks whether the key would do.
  return !signature || (blob !== undefined && parsed.verify(blob, signature, hashAlgo) === true);
}
