import { X509Certificate } from 'node:crypto';
import { request } from 'node:https';
import {
  controlPlaneSpiffeId,
  nodeCommonName,
  nodeSpiffeId,
  processCommonName,
  processSpiffeId,
} from '@gpuaas/contract/node';
import { importJWK, type JWK, SignJWT } from 'jose';
import type { Clock } from '../../kernel/clock.ts';
import { Fault, Outage } from '../../kernel/fault.ts';
import type { Ids } from '../../kernel/id.ts';
import type { Adapted } from '../adapter.ts';
import type { Certificates, CsrRefused, IssuedCertificate } from './port.ts';
import { generalName, makeRequest, readRequest } from './request.ts';

export interface StepCaConfig {
  /** Where it listens, e.g. https://pki-ca.internal:9000. */
  readonly url: string;
  /** The root that it shows, in PEM. */
  readonly root: string;
  readonly provisioner: string;
  /** The private key of the JWK provisioner, as a JWK with its `kid`. */
  readonly provisionerKey: JWK;
}

const answerWithinMs = 10_000;
const maxAnswerBytes = 256 * 1_024;
const tokenSeconds = 60;

/**
 * step-ca signs what a one-time token allows. We make the token, with the node's names in it, by the key of a JWK
 * provisioner; the authority compares the request with the token and writes the token's names. Nodes never speak to
 * it: the control plane is their only destination.
 */
export async function openStepCa(
  config: StepCaConfig,
  parts: { readonly clock: Clock; readonly ids: Ids },
): Promise<Certificates & Adapted> {
  const { clock, ids } = parts;
  const root = new X509Certificate(config.root);
  const fingerprint = root.fingerprint256.replaceAll(':', '').toLowerCase();
  const signUrl = new URL('/1.0/sign', config.url);
  const { kid } = config.provisionerKey;
  if (!kid) throw new Error('the key of the provisioner has no kid');
  const key = await importJWK(config.provisionerKey, 'ES256');

  const makeToken = (subject: string, names: readonly string[]): Promise<string> => {
    const now = Math.floor(clock.now().getTime() / 1_000);
    return new SignJWT({ sans: names, sha: fingerprint })
      .setProtectedHeader({ alg: 'ES256', kid, typ: 'JWT' })
      .setIssuer(config.provisioner)
      .setAudience(signUrl.href)
      .setSubject(subject)
      .setJti(ids.next())
      .setIssuedAt(now)
      .setNotBefore(now - tokenSeconds)
      .setExpirationTime(now + tokenSeconds)
      .sign(key);
  };

  async function sign(order: {
    readonly csr: string;
    readonly subject: string;
    readonly names: readonly string[];
    readonly ttlMs: number;
  }): Promise<readonly string[] | 'refused'> {
    const { status, body } = await askStepCa(config.root, 'POST', signUrl, {
      csr: order.csr,
      ott: await makeToken(order.subject, order.names),
      notAfter: `${Math.ceil(order.ttlMs / 1_000)}s`,
    });
    if (status === 201) {
      const { certChain, crt, ca } = body as { certChain?: string[]; crt?: string; ca?: string };
      const chain = certChain ?? [crt, ca].filter((one) => one !== undefined);
      if (chain.length > 0) return chain.map((pem) => pem.trim());
    }
    if (status === 400 || status === 403) return 'refused';
    throw new Outage(`step-ca answered ${status} to a certificate request`);
  }

  async function certify(order: Parameters<typeof sign>[0]): Promise<IssuedCertificate | CsrRefused> {
    const read = await readRequest(order.csr);
    if (read instanceof Fault) return read;
    const chain = await sign(order);
    const leaf = chain !== 'refused' && chain[0] ? new X509Certificate(chain[0]) : undefined;
    if (chain === 'refused' || !leaf) {
      return new Fault('node_csr_invalid', 'The authority refuses this request: its subject must be empty.');
    }
    const said = (leaf.subjectAltName ?? '').split(', ').map((name) => name.replace(/^[A-Za-z ]+:/, ''));
    const isUri = (name: string) => name.startsWith('spiffe:');
    if (said.length !== order.names.length || said.filter(isUri).join() !== order.names.filter(isUri).join()) {
      throw new Error('step-ca issued a certificate under other names; look at the template of its provisioner');
    }
    return {
      chain: withoutRoot(chain).join('\n'),
      serial: leaf.serialNumber.toLowerCase(),
      notBefore: new Date(leaf.validFrom),
      notAfter: new Date(leaf.validTo),
    };
  }

  return {
    adapter: { name: 'step-ca', kind: 'production' },
    isOpen: true,
    certifyNode: ({ nodeId, csr, ttlMs }) =>
      certify({ csr, subject: nodeCommonName(nodeId), names: [nodeSpiffeId(nodeId)], ttlMs }),
    certifyProcess: ({ process, names, csr, ttlMs }) =>
      certify({ csr, subject: processCommonName(process), names: [...names, processSpiffeId(process)], ttlMs }),
    async certifyServer({ names, ttlMs }) {
      const subject = names[0] ?? 'gpuaas-control-plane';
      const all = [...names, controlPlaneSpiffeId];
      const general = [...names.map(generalName), { type: 'url' as const, value: controlPlaneSpiffeId }];
      const { pem, privateKey } = await makeRequest(subject, general);
      const chain = await sign({ csr: pem, subject, names: all, ttlMs });
      if (chain === 'refused' || !chain[0]) throw new Outage('step-ca refuses a certificate for our own listener');
      const notAfter = new Date(new X509Certificate(chain[0]).validTo);
      return { chain: [...withoutRoot(chain), config.root.trim()].join('\n'), privateKey, notAfter };
    },
    authority: async () => ({ roots: config.root, fingerprint: `sha256:${fingerprint}` }),
    async check() {
      const { status } = await askStepCa(config.root, 'GET', new URL('/health', config.url));
      if (status !== 200) throw new Outage(`step-ca answered ${status} to a look at its health`);
    },
    async close() {},
  };

  function withoutRoot(chain: readonly string[]): string[] {
    return chain.filter((pem) => new X509Certificate(pem).fingerprint256 !== root.fingerprint256);
  }
}

function askStepCa(
  root: string,
  method: 'GET' | 'POST',
  url: URL,
  body?: object,
): Promise<{ status: number; body: unknown }> {
  return new Promise((resolve, reject) => {
    const fail = (cause: unknown) => reject(new Outage('step-ca does not answer', { cause }));
    const text = body && JSON.stringify(body);
    const sent = request(
      url,
      {
        method,
        ca: root,
        agent: false,
        signal: AbortSignal.timeout(answerWithinMs),
        headers: text ? { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) } : {},
      },
      (response) => {
        const chunks: Buffer[] = [];
        let bytes = 0;
        response.on('data', (chunk: Buffer) => {
          bytes += chunk.length;
          if (bytes > maxAnswerBytes) response.destroy(new Error('its answer is too long'));
          else chunks.push(chunk);
        });
        response.on('error', fail);
        response.on('end', () => {
          let parsed: unknown;
          try {
            parsed = JSON.parse(Buffer.concat(chunks).toString());
          } catch {
            parsed = undefined;
          }
          resolve({ status: response.statusCode ?? 0, body: parsed });
        });
      },
    );
    sent.on('error', fail);
    sent.end(text);
  });
}
