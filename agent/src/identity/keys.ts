import 'reflect-metadata';
import {
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  sign,
  webcrypto,
  X509Certificate,
} from 'node:crypto';
import { signedText } from '@gpuaas/contract/node';
import { Pkcs10CertificateRequestGenerator } from '@peculiar/x509';

/**
 * Two independent keys. The TLS key (P-256) identifies the connection and lives as long as its certificate; the result
 * key (Ed25519) signs results. A thief of one of them cannot use it as the other.
 */
export function makeTlsKey(): string {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  return privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
}

export function makeResultKey(): string {
  const { privateKey } = generateKeyPairSync('ed25519');
  return privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
}

/** The raw public half in base64url, as the protocol writes it. */
export function publicResultKey(resultKeyPem: string): string {
  const { x } = createPublicKey(createPrivateKey(resultKeyPem)).export({ format: 'jwk' });
  if (typeof x !== 'string') throw new Error('the result key is not an Ed25519 key');
  return x;
}

export function makeResultSigner(resultKeyPem: string) {
  const key: KeyObject = createPrivateKey(resultKeyPem);
  if (key.asymmetricKeyType !== 'ed25519') throw new Error('the result key is not an Ed25519 key');
  return <R extends object>(result: R): R & { signature: string } => ({
    ...result,
    signature: sign(null, Buffer.from(signedText(result as Readonly<Record<string, unknown>>)), key).toString(
      'base64url',
    ),
  });
}
export type ResultSigner = ReturnType<typeof makeResultSigner>;

const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const;

/** A PKCS#10 request. What it asks to be called is a courtesy: the control plane writes the name by its own records. */
export async function makeCertificateRequest(tlsKeyPem: string, commonName?: string): Promise<string> {
  const secret = createPrivateKey(tlsKeyPem);
  const { subtle } = webcrypto;
  const [privateKey, publicKey] = await Promise.all([
    subtle.importKey('pkcs8', secret.export({ type: 'pkcs8', format: 'der' }), algorithm, false, ['sign']),
    subtle.importKey('spki', createPublicKey(secret).export({ type: 'spki', format: 'der' }), algorithm, true, [
      'verify',
    ]),
  ]);
  const request = await Pkcs10CertificateRequestGenerator.create({
    ...(commonName !== undefined && { name: `CN=${commonName}` }),
    keys: { privateKey, publicKey },
    signingAlgorithm: algorithm,
  });
  return request.toString('pem');
}

export function belongsTogether(certificatePem: string, tlsKeyPem: string): boolean {
  return new X509Certificate(certificatePem).checkPrivateKey(createPrivateKey(tlsKeyPem));
}
