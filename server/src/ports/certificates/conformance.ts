import { createPrivateKey, X509Certificate } from 'node:crypto';
import { createServer, request } from 'node:https';
import type { AddressInfo } from 'node:net';
import { text as readText } from 'node:stream/consumers';
import type { TLSSocket } from 'node:tls';
import {
  controlPlaneSpiffeId,
  nodeCommonName,
  nodeSpiffeId,
  processCommonName,
  processSpiffeId,
} from '@gpuaas/contract/node';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Fault } from '../../kernel/fault.ts';
import { systemIds } from '../../kernel/id.ts';
import type { Certificates, IssuedCertificate } from './port.ts';
import { makeRequest } from './request.ts';

export interface CertificatesWorld {
  open(): Promise<Certificates>;
  breakDown(): Promise<void>;
  recover(): Promise<void>;
  close(): Promise<void>;
}

const hourMs = 3_600_000;

/** What every authority promises, whoever it is. Times are real ones: TLS knows no other clock. */
export function certificatesConformance(name: string, makeWorld: () => Promise<CertificatesWorld>): void {
  describe(`certificates: ${name}`, () => {
    let world: CertificatesWorld;
    let certificates: Certificates;
    beforeAll(async () => {
      world = await makeWorld();
      certificates = await world.open();
    });
    afterAll(async () => {
      await certificates?.close();
      await world?.close();
    });

    async function certify(nodeId: string, csr: string, ttlMs = hourMs): Promise<IssuedCertificate> {
      const issued = await certificates.certifyNode({ nodeId, csr, ttlMs });
      if (issued instanceof Fault) throw issued;
      return issued;
    }
    const pems = (chain: string) =>
      (chain.match(/-----BEGIN CERTIFICATE-----[\s\S]+?-----END CERTIFICATE-----/g) ?? []).map(
        (pem) => new X509Certificate(pem),
      );

    it('names a node by its URI and its common name, for its own key and for client use alone', async () => {
      const nodeId = systemIds.next();
      const { pem, privateKey } = await makeRequest(undefined);
      const issued = await certify(nodeId, pem);
      const [leaf] = pems(issued.chain);
      expect(leaf?.subjectAltName).toBe(`URI:${nodeSpiffeId(nodeId)}`);
      expect(leaf?.subject).toContain(`CN=${nodeCommonName(nodeId)}`);
      expect(leaf?.ca).toBe(false);
      expect(leaf?.serialNumber.toLowerCase()).toBe(issued.serial);
      expect(issued.serial).toMatch(/^[0-9a-f]{2,40}$/);
      expect(leaf?.keyUsage).toContain('1.3.6.1.5.5.7.3.2');
      expect(leaf?.checkPrivateKey(createPrivateKey(privateKey))).toBe(true);
    });

    it('issues for as long as it was asked to, from now on', async () => {
      const { pem } = await makeRequest(undefined);
      const issued = await certify(systemIds.next(), pem, 2 * hourMs);
      const now = Date.now();
      expect(issued.notBefore.getTime()).toBeLessThanOrEqual(now);
      expect(issued.notAfter.getTime() - now).toBeLessThanOrEqual(2 * hourMs + 120_000);
      expect(issued.notAfter.getTime() - now).toBeGreaterThan(hourMs);
    });

    it('never writes a name that a request asks for', async () => {
      const [nodeId, other] = [systemIds.next(), systemIds.next()];
      const wishes = [
        await makeRequest(nodeCommonName(other)),
        await makeRequest(undefined, [{ type: 'url', value: nodeSpiffeId(other) }]),
        await makeRequest('api.gpuaas.example', [{ type: 'dns', value: 'api.gpuaas.example' }]),
        await makeRequest(undefined, [{ type: 'url', value: controlPlaneSpiffeId }]),
      ];
      for (const { pem } of wishes) {
        const issued = await certificates.certifyNode({ nodeId, csr: pem, ttlMs: hourMs });
        if (issued instanceof Fault) {
          expect(issued.code).toBe('node_csr_invalid');
          continue;
        }
        const [leaf] = pems(issued.chain);
        expect(leaf?.subjectAltName).toBe(`URI:${nodeSpiffeId(nodeId)}`);
        expect(leaf?.subject).toContain(nodeCommonName(nodeId));
      }
    });

    it('takes the names that are right', async () => {
      const nodeId = systemIds.next();
      const { pem } = await makeRequest(nodeCommonName(nodeId), [{ type: 'url', value: nodeSpiffeId(nodeId) }]);
      expect(pems((await certify(nodeId, pem)).chain)[0]?.subjectAltName).toBe(`URI:${nodeSpiffeId(nodeId)}`);
    });

    it('names a process by its URI and the names that it is called by, whatever its request asks for', async () => {
      const names = ['127.0.0.1', 'gateway.gpuaas.example'];
      const asked = await makeRequest(undefined);
      const issued = await certificates.certifyProcess({ process: 'gateway', names, csr: asked.pem, ttlMs: hourMs });
      if (issued instanceof Fault) throw issued;
      const [leaf] = pems(issued.chain);
      expect(leaf?.subjectAltName?.split(', ').sort()).toEqual([
        'DNS:gateway.gpuaas.example',
        'IP Address:127.0.0.1',
        `URI:${processSpiffeId('gateway')}`,
      ]);
      expect(leaf?.subject).toContain(`CN=${processCommonName('gateway')}`);
      expect(leaf?.ca).toBe(false);
      expect(leaf?.checkPrivateKey(createPrivateKey(asked.privateKey))).toBe(true);
      const greedy = await makeRequest(undefined, [{ type: 'url', value: processSpiffeId('api') }]);
      const other = await certificates.certifyProcess({ process: 'gateway', names, csr: greedy.pem, ttlMs: hourMs });
      if (other instanceof Fault) expect(other.code).toBe('node_csr_invalid');
      else expect(pems(other.chain)[0]?.subjectAltName).not.toContain(processSpiffeId('api'));
      const junk = await certificates.certifyProcess({ process: 'gateway', names, csr: 'nothing', ttlMs: hourMs });
      expect(junk instanceof Fault ? junk.code : junk).toBe('node_csr_invalid');
    });

    it('lets a process call and be called with one certificate', async () => {
      const { roots } = await certificates.authority();
      const asked = await makeRequest(undefined);
      const order = { process: 'gateway', names: ['127.0.0.1'], csr: asked.pem, ttlMs: hourMs };
      const issued = await certificates.certifyProcess(order);
      if (issued instanceof Fault) throw issued;
      const identity = { cert: issued.chain, key: asked.privateKey, ca: roots };
      const listener = createServer(
        { ...identity, requestCert: true, rejectUnauthorized: true },
        (incoming, response) =>
          response.end((incoming.socket as TLSSocket).getPeerCertificate().subjectaltname ?? 'nobody'),
      );
      await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));
      const { port } = listener.address() as AddressInfo;
      const said = await new Promise<string>((resolve, reject) => {
        const sent = request({ host: '127.0.0.1', port, agent: false, ...identity }, (response) => {
          readText(response).then(resolve, reject);
        });
        sent.on('error', reject);
        sent.end();
      });
      expect(said).toContain(`URI:${processSpiffeId('gateway')}`);
      listener.closeAllConnections();
      await new Promise((resolve) => listener.close(resolve));
    });

    it('refuses what is no request, or was changed after it was signed', async () => {
      const { pem } = await makeRequest(undefined);
      const body = Buffer.from(pem.replaceAll(/-----[A-Z ]+-----|\s/g, ''), 'base64');
      const last = body.length - 1;
      body[last] = (body[last] ?? 0) ^ 1;
      const edited = `-----BEGIN CERTIFICATE REQUEST-----\n${body.toString('base64')}\n-----END CERTIFICATE REQUEST-----`;
      for (const csr of [
        edited,
        'nothing',
        '',
        pem.slice(0, 200),
        pem.replaceAll('CERTIFICATE REQUEST', 'CERTIFICATE'),
      ]) {
        const issued = await certificates.certifyNode({ nodeId: systemIds.next(), csr, ttlMs: hourMs });
        expect(issued instanceof Fault ? issued.code : issued).toBe('node_csr_invalid');
      }
    });

    it('gives no two certificates the same number', async () => {
      const { pem } = await makeRequest(undefined);
      const nodeId = systemIds.next();
      const issued = [await certify(nodeId, pem), await certify(nodeId, pem), await certify(nodeId, pem)];
      expect(new Set(issued.map(({ serial }) => serial)).size).toBe(3);
    });

    it('says by a fingerprint which root it is, and shows that root to whoever connects', async () => {
      const { roots, fingerprint } = await certificates.authority();
      const server = await certificates.certifyServer({ names: ['127.0.0.1'], ttlMs: hourMs });
      const top = pems(server.chain).at(-1);
      expect(`sha256:${top?.fingerprint256.replaceAll(':', '').toLowerCase()}`).toBe(fingerprint);
      expect(pems(roots).map((root) => root.fingerprint256)).toContain(top?.fingerprint256);
    });

    it('lets both sides of a connection know each other, and nobody else in', async () => {
      const { roots } = await certificates.authority();
      const server = await certificates.certifyServer({ names: ['127.0.0.1', 'localhost'], ttlMs: hourMs });
      const nodeId = systemIds.next();
      const client = await makeRequest(undefined);
      const issued = await certify(nodeId, client.pem);
      const listener = createServer(
        { cert: server.chain, key: server.privateKey, ca: roots, requestCert: true, rejectUnauthorized: true },
        (incoming, response) =>
          response.end((incoming.socket as TLSSocket).getPeerCertificate().subjectaltname ?? 'nobody'),
      );
      await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));
      const { port } = listener.address() as AddressInfo;
      const ask = (identity: { cert?: string; key?: string }) =>
        new Promise<string>((resolve, reject) => {
          const sent = request({ host: '127.0.0.1', port, ca: roots, agent: false, ...identity }, (response) => {
            readText(response).then(resolve, reject);
          });
          sent.on('error', reject);
          sent.end();
        });
      expect(await ask({ cert: issued.chain, key: client.privateKey })).toBe(`URI:${nodeSpiffeId(nodeId)}`);
      await expect(ask({})).rejects.toThrow();
      // What a server is called by does not make it a node.
      await expect(ask({ cert: server.chain, key: server.privateKey })).rejects.toThrow();
      listener.closeAllConnections();
      await new Promise((resolve) => listener.close(resolve));
    });

    it('fails in time while it cannot be reached, and works again after', async () => {
      await expect(certificates.check()).resolves.toBeUndefined();
      await world.breakDown();
      await expect(certificates.check()).rejects.toThrow();
      await world.recover();
      await expect.poll(() => certificates.check().then(() => 'well', String), { timeout: 20_000 }).toBe('well');
      const { pem } = await makeRequest(undefined);
      expect((await certify(systemIds.next(), pem)).serial).toMatch(/^[0-9a-f]+$/);
    });

    it('is the same authority when it is opened again', async () => {
      const again = await world.open();
      expect(await again.authority()).toEqual(await certificates.authority());
      await again.close();
    });
  });
}
