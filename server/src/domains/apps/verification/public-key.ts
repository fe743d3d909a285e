import { createHash, createPublicKey, type KeyObject, verify } from 'node:crypto';

export interface PinnedKey {
  readonly name: string;
  readonly kind: 'ecdsa-p256' | 'ed25519';
  readonly publicKey: string;
  readonly fingerprint: string;
}

const [first, last] = ['-----BEGIN PUBLIC KEY-----', '-----END PUBLIC KEY-----'] as const;

/** Takes a public key apart; undefined when it is none that signatures of images are checked with, or more than one. */
export function readPublicKey(text: string): Omit<PinnedKey, 'name'> | undefined {
  const trimmed = text.trim();
  if (!trimmed.startsWith(first) || !trimmed.endsWith(last)) return undefined;
  const body = trimmed.slice(first.length, -last.length);
  if (!/^[A-Za-z0-9+/=\s]+$/.test(body)) return undefined;
  try {
    const key = createPublicKey({ key: Buffer.from(body, 'base64'), format: 'der', type: 'spki' });
    const kind = kindOf(key);
    if (kind === undefined) return undefined;
    const der = key.export({ format: 'der', type: 'spki' });
    return {
      kind,
      publicKey: key.export({ format: 'pem', type: 'spki' }).toString(),
      fingerprint: `sha256:${createHash('sha256').update(der).digest('hex')}`,
    };
  } catch {
    return undefined;
  }
}
function kindOf(key: KeyObject): PinnedKey['kind'] | undefined {
  if (key.asymmetricKeyType === 'ed25519') return 'ed25519';
  return key.asymmetricKeyType === 'ec' && key.asymmetricKeyDetails?.namedCurve === 'prime256v1'
    ? 'ecdsa-p256'
    : undefined;
}

/** The key that made this signature over these bytes, if one of them did. */
export const signerOf = (keys: readonly PinnedKey[], bytes: Buffer, signature: Buffer): PinnedKey | undefined =>
  keys.find(({ kind, publicKey }) => {
    try {
      return verify(kind === 'ed25519' ? null : 'sha256', bytes, publicKey, signature);
    } catch {
      return false;
    }
  });
