import 'reflect-metadata';
import { KeyObject, webcrypto } from 'node:crypto';
import {
  type JsonGeneralName,
  Pkcs10CertificateRequest,
  Pkcs10CertificateRequestGenerator,
  SubjectAlternativeNameExtension,
} from '@peculiar/x509';
import { Fault } from '../../kernel/fault.ts';
import type { CsrRefused } from './port.ts';

export const keyAlgorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const;
const curves: readonly string[] = ['P-256', 'P-384'];
const label = '-----BEGIN CERTIFICATE REQUEST-----';
const refused = (why: string) => new Fault('node_csr_invalid', why);

/** A request whose sender holds the key that it is for. What it wants to be called does not matter here. */
export async function readRequest(pem: string): Promise<Pkcs10CertificateRequest | CsrRefused> {
  let request: Pkcs10CertificateRequest;
  if (!pem.startsWith(label)) return refused('This is no certificate request.');
  try {
    request = new Pkcs10CertificateRequest(pem);
    const { name, namedCurve = '' } = request.publicKey.algorithm as { name: string; namedCurve?: string };
    if (name !== 'ECDSA' || !curves.includes(namedCurve)) return refused('The key must be on P-256 or P-384.');
    if (!(await request.verify())) return refused('The request is not signed with the key that it is for.');
  } catch {
    return refused('This is no certificate request.');
  }
  return request;
}

/** A fresh key, and a request for it under the given names. */
export async function makeRequest(
  commonName: string | undefined,
  names: readonly JsonGeneralName[] = [],
): Promise<{ readonly pem: string; readonly privateKey: string }> {
  const keys = (await webcrypto.subtle.generateKey(keyAlgorithm, true, ['sign', 'verify'])) as webcrypto.CryptoKeyPair;
  const request = await Pkcs10CertificateRequestGenerator.create({
    ...(commonName !== undefined && { name: [{ CN: [commonName] }] }),
    keys,
    signingAlgorithm: keyAlgorithm,
    extensions: names.length > 0 ? [new SubjectAlternativeNameExtension([...names])] : [],
  });
  const secret = KeyObject.from(keys.privateKey);
  return { pem: request.toString('pem'), privateKey: secret.export({ type: 'pkcs8', format: 'pem' }).toString() };
}

/** An address or a DNS name, as a certificate writes it. */
export const generalName = (name: string): JsonGeneralName => ({
  type: /^[\d.]+$|:/.test(name) ? 'ip' : 'dns',
  value: name,
});
