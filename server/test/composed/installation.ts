import { type ChildProcess, fork } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { processes } from '../../src/bin/processes.ts';
import { systemIds } from '../../src/kernel/id.ts';
import { freePort } from '../../src/testing/servers/start.ts';
import { type Balancer, openBalancer } from './balancer.ts';
import type { Servers } from './servers.ts';

export interface Member {
  readonly name: string;
  readonly copy: number;
  output(): string;
  /** Kills it and starts it again. */
  kill(): Promise<void>;
  /** Asks it to stop; answers its exit code. */
  stop(): Promise<number | null>;
}

/** Two of each process over the servers, with a balancer in front of the doors for nodes. */
export async function startComposed(servers: Servers, folder: string, poolSize: number) {
  const { privateKey, publicKey } = await generateKeyPair('ES256');
  const keysPath = join(folder, 'keys.json');
  await writeFile(keysPath, JSON.stringify({ keys: [{ ...(await exportJWK(publicKey)), kid: 'k', alg: 'ES256' }] }));
  const ports = [await freePort(), await freePort()];
  const nodePorts = [await freePort(), await freePort()];
  const door: Balancer = await openBalancer(nodePorts);
  const shared = {
    ...servers.settings,
    NODE_COMPILE_CACHE: join(folder, 'compiled'),
    GPUAAS_DATABASE_POOL_SIZE: String(poolSize),
    GPUAAS_SECRETS_KEY: randomBytes(32).toString('base64'),
    GPUAAS_PUBLIC_URL: `http://127.0.0.1:${ports[0]}`,
    GPUAAS_NODE_URL: `https://127.0.0.1:${door.port}`,
    GPUAAS_REQUESTS_PER_MINUTE: '100000',
    GPUAAS_OIDC_ISSUER: 'https://issuer.test',
    GPUAAS_OIDC_KEYS_URL: pathToFileURL(keysPath).href,
  };
  const members: Member[] = [];
  for (const { spec, login } of processes) {
    // Gateways of terminals are killed in a journey of their own.
    if (!login) continue;
    for (const copy of [0, 1]) {
      const env = {
        ...shared,
        GPUAAS_DATABASE_URL: servers.database.urlFor(login),
        GPUAAS_INSTANCE: `composed-${copy}`,
        GPUAAS_PORT: String(ports[copy]),
        GPUAAS_NODE_PORT: String(nodePorts[copy]),
      };
      members.push(await startMember(spec.name, copy, env));
    }
  }
  return {
    members,
    urls: ports.map((port) => `http://127.0.0.1:${port}`),
    nodeUrl: `https://127.0.0.1:${door.port}`,
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
      await door.close();
    },
  };
}

async function startMember(name: string, copy: number, env: Readonly<Record<string, string>>): Promise<Member> {
  let output = '';
  let child: ChildProcess;
  let gone: Promise<number | null>;
  const start = async () => {
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
    await Promise.race([new Promise((resolve) => started.once('message', resolve)), early]);
  };
  await start();
  return {
    ...{ name, copy },
    output: () => output,
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
