import { type ChildProcess, fork } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { IdentifiedProcess } from '@gpuaas/contract/internal';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { makeIdentity } from '../../src/bin/process-identity/run.ts';
import { processes } from '../../src/bin/processes.ts';
import { systemClock } from '../../src/kernel/clock.ts';
import { systemIds } from '../../src/kernel/id.ts';
import { readConfig } from '../../src/kernel/process/config.ts';
import { certificatesConfig, openCertificatesOf } from '../../src/ports/certificates/settings.ts';
import { freePort } from '../../src/testing/servers/start.ts';
import { type Balancer, openBalancer } from './balancer.ts';
import type { Servers } from './servers.ts';

export interface Member {
  readonly name: string;
  readonly copy: number;
  /** What it reports about itself: which adapter stands behind each port that it has open. */
  adapters(): Promise<readonly PortReport[]>;
  output(): string;
  /** Kills it and starts it again. */
  kill(): Promise<void>;
  /** Asks it to stop; answers its exit code. */
  stop(): Promise<number | null>;
}

export interface PortReport {
  readonly port: string;
  readonly adapter: string;
  readonly kind: string;
}

/** Two free ports, one for each copy, and a balancer in front of them. */
async function openDoor(): Promise<Balancer & { readonly ports: readonly [number, number] }> {
  const ports = [await freePort(), await freePort()] as const;
  return { ...(await openBalancer(ports)), ports };
}

/**
 * Two of each process over the servers, with balancers in front of the doors for nodes, for their logs and terminals, and
 * of the internal listeners of the api. Both copies of a gateway have an identity of their own, which step-ca signed.
 */
export async function startComposed(servers: Servers, folder: string, poolSize: number) {
  const { privateKey, publicKey } = await generateKeyPair('ES256');
  const keysPath = join(folder, 'keys.json');
  await writeFile(keysPath, JSON.stringify({ keys: [{ ...(await exportJWK(publicKey)), kid: 'k', alg: 'ES256' }] }));
  const ports = [await freePort(), await freePort()];
  const terminalPorts = [await freePort(), await freePort()] as const;
  const appPorts = [await freePort(), await freePort()] as const;
  const tunnelPorts = [await freePort(), await freePort()] as const;
  const doors = {
    nodes: await openDoor(),
    terminals: await openDoor(),
    logs: await openDoor(),
    inside: await openDoor(),
  };
  const shared = {
    ...servers.settings,
    NODE_COMPILE_CACHE: join(folder, 'compiled'),
    GPUAAS_DATABASE_POOL_SIZE: String(poolSize),
    GPUAAS_SECRETS_KEY: randomBytes(32).toString('base64'),
    GPUAAS_PUBLIC_URL: `http://127.0.0.1:${ports[0]}`,
    GPUAAS_NODE_URL: `https://127.0.0.1:${doors.nodes.port}`,
    GPUAAS_NODE_LOGS_URL: `https://127.0.0.1:${doors.logs.port}`,
    GPUAAS_TERMINAL_URL: `ws://127.0.0.1:${terminalPorts[0]}`,
    GPUAAS_TERMINAL_NODE_URL: `wss://127.0.0.1:${doors.terminals.port}`,
    GPUAAS_APPS_URL: 'https://apps.example.net',
    GPUAAS_APP_TUNNEL_URLS: tunnelPorts.map((port) => `https://127.0.0.1:${port}`).join(','),
    GPUAAS_INTERNAL_NAMES: '127.0.0.1',
    GPUAAS_INTERNAL_URL: `https://127.0.0.1:${doors.inside.port}`,
    GPUAAS_REQUESTS_PER_MINUTE: '100000',
    GPUAAS_OIDC_ISSUER: 'https://issuer.test',
    GPUAAS_OIDC_KEYS_URL: pathToFileURL(keysPath).href,
  };
  const members: Member[] = [];
  for (const { spec, login } of processes) {
    for (const copy of [0, 1] as const) {
      const own = login
        ? { GPUAAS_DATABASE_URL: servers.database.urlFor(login) }
        : { GPUAAS_IDENTITY_FOLDER: await identify(spec.name as IdentifiedProcess, copy, folder, shared) };
      const env = {
        ...shared,
        ...own,
        GPUAAS_INSTANCE: `composed-${copy}`,
        GPUAAS_PORT: String(ports[copy]),
        GPUAAS_NODE_PORT: String(doors.nodes.ports[copy]),
        GPUAAS_INTERNAL_PORT: String(doors.inside.ports[copy]),
        GPUAAS_TERMINAL_PORT: String(terminalPorts[copy]),
        GPUAAS_TERMINAL_NODE_PORT: String(doors.terminals.ports[copy]),
        GPUAAS_NODE_LOG_PORT: String(doors.logs.ports[copy]),
        GPUAAS_APPS_PORT: String(appPorts[copy]),
        GPUAAS_APP_TUNNEL_PORT: String(tunnelPorts[copy]),
      };
      members.push(await startMember(spec.name, copy, env));
    }
  }
  return {
    members,
    urls: ports.map((port) => `http://127.0.0.1:${port}`),
    nodeUrl: `https://127.0.0.1:${doors.nodes.port}`,
    terminalPorts,
    appPorts,
    token: (subject: string) =>
      new SignJWT({ auth_time: Math.floor(Date.now() / 1_000) })
        .setProtectedHeader({ alg: 'ES256', kid: 'k' })
        .setIssuer('https://issuer.test')
        .setAudience('gpuaas')
        .setSubject(subject)
        .setJti(systemIds.next())
        .setIssuedAt()
        .setExpirationTime('1h')
        .sign(privateKey),
    async close() {
      await Promise.all(members.map((member) => member.stop()));
      await Promise.all(Object.values(doors).map((door) => door.close()));
    },
  };
}

/** What `process-identity` does, with the settings of the api. Answers the folder. */
async function identify(
  process: IdentifiedProcess,
  copy: number,
  folder: string,
  settings: Readonly<Record<string, string>>,
): Promise<string> {
  const name = 'process-identity';
  const config = readConfig(name, certificatesConfig, settings);
  const certificates = await openCertificatesOf(config, { clock: systemClock, ids: systemIds, name });
  const place = join(folder, 'identities', `${process}-${copy}`);
  try {
    await makeIdentity(certificates, { process, names: ['127.0.0.1'], folder: place });
  } finally {
    await certificates.close();
  }
  return place;
}

const series = /^gpuaas_port_adapter_info\{([^}]*)\} 1$/gm;
async function adaptersAt(healthUrl: string): Promise<PortReport[]> {
  const text = await (await fetch(`${healthUrl}/metrics`)).text();
  if (!text.includes('gpuaas_build_info{')) throw new Error(`this is no report of a process: ${text.slice(0, 200)}`);
  return [...text.matchAll(series)].map(([, labels = '']) => {
    const label = (name: string) => new RegExp(`(?:^|,)${name}="([^"]*)"`).exec(labels)?.[1] ?? '';
    return { port: label('port'), adapter: label('adapter'), kind: label('kind') };
  });
}

/** A process that ends while it starts, because a busy server kept it waiting, is started again, as a supervisor does. */
const mostStarts = 5;

export async function startMember(name: string, copy: number, env: Readonly<Record<string, string>>): Promise<Member> {
  let output = '';
  let child: ChildProcess;
  let gone: Promise<number | null>;
  let healthUrl = '';
  const startOnce = async () => {
    const started = fork(join(import.meta.dirname, '../../src/bin', name, 'main.ts'), [], {
      execArgv: ['--disable-warning=DeprecationWarning'],
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
      env,
    });
    child = started;
    for (const stream of [started.stdout, started.stderr]) {
      stream?.on('data', (chunk: Buffer) => {
        output = (output + chunk.toString()).slice(-20_000);
      });
    }
    gone = new Promise((resolve) => started.once('exit', (code) => resolve(code)));
    const early = gone.then(() => {
      throw new Error(`${name} ${copy} ended while it started: ${output}`);
    });
    early.catch(() => undefined);
    const said = new Promise<{ healthUrl: string }>((resolve) => started.once('message', resolve as () => void));
    ({ healthUrl } = await Promise.race([said, early]));
  };
  const start = async () => {
    for (let attempt = 1; ; attempt += 1) {
      try {
        await startOnce();
        return;
      } catch (error) {
        if (attempt === mostStarts) throw error;
      }
    }
  };
  await start();
  return {
    ...{ name, copy },
    output: () => output,
    adapters: () => adaptersAt(healthUrl),
    async kill() {
      child.kill('SIGKILL');
      await gone;
      await start();
    },
    async stop() {
      child.kill('SIGTERM');
      return gone;
    },
  };
}
