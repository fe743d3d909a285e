import { createPublicKey, verify } from 'node:crypto';
import { ed25519, isCertificateType, readCertificate, readKeyLine, readTexts } from '@gpuaas/contract/ssh';
import type { PublicKeyAuthContext } from 'ssh2';

/** Whose certificates a machine lets in, and which name a certificate has to carry. */
export interface Trust {
  readonly authorities: readonly string[];
  readonly principal: string;
  readonly now: Date;
}

/**
 * Whether a certificate opens a login, as sshd decides it. A simulated machine takes certificates of Ed25519 keys, which our command
 * line makes; a real sshd takes all kinds.
 */
export function admitsCertificate(
  { key, signature, blob }: Pick<PublicKeyAuthContext, 'key' | 'signature' | 'blob'>,
  { authorities, principal, now }: Trust,
): boolean {
  const certificate = isCertificateType(key.algo) ? readCertificate(key.data) : undefined;
  if (certificate?.keyType !== ed25519 || certificate.signature.type !== ed25519) return false;
  const seconds = BigInt(Math.floor(now.getTime() / 1_000));
  const isGood =
    certificate.isOfUser &&
    certificate.criticalOptions.length === 0 &&
    certificate.principals.includes(principal) &&
    certificate.validAfter <= seconds &&
    seconds < certificate.validBefore &&
    isTrusted(authorities, key.data) &&
    verifies(certificate.authority, certificate.signed, certificate.signature.bytes);
  if (!isGood) return false;
  // Without a signature the client only asks whether the certificate would do.
  if (!signature) return true;
  const proof = secondText(signature);
  return blob !== undefined && proof !== undefined && verifies(certificate.key, blob, proof);
}

/** Whether the authority of a certificate is one of these. */
export function isTrusted(authorities: readonly string[], shown: Uint8Array): boolean {
  const authority = readCertificate(shown)?.authority;
  return (
    authority !== undefined &&
    authorities.some((line) => Buffer.from(readKeyLine(line)?.blob ?? []).equals(Buffer.from(authority)))
  );
}

function secondText(signature: Uint8Array): Uint8Array | undefined {
  try {
    return readTexts(signature, 2)[1];
  } catch {
    return undefined;
  }
}
function verifies(key: Uint8Array, message: Uint8Array, signature: Uint8Array): boolean {
  try {
    const x = Buffer.from(readTexts(key, 2)[1] ?? []).toString('base64url');
    const own = createPublicKey({ format: 'jwk', key: { kty: 'OKP', crv: 'Ed25519', x } });
    return verify(null, message, own, signature);
  } catch {
    return false;
  }
}
