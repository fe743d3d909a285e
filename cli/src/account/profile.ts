import { readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import type { Environment, Session } from '../command.ts';
import { exitCodes, Failure, usageFailure } from '../failure.ts';
import { configFolder, readJson, writeJson } from '../input/files.ts';
import { settingOf } from '../setting.ts';

/** An installation, and the name under which its sign-in is stored. */
export interface Profile {
  readonly name: string;
  readonly baseUrl: string;
  /** The project that was chosen with `gpuaas project use`. */
  readonly project: string | undefined;
  /** The region that was chosen with `gpuaas config set`. */
  readonly region?: string | undefined;
}
interface Kept {
  readonly base_url?: string;
  readonly project?: string;
  readonly region?: string;
}
interface Config {
  /** The default profile. */
  readonly profile?: string;
  readonly profiles?: Readonly<Record<string, Kept>>;
}

export const configPath = (env: Environment) => join(configFolder(env), 'config.json');
const namePattern = /^[A-Za-z0-9._-]{1,64}$/;

export async function readProfile(session: Pick<Session, 'text' | 'around' | 'file'>): Promise<Profile> {
  const { env } = session.around;
  const config = await readJson<Config>(configPath(env));
  const { value: name = 'default' } = settingOf(session, 'profile', {
    value: config?.profile,
    from: 'gpuaas profile use',
  });
  if (!namePattern.test(name)) throw usageFailure(`${JSON.stringify(name)} is not a valid profile name.`);
  const kept = Object.hasOwn(config?.profiles ?? {}, name) ? config?.profiles?.[name] : undefined;
  const asked = session.text('base-url') ?? (env['GPUAAS_BASE_URL'] || kept?.base_url) ?? (await findLocal(env));
  const baseUrl = readBaseUrl(asked);
  // A project and a region belong to an installation, as a sign-in does.
  const isHere = kept?.base_url === baseUrl;
  return {
    name,
    baseUrl,
    project: isHere ? kept.project : undefined,
    region: isHere ? kept.region : undefined,
  };
}

/** Every profile that was signed in with, and the default one. */
export async function listProfiles(env: Environment): Promise<readonly (Kept & { name: string; current: boolean })[]> {
  const config = (await readJson<Config>(configPath(env))) ?? {};
  const current = config.profile ?? 'default';
  return Object.entries(config.profiles ?? {}).map(([name, kept]) => ({ name, current: name === current, ...kept }));
}

export async function chooseProfile(name: string, env: Environment): Promise<void> {
  const config = (await readJson<Config>(configPath(env))) ?? {};
  await writeJson(configPath(env), { ...config, profile: name });
}

export async function keepProfile(profile: Profile, env: Environment): Promise<void> {
  const config = (await readJson<Config>(configPath(env))) ?? {};
  const { name, baseUrl: base_url, project, region } = profile;
  const kept = { base_url, ...(project && { project }), ...(region && { region }) };
  await writeJson(configPath(env), { ...config, profiles: { ...config.profiles, [name]: kept } });
}

export function readBaseUrl(text: string): string {
  if (!URL.canParse(text) || !/^https?:$/.test(new URL(text).protocol)) {
    throw usageFailure(`${JSON.stringify(text)} is not an address.`, 'Give one like https://gpu.example.com.');
  }
  const url = new URL(text);
  assertPrivate(url, 'The installation');
  return `${url.origin}${url.pathname.replace(/\/+$/, '')}`;
}

/** Without encryption anyone on the way can read the traffic, so plain HTTP is allowed for this machine only. */
export function assertPrivate(url: URL, what: string): void {
  const isHere = url.hostname === 'localhost' || url.hostname === '[::1]' || /^127\./.test(url.hostname);
  if (url.protocol === 'https:' || (url.protocol === 'http:' && isHere)) return;
  throw new Failure(exitCodes.usage, `${what} at ${url.origin} uses no encryption.`, {
    next: 'Use its https address.',
  });
}

/** The status file of a running `npm start`, wherever its data folder is. */
export async function findRunning(env: Environment): Promise<string | undefined> {
  const running = await readJson<{ url?: unknown; pid?: unknown }>(join(dataHome(env), 'running.json')).catch(
    () => undefined,
  );
  if (typeof running?.url !== 'string' || typeof running.pid !== 'number') return undefined;
  return isAlive(running.pid) ? running.url : undefined;
}
function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
const dataHome = (env: Environment): string =>
  join(env['XDG_DATA_HOME'] || join(env['HOME'] || homedir(), '.local', 'share'), 'gpuaas');

/** `npm start` on this machine writes its port into its data folder. */
async function findLocal(env: Environment): Promise<string> {
  const running = await findRunning(env);
  if (running !== undefined) return running;
  for (const folder of [dataHome(env), '/var/lib/gpuaas']) {
    const port = Number(await readFile(join(folder, 'port'), 'utf8').catch(() => ''));
    if (Number.isInteger(port) && port > 0) return `http://127.0.0.1:${port}`;
  }
  return 'http://127.0.0.1:8443';
}
