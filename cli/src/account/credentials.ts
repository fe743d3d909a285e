import { join } from 'node:path';
import { send } from '../call.ts';
import type { Environment } from '../command.ts';
import { exitCodes, Failure } from '../failure.ts';
import { configFolder, readJson, withLock, writeJson } from '../input/files.ts';
import { findKeyring } from './keyring.ts';
import type { Profile } from './profile.ts';

/** A stored sign-in. It belongs to one installation and is sent to no other. */
export type Credential =
  | { readonly base_url: string; readonly kind: 'token'; readonly token: string }
  | {
      readonly base_url: string;
      readonly kind: 'sign_in';
      readonly client_id: string;
      readonly token_endpoint: string;
      readonly revocation_endpoint: string | null;
      readonly access_token: string;
      readonly refresh_token?: string;
      readonly expires_at: string;
    };
export type SignIn = Extract<Credential, { kind: 'sign_in' }>;
/** Set instead when a keyring holds it. */
interface Elsewhere {
  readonly base_url: string;
  readonly kind: 'keyring';
}
interface Kept {
  readonly credentials?: Readonly<Record<string, Credential | Elsewhere>>;
}

const path = (env: Environment) => join(configFolder(env), 'credentials.json');
const lockPath = (env: Environment) => join(configFolder(env), 'credentials.lock');
/** Renewed early, so that it does not expire on the way. */
const aheadMs = 30_000;

const signInFirst = () =>
  new Failure(exitCodes.signIn, 'You are not signed in here.', { next: 'Sign in with gpuaas login.' });

async function find(profile: Profile, env: Environment): Promise<Credential | undefined> {
  const kept = (await readJson<Kept>(path(env)))?.credentials ?? {};
  const found = Object.hasOwn(kept, profile.name) ? kept[profile.name] : undefined;
  if (found?.base_url !== profile.baseUrl) return undefined;
  if (found.kind !== 'keyring') return found;
  const secret = await findKeyring(env)?.read(profile.name);
  const credential = secret === undefined ? undefined : (JSON.parse(secret) as Credential);
  return credential?.base_url === profile.baseUrl ? credential : undefined;
}

/** Returns where it is stored: in the keyring, or in which file. */
async function write(profile: Profile, env: Environment, credential: Credential | undefined): Promise<string> {
  const { name, baseUrl: base_url } = profile;
  const keyring = findKeyring(env);
  const isSafe = credential !== undefined && (await keyring?.write(name, JSON.stringify(credential))) === true;
  const { [name]: old, ...others } = (await readJson<Kept>(path(env)))?.credentials ?? {};
  if (old?.kind === 'keyring' && !isSafe) await keyring?.remove(name);
  const own: Credential | Elsewhere | undefined = isSafe ? { base_url, kind: 'keyring' } : credential;
  await writeJson(path(env), { credentials: { ...others, ...(own && { [name]: own }) } });
  return isSafe ? 'keyring' : path(env);
}

export const keepCredential = (profile: Profile, env: Environment, credential: Credential): Promise<string> =>
  withLock(lockPath(env), () => write(profile, env, credential));

/** Removes the sign-in and returns it, so that the caller can end the session on the server. */
export const forgetCredential = (profile: Profile, env: Environment): Promise<Credential | undefined> =>
  withLock(lockPath(env), async () => {
    const found = await find(profile, env);
    if (found) await write(profile, env, undefined);
    return found;
  });

/** The current access token. One that is about to expire is renewed, by one program at a time. */
export async function readToken(profile: Profile, env: Environment): Promise<string> {
  if (env['GPUAAS_TOKEN']) return env['GPUAAS_TOKEN'];
  const found = await find(profile, env);
  if (!found) throw signInFirst();
  if (found.kind === 'token') return found.token;
  if (isGood(found)) return found.access_token;
  return withLock(lockPath(env), async () => {
    // The previous holder of the lock may have renewed it already.
    const current = await find(profile, env);
    if (current?.kind !== 'sign_in') throw signInFirst();
    if (isGood(current)) return current.access_token;
    const renewed = await renew(current);
    await write(profile, env, renewed);
    return renewed.access_token;
  });
}

const isGood = ({ expires_at }: SignIn): boolean => Date.parse(expires_at) - Date.now() > aheadMs;

async function renew(credential: SignIn): Promise<SignIn> {
  const { client_id, refresh_token, token_endpoint } = credential;
  const over = (cause?: unknown) =>
    new Failure(exitCodes.signIn, 'The sign-in has expired.', { next: 'Sign in again with gpuaas login.', cause });
  if (!refresh_token) throw over();
  const answer = await send(token_endpoint, {
    method: 'POST',
    body: new URLSearchParams({ grant_type: 'refresh_token', client_id, refresh_token }),
  });
  if (answer.status >= 500)
    throw new Failure(exitCodes.server, 'The sign-in could not be renewed.', { next: 'Try again.' });
  if (answer.status !== 200) throw over(answer.body);
  return { ...credential, ...readTokens(answer.body, refresh_token) };
}

/** The answer of an issuer, as it is stored. */
export function readTokens(
  body: unknown,
  previous?: string,
): Pick<SignIn, 'access_token' | 'expires_at'> & { readonly refresh_token?: string } {
  const {
    access_token,
    refresh_token = previous,
    expires_in = 60,
  } = (body ?? {}) as {
    access_token?: string;
    refresh_token?: string;
    expires_in?: number;
  };
  if (typeof access_token !== 'string') throw new Failure(exitCodes.server, 'The identity provider sent no token.');
  const expires_at = new Date(Date.now() + Number(expires_in) * 1_000).toISOString();
  return { access_token, expires_at, ...(refresh_token !== undefined && { refresh_token }) };
}
