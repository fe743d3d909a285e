import { readFirstText, readTexts, sshConcat, sshString, sshUint32 } from './wire.ts';

export const ed25519 = 'ssh-ed25519';

const toBase64 = (bytes: Uint8Array): string => btoa(String.fromCharCode(...bytes));
const fromBase64 = (text: string): Uint8Array => Uint8Array.from(atob(text), (one) => one.charCodeAt(0));

/** A public key of Ed25519 as OpenSSH encodes it, from its 32 bytes. */
export const ed25519Blob = (key: Uint8Array): Uint8Array => sshConcat(sshString(ed25519), sshString(key));
/** The line of a key, without a comment. */
export const keyLine = (type: string, blob: Uint8Array): string => `${type} ${toBase64(blob)}`;

/** The type and the bytes of a line such as `ssh-ed25519 AAAA…`; undefined when it is none. */
export function readKeyLine(line: string): { readonly type: string; readonly blob: Uint8Array } | undefined {
  const [type = '', text = ''] = line.trim().split(/\s+/);
  try {
    const blob = fromBase64(text);
    return readFirstText(blob) === type ? { type, blob } : undefined;
  } catch {
    return undefined;
  }
}
/** The seed of a private key that `opensshPrivateKey` wrote. */
export function seedOfOpenssh(text: string): Uint8Array {
  const body = fromBase64(text.replaceAll(/-----[A-Z ]+-----|\s/g, ''));
  const magic = 'openssh-key-v1\0'.length;
  // Cipher, its parameters and the number of keys come first; after the public key there is the private one, with two check numbers.
  const [cipher = new Uint8Array(), kdf = cipher, options = cipher] = readTexts(body.subarray(magic), 3);
  const keysFrom = magic + 3 * 4 + cipher.length + kdf.length + options.length + 4;
  const [, secret = cipher] = readTexts(body.subarray(keysFrom), 2);
  const [, , both = cipher] = readTexts(secret.subarray(2 * 4), 3);
  return both.subarray(0, 32);
}
/** The file of a private key of Ed25519, in the format of OpenSSH, without a password. */
export function opensshPrivateKey(seed: Uint8Array, publicKey: Uint8Array, comment: string, check: number): string {
  const unpadded = sshConcat(
    ...[sshUint32(check), sshUint32(check), sshString(ed25519), sshString(publicKey)],
    ...[sshString(sshConcat(seed, publicKey)), sshString(comment)],
  );
  const padding = Uint8Array.from({ length: (8 - (unpadded.length % 8)) % 8 }, (_, index) => index + 1);
  const body = sshConcat(
    ...[new TextEncoder().encode('openssh-key-v1\0'), sshString('none'), sshString('none'), sshString('')],
    ...[sshUint32(1), sshString(ed25519Blob(publicKey)), sshString(sshConcat(unpadded, padding))],
  );
  const lines = toBase64(body).match(/.{1,70}/g) ?? [];
  return `-----BEGIN OPENSSH PRIVATE KEY-----\n${lines.join('\n')}\n-----END OPENSSH PRIVATE KEY-----\n`;
}
