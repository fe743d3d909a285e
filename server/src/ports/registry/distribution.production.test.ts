import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeLoopbackCertificate } from '../../testing/servers/smtp.ts';
import { freePort, startServer } from '../../testing/servers/start.ts';
import { registryConformance } from './conformance.ts';

/** The registry of Debian: it keeps no list of referrers, so its clients do. */
registryConformance('distribution', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'gpuaas-registry-'));
  const { cert, key } = await makeLoopbackCertificate();
  const port = await freePort();
  const [certPath, keyPath, configPath] = ['cert.pem', 'key.pem', 'config.yml'].map((name) => join(folder, name));
  await writeFile(certPath ?? '', cert);
  await writeFile(keyPath ?? '', key);
  const config = {
    version: '0.1',
    log: { accesslog: { disabled: true } },
    storage: { filesystem: { rootdirectory: join(folder, 'data') } },
    http: { addr: `127.0.0.1:${port}`, tls: { certificate: certPath, key: keyPath } },
  };
  await writeFile(configPath ?? '', JSON.stringify(config));
  const url = `https://127.0.0.1:${port}`;
  const server = await startServer({ command: 'docker-registry', args: ['serve', configPath ?? ''], port, url });
  return {
    config: { kind: 'distribution', ca: cert },
    registry: `127.0.0.1:${port}`,
    send: (method, path, body, type = 'application/octet-stream') =>
      new Promise((resolve, reject) => {
        const headers = { 'content-type': type, 'content-length': body?.length ?? 0 };
        const call = request(`${url}${path}`, { method, headers, ca: cert, agent: false }, (reply) => {
          reply.resume();
          reply.on('end', () => resolve({ status: reply.statusCode ?? 0, location: reply.headers.location ?? null }));
        });
        call.on('error', reject);
        call.end(body);
      }),
    kill: server.kill,
    async close() {
      await server.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
});
