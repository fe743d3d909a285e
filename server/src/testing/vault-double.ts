import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** As much of the HTTP API of Vault as we use: AppRole, and one engine of keys and values, version 2. For tests. */
export async function startVaultDouble() {
  const entries = new Map<string, Record<string, unknown>>();
  const tokens = new Set(['root-token']);
  let isSealed = false;
  const seen: { readonly path: string; readonly namespace: string | undefined }[] = [];
  const respond = async (request: IncomingMessage, response: ServerResponse) => {
    const path = (request.url ?? '').replace(/^\/v1\//, '');
    seen.push({ path, namespace: request.headers['x-vault-namespace'] as string | undefined });
    const answer = (status: number, body: unknown) => {
      response.writeHead(status, { 'content-type': 'application/json' });
      response.end(JSON.stringify(body));
    };
    if (isSealed) return answer(503, { errors: ['Vault is sealed'] });
    if (path === 'auth/approle/login' && request.method === 'POST') {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk as Buffer);
      const given = JSON.parse(Buffer.concat(chunks).toString()) as Record<string, string>;
      if (given['role_id'] !== 'the-role' || given['secret_id'] !== 'the-secret') {
        return answer(400, { errors: ['invalid role or secret ID'] });
      }
      tokens.add('role-token');
      return answer(200, { auth: { client_token: 'role-token', lease_duration: 60, renewable: true } });
    }
    if (!tokens.has(String(request.headers['x-vault-token']))) return answer(403, { errors: ['permission denied'] });
    if (path === 'moved/data/x') {
      response.writeHead(307, { location: 'http://127.0.0.1:1/' });
      return response.end();
    }
    const entry = entries.get(path);
    if (!entry) return answer(404, { errors: [] });
    return answer(200, { data: { data: entry, metadata: { version: 1 } } });
  };
  const server = createServer((request, response) => {
    respond(request, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    entries,
    seen,
    seal: (sealed: boolean) => {
      isSealed = sealed;
    },
    close: () =>
      new Promise<void>((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}
