import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { freePort, startServer, type TestServer, toolCache } from './start.ts';

const run = promisify(execFile);

const version = '26.7.3';
const sha512 =
  '15c764765576eef267cf15cc5225a5826b5394a25a83d9bfa5b8544e4bbba690cb743c9d384200b93bb71ee4c4a328e1dd8c0a00f822fd3e6e154f14b1e47216';
const artifact = `org.keycloak:keycloak-quarkus-dist:${version}:zip`;
const copyGoal = 'org.apache.maven.plugins:maven-dependency-plugin:3.6.1:copy';
const installWithinMs = 15 * 60_000;
/** A start on a machine that does much else. */
const readyWithinMs = 10 * 60_000;
const answerWithinMs = 60_000;

/** As bin/kc.sh starts it. That script would be a process in between, and would be killed in place of the server. */
const virtualMachine = [
  ...[
    '-Xms64m',
    '-Xmx512m',
    '-XX:MaxMetaspaceSize=256m',
    '-XX:+UseSerialGC',
    '-XX:TieredStopAtLevel=1',
    '-Dfile.encoding=UTF-8',
    '-Duser.language=en',
  ],
  '--enable-native-access=ALL-UNNAMED',
  ...['java.util', 'java.util.concurrent', 'java.security', 'java.lang'].map(
    (name) => `--add-opens=java.base/${name}=ALL-UNNAMED`,
  ),
  '-Djava.util.concurrent.ForkJoinPool.common.threadFactory=io.quarkus.bootstrap.forkjoin.QuarkusForkJoinWorkerThreadFactory',
  '-Djava.util.logging.manager=org.jboss.logmanager.LogManager',
];

/** Keycloak, which keeps its realms in memory: a kill loses them. */
export interface Keycloak extends TestServer {
  /** Makes a realm from what an export of one looks like. Answers its issuer. */
  addRealm(realm: { readonly realm: string } & Readonly<Record<string, unknown>>): Promise<string>;
  /** Asks its administration, as its first administrator. */
  administer(method: string, path: string, body?: object): Promise<unknown>;
}

/** The distribution, fetched by Maven once, checked, unpacked, made ready for a database in memory, and kept. */
async function keycloakHome(): Promise<string> {
  const home = join(toolCache, `keycloak-${version}`);
  const complete = join(home, 'complete');
  if (await stat(complete).catch(() => undefined)) return home;
  const fetching = `${home}.${process.pid}`;
  await mkdir(fetching, { recursive: true });
  try {
    const fetch = ['--batch-mode', '--quiet', copyGoal, `-Dartifact=${artifact}`, `-DoutputDirectory=${fetching}`];
    await run('mvn', fetch, { timeout: installWithinMs, cwd: fetching });
    const zip = join(fetching, `keycloak-quarkus-dist-${version}.zip`);
    const found = createHash('sha512')
      .update(await readFile(zip))
      .digest('hex');
    if (found !== sha512) throw new Error(`${artifact} is not the file that was pinned: its SHA-512 is ${found}`);
    await run('unzip', ['-q', zip, '-d', fetching], { timeout: installWithinMs });
    // What an interrupted run left is not whole. The place is known to what is built in it, so that is done there.
    await rm(home, { recursive: true, force: true });
    await rename(join(fetching, `keycloak-${version}`), home);
    await run(join(home, 'bin', 'kc.sh'), ['build', '--db=dev-mem', '--cache=local'], { timeout: installWithinMs });
    await writeFile(complete, '');
  } finally {
    await rm(fetching, { recursive: true, force: true });
  }
  return home;
}

export async function startKeycloak(): Promise<Keycloak> {
  const [home, port] = [await keycloakHome(), await freePort()];
  const url = `http://127.0.0.1:${port}`;
  const administrator = { username: 'administrator', password: 'a password of a server on loopback' };
  const server = await startServer({
    command: 'java',
    args: [
      ...virtualMachine,
      ...[`-Dkc.home.dir=${home}`, `-Djboss.server.config.dir=${join(home, 'conf')}`],
      ...['-cp', join(home, 'lib', 'quarkus-run.jar'), 'io.quarkus.bootstrap.runner.QuarkusEntryPoint'],
      ...['start', '--optimized', '--cache=local', '--http-enabled=true', '--http-host=127.0.0.1'],
      ...[`--http-port=${port}`, `--hostname=${url}`],
    ],
    env: {
      KC_BOOTSTRAP_ADMIN_USERNAME: administrator.username,
      KC_BOOTSTRAP_ADMIN_PASSWORD: administrator.password,
    },
    ...{ port, url, readyWithinMs },
  });
  const ask = async (path: string, init: RequestInit) => {
    const response = await fetch(`${url}${path}`, { ...init, signal: AbortSignal.timeout(answerWithinMs) });
    const text = await response.text();
    if (!response.ok) throw new Error(`${path} of Keycloak answered ${response.status}: ${text}`);
    return text === '' ? undefined : (JSON.parse(text) as unknown);
  };
  const administer: Keycloak['administer'] = async (method, path, body) => {
    const grant = new URLSearchParams({ grant_type: 'password', client_id: 'admin-cli', ...administrator });
    const { access_token: token } = (await ask('/realms/master/protocol/openid-connect/token', {
      ...{ method: 'POST', body: grant },
    })) as { access_token: string };
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    return ask(`/admin${path}`, { method, headers, ...(body && { body: JSON.stringify(body) }) });
  };
  return {
    ...server,
    administer,
    async addRealm(realm) {
      await administer('POST', '/realms', realm);
      return `${url}/realms/${realm.realm}`;
    },
  };
}
