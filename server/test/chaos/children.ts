import { type ChildProcess, fork } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { processes } from '../../src/bin/processes.ts';
import { systemIds } from '../../src/kernel/id.ts';
import { storeSettings } from '../../src/ports/open.ts';
import { openTestSchema, type TestSchema } from '../../src/testing/schema.ts';

/** One of our processes as production runs it: alone, in a Node process of its own, told by its environment. */
export interface Child {
  readonly pid: number;
  readonly healthUrl: string;
  /** How it ended. */
  readonly ended: Promise<{ readonly code: number | null; readonly signal: string | null }>;
  output(): string;
  /** Where it is to die from now on. Only of one that was started with failpoints. */
  arm(failpoints: string): Promise<void>;
  kill(signal: 'SIGTERM' | 'SIGKILL'): void;
  /** As if whoever started it had gone. */
  leave(): void;
}
export type ChildName = keyof typeof families;

export interface Installation {
  readonly schema: TestSchema;
  readonly url: string;
  token(subject: string): Promise<string>;
  start(name: ChildName, failpoints?: string): Promise<Child>;
  /** Answers undefined when the connection broke before an answer came. */
  call(
    method: string,
    path: string,
    ask: { as: string; key?: string; body?: object; project?: string },
  ): Promise<Answer | undefined>;
  /** Any other program of ours that says when it has started. */
  fork(program: string, argument: string): Promise<Child>;
  close(): Promise<void>;
}
export interface Answer {
  readonly status: number;
  readonly replayed: boolean;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
  readonly body: any;
}

const storesOf = (name: string) => processes.find(({ spec }) => spec.name === name)?.stores ?? [];
const families = {
  api: 'gpuaas_api',
  'outbox-relay': 'gpuaas_relay',
  'provisioning-worker': 'gpuaas_worker',
  'email-worker': 'gpuaas_mailer',
  'billing-worker': 'gpuaas_billing',
  'notification-relay': 'gpuaas_notifier',
  'webhook-worker': 'gpuaas_webhooks',
} as const;

export async function openInstallation(
  env: Readonly<Record<string, string>> = {},
  /** Where the processes find a database that is somewhere else than it seems. */
  through: (url: string) => string = (url) => url,
  given?: TestSchema,
): Promise<Installation> {
  const schema = given ?? (await openTestSchema());
  const folder = await mkdtemp(join(tmpdir(), 'gpuaas-chaos-'));
  const { privateKey, publicKey } = await generateKeyPair('ES256');
  const keysPath = join(folder, 'keys.json');
  await writeFile(keysPath, JSON.stringify({ keys: [{ ...(await exportJWK(publicKey)), kid: 'k', alg: 'ES256' }] }));
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const children = new Set<ChildProcess>();

  async function launch(
    name: string,
    path: string,
    args: readonly string[],
    settings: Readonly<Record<string, string>>,
  ): Promise<Child> {
    const child = fork(path, [...args], {
      execArgv: ['--disable-warning=DeprecationWarning'],
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
      env: settings,
    });
    children.add(child);
    let output = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream?.on('data', (chunk: Buffer) => {
        output = (output + chunk.toString()).slice(-20_000);
      });
    }
    const ended = new Promise<{ code: number | null; signal: string | null }>((resolve) =>
      child.once('exit', (code, signal) => {
        children.delete(child);
        resolve({ code, signal });
      }),
    );
    const healthUrl = await Promise.race([
      new Promise<string>((resolve) =>
        child.on('message', (message: { healthUrl: string }) => resolve(message.healthUrl)),
      ),
      ended.then(() => {
        throw new Error(`${name} ended while it started: ${output}`);
      }),
    ]);
    return {
      pid: child.pid ?? 0,
      healthUrl,
      ended,
      output: () => output,
      arm: (failpoints) =>
        new Promise((resolve) => {
          const hear = (message: { armed?: string }) => {
            if (message.armed !== failpoints) return;
            child.off('message', hear);
            resolve();
          };
          child.on('message', hear);
          child.send({ failpoints });
        }),
      kill: (signal) => void child.kill(signal),
      leave: () => child.disconnect(),
    };
  }

  return {
    schema,
    url,
    token: (subject) =>
      new SignJWT({ auth_time: Math.floor(Date.now() / 1_000) })
        .setProtectedHeader({ alg: 'ES256', kid: 'k' })
        .setIssuer('https://issuer.test')
        .setAudience('gpuaas')
        .setSubject(subject)
        .setJti(systemIds.next())
        .setIssuedAt()
        .setExpirationTime('1h')
        .sign(privateKey),
    start: (name, failpoints) =>
      launch(name, join(import.meta.dirname, '../../src/bin', name, 'main.ts'), [], {
        GPUAAS_DATABASE_URL: through(schema.as(families[name])),
        ...storeSettings(storesOf(name), () => through(schema.url)),
        GPUAAS_ISSUER_URL: through(schema.url),
        GPUAAS_AUTHORITY_URL: through(schema.url),
        GPUAAS_DATABASE_POOL_SIZE: '4',
        GPUAAS_INSTANCE: 'chaos',
        GPUAAS_PORT: String(port),
        GPUAAS_NODE_PORT: '0',
        GPUAAS_OIDC_ISSUER: 'https://issuer.test',
        GPUAAS_OIDC_KEYS_URL: pathToFileURL(keysPath).href,
        ...env,
        ...(failpoints && { GPUAAS_FAILPOINTS: failpoints }),
      }),
    fork: (program, argument) => launch(program, join(import.meta.dirname, program), [argument], env),
    async call(method, path, { as, key, body, project }) {
      try {
        const response = await fetch(`${url}${path}`, {
          method,
          headers: {
            authorization: `Bearer ${as}`,
            ...(key && { 'idempotency-key': key }),
            ...(project && { 'x-project-id': project }),
            ...(body && { 'content-type': 'application/json' }),
          },
          ...(body && { body: JSON.stringify(body) }),
        });
        const replayed = response.headers.get('idempotency-replayed') === 'true';
        return { status: response.status, replayed, body: await response.json() };
      } catch {
        return undefined;
      }
    },
    async close() {
      await Promise.all(
        [...children].map(
          (child) =>
            new Promise((resolve) => {
              child.once('exit', resolve);
              child.kill('SIGKILL');
            }),
        ),
      );
      await schema.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (typeof address !== 'object' || address === null) throw new Error('there is no free port');
  return address.port;
}
