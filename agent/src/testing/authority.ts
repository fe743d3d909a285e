import 'reflect-metadata';
import { type createPrivateKey, createPublicKey, generateKeyPairSync, webcrypto, X509Certificate } from 'node:crypto';
import {
  BasicConstraintsExtension,
  ExtendedKeyUsageExtension,
  Pkcs10CertificateRequest,
  SubjectAlternativeNameExtension,
  X509CertificateGenerator,
} from '@peculiar/x509';

/** A certificate authority for tests: real certificates, made in this process. */
export interface TestAuthority {
  readonly pem: string;
  readonly fingerprint: string;
  issueServer(life?: Life, id?: string): Promise<{ readonly cert: string; readonly key: string }>;
  issueNode(csrPem: string, nodeId: string, life?: Life): Promise<string>;
}
export interface Life {
  readonly from: Date;
  readonly to: Date;
}

const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const;
const serverAuth = '1.3.6.1.5.5.7.3.1';
const clientAuth = '1.3.6.1.5.5.7.3.2';
export const controlPlaneId = 'spiffe://gpuaas/control-plane';

const around = (): Life => ({ from: new Date(Date.now() - 60_000), to: new Date(Date.now() + 86_400_000) });
let serial = 1;

async function makePair() {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  return { pem: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(), ...(await importPair(privateKey)) };
}
async function importPair(secret: ReturnType<typeof createPrivateKey>) {
  const pkcs8 = secret.export({ type: 'pkcs8', format: 'der' });
  const spki = createPublicKey(secret).export({ type: 'spki', format: 'der' });
  return {
    privateKey: await webcrypto.subtle.importKey('pkcs8', pkcs8, algorithm, false, ['sign']),
    publicKey: await webcrypto.subtle.importKey('spki', spki, algorithm, true, ['verify']),
  };
}

export async function makeTestAuthority(name = 'test authority'): Promise<TestAuthority> {
  const keys = await makePair();
  const life = around();
  const root = await X509CertificateGenerator.createSelfSigned({
    serialNumber: '01',
    name: `CN=${name}`,
    notBefore: life.from,
    notAfter: life.to,
    keys,
    signingAlgorithm: algorithm,
    extensions: [new BasicConstraintsExtension(true, 1, true)],
  });
  const pem = root.toString('pem');
  const issue = (of: {
    readonly publicKey: Parameters<typeof X509CertificateGenerator.create>[0]['publicKey'];
    readonly subject: string;
    readonly names: ConstructorParameters<typeof SubjectAlternativeNameExtension>[0];
    readonly usage: string;
    readonly life: Life;
  }) => {
    serial += 1;
    return X509CertificateGenerator.create({
      serialNumber: serial.toString(16).padStart(4, '0'),
      subject: of.subject,
      issuer: root.subject,
      notBefore: of.life.from,
      notAfter: of.life.to,
      signingKey: keys.privateKey,
      publicKey: of.publicKey,
      signingAlgorithm: algorithm,
      extensions: [new SubjectAlternativeNameExtension(of.names), new ExtendedKeyUsageExtension([of.usage])],
    });
  };
  return {
    pem,
    fingerprint: new X509Certificate(pem).fingerprint256,
    async issueServer(of = around(), id = controlPlaneId) {
      const pair = await makePair();
      const leaf = await issue({
        publicKey: pair.publicKey,
        subject: 'CN=control-plane',
        names: [
          { type: 'dns', value: 'localhost' },
          { type: 'ip', value: '127.0.0.1' },
          { type: 'url', value: id },
        ],
        usage: serverAuth,
        life: of,
      });
      return { cert: `${leaf.toString('pem')}\n${pem}`, key: pair.pem };
    },
    async issueNode(csrPem, nodeId, of = around()) {
      const request = new Pkcs10CertificateRequest(csrPem);
      if (!(await request.verify())) throw new Error('the request is not signed with its key');
      const leaf = await issue({
        publicKey: request.publicKey,
        subject: `CN=node-${nodeId}`,
        names: [{ type: 'url', value: `spiffe://gpuaas/node/${nodeId}` }],
        usage: clientAuth,
        life: of,
      });
      return leaf.toString('pem');
    },
  };
}
