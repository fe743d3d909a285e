import 'reflect-metadata';
import { randomBytes, webcrypto } from 'node:crypto';
import {
  AuthorityKeyIdentifierExtension,
  BasicConstraintsExtension,
  ExtendedKeyUsage,
  ExtendedKeyUsageExtension,
  type JsonGeneralName,
  KeyUsageFlags,
  KeyUsagesExtension,
  type PublicKey,
  SubjectAlternativeNameExtension,
  SubjectKeyIdentifierExtension,
  X509Certificate,
  X509CertificateGenerator,
} from '@peculiar/x509';
import { keyAlgorithm } from './request.ts';

/** A certificate that may sign others, with the key that does it. */
export interface Issuer {
  readonly certificate: X509Certificate;
  readonly privateKey: webcrypto.CryptoKey;
}
export interface Life {
  readonly notBefore: Date;
  readonly notAfter: Date;
}

/** Positive, and with enough chance in it that nobody foresees the next one. */
const makeSerial = (): string => {
  const bytes = randomBytes(16);
  bytes[0] = ((bytes[0] ?? 0) & 0x3f) | 0x40;
  return bytes.toString('hex');
};

/** A root when there is no parent, else an intermediate that signs nothing but leaves. */
export async function makeIssuer(commonName: string, life: Life, parent?: Issuer): Promise<Issuer> {
  const keys = (await webcrypto.subtle.generateKey(keyAlgorithm, true, ['sign', 'verify'])) as webcrypto.CryptoKeyPair;
  const subject = [{ CN: [commonName] }, { O: ['GPUaaS'] }];
  const extensions = [
    new BasicConstraintsExtension(true, parent ? 0 : 1, true),
    new KeyUsagesExtension(KeyUsageFlags.keyCertSign | KeyUsageFlags.cRLSign, true),
    await SubjectKeyIdentifierExtension.create(keys.publicKey),
    ...(parent ? [await AuthorityKeyIdentifierExtension.create(parent.certificate.publicKey)] : []),
  ];
  const certificate = await X509CertificateGenerator.create({
    serialNumber: makeSerial(),
    subject,
    issuer: parent ? parent.certificate.subjectName : subject,
    ...life,
    publicKey: keys.publicKey,
    signingKey: parent?.privateKey ?? keys.privateKey,
    signingAlgorithm: keyAlgorithm,
    extensions,
  });
  return { certificate, privateKey: keys.privateKey };
}

export type LeafUse = 'client' | 'server' | 'both';
const usesOf: Readonly<Record<LeafUse, readonly ExtendedKeyUsage[]>> = {
  client: [ExtendedKeyUsage.clientAuth],
  server: [ExtendedKeyUsage.serverAuth],
  both: [ExtendedKeyUsage.clientAuth, ExtendedKeyUsage.serverAuth],
};

export async function makeLeaf(
  issuer: Issuer,
  leaf: Life & {
    readonly publicKey: PublicKey;
    readonly commonName: string;
    readonly names: readonly JsonGeneralName[];
    readonly use: LeafUse;
  },
): Promise<X509Certificate> {
  return X509CertificateGenerator.create({
    serialNumber: makeSerial(),
    subject: [{ CN: [leaf.commonName] }],
    issuer: issuer.certificate.subjectName,
    notBefore: leaf.notBefore,
    notAfter: leaf.notAfter,
    publicKey: leaf.publicKey,
    signingKey: issuer.privateKey,
    signingAlgorithm: keyAlgorithm,
    extensions: [
      new BasicConstraintsExtension(false, undefined, true),
      new KeyUsagesExtension(KeyUsageFlags.digitalSignature, true),
      new ExtendedKeyUsageExtension([...usesOf[leaf.use]], true),
      new SubjectAlternativeNameExtension([...leaf.names]),
      await SubjectKeyIdentifierExtension.create(leaf.publicKey),
      await AuthorityKeyIdentifierExtension.create(issuer.certificate.publicKey),
    ],
  });
}

/** The private key as text, to be sealed. */
export async function exportIssuer({ certificate, privateKey }: Issuer): Promise<{ pem: string; key: string }> {
  const key = Buffer.from(await webcrypto.subtle.exportKey('pkcs8', privateKey)).toString('base64');
  return { pem: certificate.toString('pem'), key };
}
export async function importIssuer(pem: string, key: string): Promise<Issuer> {
  const bytes = Buffer.from(key, 'base64');
  const privateKey = await webcrypto.subtle.importKey('pkcs8', bytes, keyAlgorithm, true, ['sign']);
  return { certificate: new X509Certificate(pem), privateKey };
}
