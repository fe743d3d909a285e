import { Type } from 'typebox';
import { Value } from 'typebox/value';
import { maxSecretBytes, type Secrets, SecretsFault, secretName, trimmed } from './port.ts';

/**
 * A store that speaks the HTTP API of Vault (OpenBao does too): one entry of the key-value engine, version 2, whose fields are
 * variables. Who asks is proven by a token, or by AppRole with its role id and secret id; all three are read from files.
 */
export interface VaultConfig {
  /** Such as https://vault.example.com:8200. */
  readonly url: string;
  /** Mount and path with a slash between, such as secret/gpuaas/api. */
  readonly entry: string;
  readonly namespace?: string | undefined;
  readonly login:
    | { readonly kind: 'token'; readonly token: () => Promise<string> }
    | {
        readonly kind: 'approle';
        readonly mount: string;
        readonly roleId: () => Promise<string>;
        readonly secretId: () => Promise<string>;
      };
}

const withinMs = 10_000;
const Entry = Type.Object({ data: Type.Object({ data: Type.Record(Type.String(), Type.Unknown()) }) });
const Login = Type.Object({ auth: Type.Object({ client_token: Type.String({ minLength: 1 }) }) });

export function vaultSecrets(config: VaultConfig): Secrets {
  const { url, entry, login } = config;
  const base = new URL(url);
  const isHere = ['127.0.0.1', '[::1]', 'localhost'].includes(base.hostname);
  if (base.protocol !== 'https:' && !isHere) {
    throw new SecretsFault(`GPUAAS_VAULT_URL has to begin with https://, unless the store is on this machine.`);
  }
  const [mount = '', ...path] = entry.split('/').filter((part) => part !== '');
  if (path.length === 0) throw new SecretsFault('GPUAAS_VAULT_ENTRY is a mount and a path, such as secret/gpuaas/api.');

  async function ask(
    where: string,
    what: { method: string; headers: Record<string, string>; body?: string },
  ): Promise<unknown> {
    const refuse = (why: string) => new SecretsFault(`The secret store at ${base.host} ${why} (${where}).`);
    const response = await fetch(new URL(`v1/${where}`, base.href.endsWith('/') ? base : `${base.href}/`), {
      ...what,
      headers: {
        ...what.headers,
        'x-vault-request': 'true',
        ...(config.namespace && { 'x-vault-namespace': config.namespace }),
      },
      // A header with a token is not carried to wherever an answer points.
      redirect: 'manual',
      signal: AbortSignal.timeout(withinMs),
    }).catch((error: Error) => {
      throw refuse(`cannot be reached: ${(error.cause as Error | undefined)?.message ?? error.name}`);
    });
    if (response.status >= 300 && response.status < 400) throw refuse('sends us elsewhere: name the active server');
    if (response.status === 403 || response.status === 400)
      throw refuse('refuses us: look at the token or the role, and its policy');
    if (response.status === 404) throw refuse('has no such entry');
    if (!response.ok) throw refuse(`answers ${response.status}`);
    const text = await response.text();
    if (text.length > maxSecretBytes * 4) throw refuse('answers with more than a process can need');
    try {
      return JSON.parse(text) as unknown;
    } catch {
      throw refuse('answers something that is not JSON');
    }
  }

  async function token(): Promise<string> {
    if (login.kind === 'token') return login.token();
    const answer = await ask(`auth/${login.mount}/login`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ role_id: await login.roleId(), secret_id: await login.secretId() }),
    });
    if (!Value.Check(Login, answer))
      throw new SecretsFault(`The secret store at ${base.host} gave no token for the role.`);
    return answer.auth.client_token;
  }

  return {
    name: `the secret store at ${base.host}`,
    async read() {
      const where = [mount, 'data', ...path].map(encodeURIComponent).join('/');
      const answer = await ask(where, { method: 'GET', headers: { 'x-vault-token': await token() } });
      if (!Value.Check(Entry, answer)) {
        throw new SecretsFault(`The entry ${entry} is not of the key-value engine, version 2.`);
      }
      const found: Record<string, string> = {};
      for (const [name, value] of Object.entries(answer.data.data)) {
        if (!secretName.test(name) || typeof value !== 'string' || value === '') {
          throw new SecretsFault(
            `The entry ${entry} has a field that is no setting: fields are variables (GPUAAS_...) with texts.`,
          );
        }
        found[name] = trimmed(value);
      }
      return found;
    },
  };
}
