import { createPrivateKey, hash, randomBytes, sign } from 'node:crypto';
import { makeCertificate, readKeyLine, seedOfOpenssh } from '@gpuaas/contract/ssh';
import { secondMs } from '../../../kernel/units.ts';
import { clockSkewSeconds, nonceBytes, serialBytes } from '../facts.ts';
import type { PlatformKey } from '../platform-keys/keys.ts';

export interface SignedCertificate {
  readonly line: string;
  readonly serial: bigint;
  /** Of the bytes of the certificate: what a client shows is found by it. */
  readonly fingerprint: string;
}

const fingerprintOf = (bytes: Uint8Array): string => `SHA256:${hash('sha256', bytes, 'base64').replace(/=+$/, '')}`;

/** Signs a public key for one allocation, with the key of our authority. */
export function signCertificate(
  authority: PlatformKey,
  wish: {
    readonly publicKey: string;
    readonly keyId: string;
    readonly principal: string;
    readonly now: Date;
    readonly expiresAt: Date;
  },
): SignedCertificate {
  const [subject, signer] = [readKeyLine(wish.publicKey), readKeyLine(authority.publicKey)];
  if (!subject || !signer) throw new Error('a public key cannot be read');
  const seed = Buffer.from(seedOfOpenssh(authority.privateKey));
  const point = Buffer.from(signer.blob.subarray(-seed.length));
  const secret = createPrivateKey({
    format: 'jwk',
    key: { kty: 'OKP', crv: 'Ed25519', d: seed.toString('base64url'), x: point.toString('base64url') },
  });
  // The first bit stays empty: databases and languages count serial numbers with a sign.
  const serial = (randomBytes(serialBytes).readBigUInt64BE() >> 1n) | 1n;
  const seconds = (at: Date): number => Math.floor(at.getTime() / secondMs);
  const { line, blob } = makeCertificate({
    ...{ key: subject.blob, keyType: subject.type, serial, keyId: wish.keyId, principals: [wish.principal] },
    ...{ validAfter: seconds(wish.now) - clockSkewSeconds, validBefore: seconds(wish.expiresAt) },
    ...{ nonce: randomBytes(nonceBytes), authority: signer.blob },
    sign: (bytes) => sign(undefined, bytes, secret),
  });
  return { line, serial, fingerprint: fingerprintOf(blob) };
}
