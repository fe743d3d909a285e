import { hash, timingSafeEqual } from 'node:crypto';
import type { ClientMetadata } from 'oidc-provider';
import type { Pool } from 'pg';
import type { Clock } from '../../kernel/clock.ts';
import type { Ids } from '../../kernel/id.ts';
import type { Seal } from '../../kernel/secrets/seal.ts';
import type { Clients } from './port.ts';

export const cliClientId = 'gpuaas-cli';
export const consoleClientId = 'gpuaas-console';
/** The scopes that a program is held to; the library's own field for this knows only scopes of its own. */
export const allowedScopes = 'gpuaas_allowed_scopes';
const deviceGrant = 'urn:ietf:params:oauth:grant-type:device_code';

/**
 * Where a secret stands in a client's record, its digest stands: the record opens nothing. The secret is random, so the
 * digest needs no key, and no client depends on one that is replaced.
 */
const secretDigest = (secret: string) => hash('sha256', secret, 'hex');

export function isSecretOf(
  seal: Seal,
  client: { readonly id: string; readonly kept: string | undefined },
  given: string,
) {
  const actual = Buffer.from(secretDigest(given), 'hex');
  // While a key is being replaced, processes of one installation derive the console's secret from different keys.
  const wanted = client.id === consoleClientId ? consoleSecretsOf(seal).map(secretDigest) : [client.kept ?? ''];
  return wanted
    .map((each) => Buffer.from(each, 'hex'))
    .map((each) => each.length === actual.length && timingSafeEqual(each, actual))
    .includes(true);
}

const consoleSecretsOf = (seal: Seal): string[] =>
  seal.digests('console', consoleClientId).map((digest) => digest.toString('base64url'));
/** The console's secret follows from the sealing key, so every process that may know it does, and nothing is configured. */
export const consoleSecretOf = (seal: Seal): string => seal.digest('console', consoleClientId).toString('base64url');

/** Our own two clients. The command line listens on any free loopback port during sign-in. */
export function ownClients(
  seal: Seal,
  name: string,
  console: { readonly redirectUris: readonly string[]; readonly postLogoutRedirectUris: readonly string[] },
): ClientMetadata[] {
  const cli: ClientMetadata = {
    client_id: cliClientId,
    client_name: `${name} command line`,
    application_type: 'native',
    token_endpoint_auth_method: 'none',
    grant_types: ['authorization_code', 'refresh_token', deviceGrant],
    response_types: ['code'],
    redirect_uris: ['http://127.0.0.1/callback', 'http://[::1]/callback', 'http://localhost/callback'],
  };
  if (console.redirectUris.length === 0) return [cli];
  return [
    cli,
    {
      client_id: consoleClientId,
      client_name: `${name} console`,
      application_type: 'web',
      client_secret: secretDigest(consoleSecretOf(seal)),
      token_endpoint_auth_method: 'client_secret_basic',
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      redirect_uris: [...console.redirectUris],
      post_logout_redirect_uris: [...console.postLogoutRedirectUris],
    },
  ];
}

interface Row {
  readonly id: string;
  readonly name: string;
  readonly secret_digest: string;
  readonly scopes: string[] | null;
}
const findClient = {
  name: 'gpuaas_oidc_client',
  text: 'select id, name, secret_digest, scopes from gpuaas_oidc.client where id = $1',
};

/** Programs of others, which sign in as themselves and in nobody's name. */
export function makeClients(parts: {
  readonly pool: Pool;
  readonly clock: Clock;
  readonly ids: Ids;
}): Clients & { metadata(id: string): Promise<ClientMetadata | undefined> } {
  const { pool, clock, ids } = parts;
  return {
    async registerService({ id, name, scopes }) {
      if (id === cliClientId || id === consoleClientId) throw new Error(`${id} is one of our own clients`);
      const secret = ids.secret(32);
      await pool.query(
        `insert into gpuaas_oidc.client (id, name, secret_digest, scopes, created_at) values ($1, $2, $3, $4, $5)`,
        [id, name, secretDigest(secret), scopes ?? null, clock.now()],
      );
      return { secret };
    },
    async remove(id) {
      await pool.query('delete from gpuaas_oidc.client where id = $1', [id]);
    },
    async metadata(id) {
      const { rows } = await pool.query<Row>({ ...findClient, values: [id] });
      const [row] = rows;
      if (!row) return undefined;
      return {
        client_id: row.id,
        client_name: row.name,
        client_secret: row.secret_digest,
        token_endpoint_auth_method: 'client_secret_basic',
        grant_types: ['client_credentials'],
        response_types: [],
        redirect_uris: [],
        ...(row.scopes && { [allowedScopes]: row.scopes }),
      };
    },
  };
}
