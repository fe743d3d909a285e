import { readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { type Environment, type Given, textOf } from './command.ts';
import { exitCodes, Failure, usageFailure } from './failure.ts';
import { configFolder, readJson, writeJson } from './files.ts';

/** Which installation, and under which name its sign-in is kept. */
export interface Profile {
  readonly name: string;
  readonly baseUrl: string;
  /** The project that was chosen with `gpuaas project use`. */
  readonly project: string | undefined;
}
interface Config {
  readonly profiles?: Readonly<Record<string, { readonly base_url?: string; readonly project?: string }>>;
}

export const configPath = (env: Environment) => join(configFolder(env), 'config.json');
const namePattern = /^[A-Za-z0-9._-]{1,64}$/;

export async function readProfile(given: Given, env: Environment): Promise<Profile> {
  const name = textOf(given, 'profile') ?? (env['GPUAAS_PROFILE'] || 'default');
  if (!namePattern.test(name)) throw usageFailure(`${JSON.stringify(name)} cannot be the name of a profile.`);
  const config = await readJson<Config>(configPath(env));
  const kept = Object.hasOwn(config?.profiles ?? {}, name) ? config?.profiles?.[name] : undefined;
  const asked = textOf(given, 'base-url') ?? (env['GPUAAS_BASE_URL'] || kept?.base_url) ?? (await findLocal(env));
  const baseUrl = readBaseUrl(asked);
  // A project belongs to an installation, as a sign-in does.
  return { name, baseUrl, project: kept?.base_url === baseUrl ? kept.project : undefined };
}

export async function keepProfile(profile: Profile, env: Environment): Promise<void> {
  const config = (await readJson<Config>(configPath(env))) ?? {};
  const profiles = {
    ...config.profiles,
    [profile.name]: { base_url: profile.baseUrl, ...(profile.project && { project: profile.project }) },
  };
  await writeJson(configPath(env), { ...config, profiles });
}

export function readBaseUrl(text: string): string {
  if (!URL.canParse(text) || !/^https?:$/.test(new URL(text).protocol)) {
    throw usageFailure(`${JSON.stringify(text)} is no address.`, 'Give one like https://gpu.example.com.');
  }
  const url = new URL(text);
  assertPrivate(url, 'The installation');
  return `${url.origin}${url.pathname.replace(/\/+$/, '')}`;
}

/** What is sent in the open belongs to whoever listens; only this machine may be spoken to without encryption. */
export function assertPrivate(url: URL, what: string): void {
  const isHere = url.hostname === 'localhost' || url.hostname === '[::1]' || /^127\./.test(url.hostname);
  if (url.protocol === 'https:' || (url.protocol === 'http:' && isHere)) return;
  throw new Failure(exitCodes.client, `${what} at ${url.origin} would be spoken to without encryption.`, {
    next: 'Use its https address.',
  });
}

/** `npm start` on this machine leaves its port in its data folder. */
async function findLocal(env: Environment): Promise<string> {
  const own = join(env['XDG_DATA_HOME'] || join(env['HOME'] || homedir(), '.local', 'share'), 'gpuaas');
  for (const folder of [own, '/var/lib/gpuaas']) {
    const port = Number(await readFile(join(folder, 'port'), 'utf8').catch(() => ''));
    if (Number.isInteger(port) && port > 0) return `http://127.0.0.1:${port}`;
  }
  return 'http://127.0.0.1:8443';
}
