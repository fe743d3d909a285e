import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { calculateJwkThumbprint, exportJWK, generateKeyPair, type JWK } from 'jose';
import { exportIssuer, makeIssuer } from '../../ports/certificates/issuing.ts';
import { freePort, goProgram, startServer, type TestServer } from './start.ts';

export interface StepCa extends TestServer {
  readonly root: string;
  readonly provisioner: string;
  readonly provisionerKey: JWK;
}

const provisioner = 'gpuaas';
const template = join(import.meta.dirname, '../../../../deploy/step-ca/leaf.tpl');

/** Keys of smart cards are of no use here, and need a library of C to build. */
const stepCaProgram = () =>
  goProgram('step-ca', 'github.com/smallstep/certificates/cmd/step-ca', 'v0.29.0', { CGO_ENABLED: '0' });

/** An authority with a root, an intermediate and one JWK provisioner, with the template that we ship. */
export async function startStepCa(): Promise<StepCa> {
  const [command, port, folder] = await Promise.all([
    stepCaProgram(),
    freePort(),
    mkdtemp(join(tmpdir(), 'gpuaas-step-')),
  ]);
  const life = { notBefore: new Date(Date.now() - 60_000), notAfter: new Date(Date.now() + 30 * 24 * 3_600_000) };
  const root = await makeIssuer('Test Root', life);
  const intermediate = await exportIssuer(await makeIssuer('Test Intermediate', life, root));
  const rootPem = (await exportIssuer(root)).pem;
  const pair = await generateKeyPair('ES256', { extractable: true });
  const shown = await exportJWK(pair.publicKey);
  const kid = await calculateJwkThumbprint(shown);
  const key = intermediate.key.match(/.{1,64}/g)?.join('\n');
  await writeFile(join(folder, 'root.crt'), `${rootPem}\n`);
  await writeFile(join(folder, 'intermediate.crt'), `${intermediate.pem}\n`);
  await writeFile(join(folder, 'intermediate.key'), `-----BEGIN PRIVATE KEY-----\n${key}\n-----END PRIVATE KEY-----\n`);
  const config = {
    root: join(folder, 'root.crt'),
    crt: join(folder, 'intermediate.crt'),
    key: join(folder, 'intermediate.key'),
    address: `127.0.0.1:${port}`,
    dnsNames: ['127.0.0.1'],
    logger: { format: 'text' },
    db: { type: 'badgerv2', dataSource: join(folder, 'db') },
    authority: {
      provisioners: [
        {
          type: 'JWK',
          name: provisioner,
          key: { ...shown, kid, use: 'sig', alg: 'ES256' },
          claims: { minTLSCertDuration: '1m', maxTLSCertDuration: '2160h', defaultTLSCertDuration: '24h' },
          options: { x509: { template: await readFile(template, 'utf8') } },
        },
      ],
    },
  };
  const path = join(folder, 'ca.json');
  await writeFile(path, JSON.stringify(config));
  const server = await startServer({ command, args: [path], port, url: `https://127.0.0.1:${port}` });
  return {
    ...server,
    root: rootPem,
    provisioner,
    provisionerKey: { ...(await exportJWK(pair.privateKey)), kid },
    async close() {
      await server.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
