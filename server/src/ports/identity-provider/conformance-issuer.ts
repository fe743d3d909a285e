import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair, type JWK } from 'jose';
import { Provider } from 'oidc-provider';

/**
 * An issuer that is not ours: another process, another signature algorithm, records in memory, and the library's own
 * pages. It is told over IPC to move its clock, to use new keys, or to go away for a while.
 */
export type Order =
  | { readonly kind: 'advance'; readonly ms: number }
  | { readonly kind: 'rotate' }
  | { readonly kind: 'leave' }
  | { readonly kind: 'return' };
export interface Report {
  readonly url?: string;
  readonly done?: string;
}

/** Its clock stands still, like the one of the suite, until it is told otherwise. */
let nowMs = Number(process.argv[2]);
Date.now = () => nowMs;

const resource = 'https://api.elsewhere.test/';
let keys: JWK[] = [];
let madeKeys = 0;
let answer: ReturnType<Provider['callback']> | undefined;
let server: Server | undefined;
let port = 0;
const memory = new Map<string, Record<string, unknown>>();

async function makeKey(): Promise<JWK> {
  madeKeys += 1;
  const { privateKey } = await generateKeyPair('PS256', { extractable: true, modulusLength: 2048 });
  return { ...(await exportJWK(privateKey)), kid: `elsewhere-${madeKeys}`, use: 'sig', alg: 'PS256' };
}

/** All instances share one memory, so that new keys do not sign anybody out. */
function makeAdapter(kind: string) {
  const at = (id: string) => `${kind}:${id}`;
  const findBy = (name: string, value: unknown) =>
    [...memory].find(([key, payload]) => key.startsWith(`${kind}:`) && payload[name] === value)?.[1];
  return {
    upsert: async (id: string, payload: object) => void memory.set(at(id), { ...payload }),
    find: async (id: string) => memory.get(at(id)),
    findByUid: async (uid: string) => findBy('uid', uid),
    findByUserCode: async (code: string) => findBy('userCode', code),
    consume: async (id: string) => void Object.assign(memory.get(at(id)) ?? {}, { consumed: Date.now() / 1_000 }),
    destroy: async (id: string) => void memory.delete(at(id)),
    async revokeByGrantId(grantId: string) {
      for (const [key, payload] of memory) {
        if (key.startsWith(`${kind}:`) && payload['grantId'] === grantId) memory.delete(key);
      }
    },
  };
}

function makeIssuer(): void {
  const provider = new Provider(`http://127.0.0.1:${port}/realms/test`, {
    adapter: makeAdapter,
    jwks: { keys: keys as never },
    clientDefaults: { id_token_signed_response_alg: 'PS256' },
    clients: [
      {
        client_id: 'terminal',
        application_type: 'native',
        token_endpoint_auth_method: 'none',
        grant_types: ['authorization_code', 'refresh_token', 'urn:ietf:params:oauth:grant-type:device_code'],
        response_types: ['code'],
        redirect_uris: ['http://127.0.0.1/callback'],
      },
      {
        client_id: 'robot',
        client_secret: 'a-secret-of-the-other-issuer',
        grant_types: ['client_credentials'],
        response_types: [],
        redirect_uris: [],
      },
    ],
    cookies: { keys: ['another secret'] },
    findAccount: async (_, id) => ({ accountId: id, claims: () => ({ sub: id }) }),
    pkce: { required: () => true },
    issueRefreshToken: async (_, client) => client.grantTypeAllowed('refresh_token'),
    rotateRefreshToken: true,
    extraTokenClaims: () => ({ realm_access: { roles: ['platform_superadmin', 'offline_access'] } }),
    ttl: {
      AccessToken: 300,
      ClientCredentials: 300,
      IdToken: 300,
      RefreshToken: 86_400,
      Session: 86_400,
      Grant: 86_400,
      Interaction: 600,
      DeviceCode: 600,
      AuthorizationCode: 60,
    },
    features: {
      clientCredentials: { enabled: true },
      deviceFlow: { enabled: true },
      introspection: { enabled: true },
      revocation: { enabled: true },
      rpInitiatedLogout: { enabled: true },
      resourceIndicators: {
        enabled: true,
        defaultResource: () => resource,
        useGrantedResource: () => true,
        getResourceServerInfo: () => ({
          scope: 'projects:read',
          audience: 'gpuaas',
          accessTokenFormat: 'jwt',
          accessTokenTTL: 300,
          jwt: { sign: { alg: 'PS256' } },
        }),
      },
    },
  });
  answer = provider.callback();
}

async function listen(): Promise<void> {
  server = createServer((request, response) => {
    const url = request.url ?? '/';
    const prefix = '/realms/test';
    if (!url.startsWith(prefix)) return void response.writeHead(404).end();
    Object.assign(request, { originalUrl: url, url: url.slice(prefix.length) || '/' });
    return void answer?.(request, response);
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  port = (server.address() as AddressInfo).port;
}

async function obey(order: Order): Promise<void> {
  switch (order.kind) {
    case 'advance':
      nowMs += order.ms;
      return;
    case 'rotate':
      keys = [await makeKey(), ...keys];
      makeIssuer();
      return;
    case 'leave': {
      const leaving = server;
      server = undefined;
      leaving?.closeAllConnections();
      leaving?.close();
      if (leaving) await once(leaving, 'close');
      return;
    }
    case 'return':
      await listen();
      return;
  }
}

const report = (message: Report) => process.send?.(message);
process.on('disconnect', () => process.exit(0));
process.on('message', (order: Order) => {
  obey(order).then(
    () => report({ done: order.kind }),
    (error: unknown) => {
      process.stderr.write(`${String(error)}\n`);
      process.exit(1);
    },
  );
});

keys = [await makeKey()];
await listen();
makeIssuer();
report({ url: `http://127.0.0.1:${port}/realms/test` });
