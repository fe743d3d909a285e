import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fastify } from 'fastify';
import type { AttemptLimits } from '../../edge/oidc/attempts.ts';
import { plainLayOut } from '../../edge/oidc/layout.ts';
import { mountOidc, type OidcMountParts } from '../../edge/oidc/mount.ts';
import { makeIssuerPages } from '../../edge/oidc/pages.ts';
import { makeTestClock, type TestClock } from '../../kernel/clock.ts';
import { systemIds } from '../../kernel/id.ts';
import { silentLog } from '../../kernel/telemetry/log.ts';
import { openTestDatabase } from '../../testing/postgres.ts';
import { openPostgresCache } from '../cache/postgres.ts';
import { type EmbeddedIssuerOptions, tendEveryMs } from './embedded.ts';
import { openIdentityProvider } from './open.ts';
import type { EmbeddedIssuer } from './port.ts';

/** The embedded issuer on a server that listens, over a database of its own. */
export interface EmbeddedBench {
  readonly clock: TestClock;
  /** How often an issuer has finished tending its keys and records, and lies down until the next time. */
  rounds(): number;
  readonly databaseUrl: string;
  readonly publicUrl: string;
  /** Where the server really listens. */
  readonly localUrl: string;
  readonly keyFile: string;
  /** The issuer behind the server now. */
  issuer(): EmbeddedIssuer;
  open(options?: Partial<EmbeddedIssuerOptions>): Promise<EmbeddedIssuer>;
  /** Ends server and issuer and starts both anew, at the same address. */
  restart(): Promise<void>;
  close(): Promise<void>;
}

interface BenchLog {
  warn(details: object, message: string): void;
  error(details: object, message: string): void;
}

/** Weak on purpose: the tests hash many passwords and are about something else. */
export const cheap = { memoryKib: 64, passes: 1 };
export const person = { login: 'anna', password: 'a good long passphrase' };

export async function openEmbeddedBench(
  options: Partial<EmbeddedIssuerOptions> & {
    attempts?: AttemptLimits;
    log?: BenchLog;
    factorChanged?: OidcMountParts['factorChanged'];
    /** By what name browsers reach it: they make passkeys for localhost, and not for an address. */
    hostName?: string;
  } = {},
): Promise<EmbeddedBench> {
  const { attempts, log = silentLog, factorChanged, hostName = '127.0.0.1', ...issuerOptions } = options;
  const time = makeTestClock(new Date());
  let rounds = 0;
  const clock: TestClock = {
    ...time,
    sleep(ms, signal) {
      if (ms === tendEveryMs) rounds += 1;
      return time.sleep(ms, signal);
    },
  };
  const database = await openTestDatabase();
  const folder = await mkdtemp(join(tmpdir(), 'gpuaas-oidc-'));
  const keyFile = join(folder, 'sealing.key');
  const port = await findFreePort();
  const publicUrl = options.publicUrl ?? `http://${hostName}:${port}`;
  const cache = await openPostgresCache({ url: database.url, clock });

  const open = (more: Partial<EmbeddedIssuerOptions> = {}) =>
    openIdentityProvider(
      {
        kind: 'embedded',
        url: database.url,
        publicUrl,
        audience: 'gpuaas',
        sealingKey: { file: keyFile },
        passwordCost: cheap,
        console: {
          redirectUris: ['https://console.test/auth/callback'],
          postLogoutRedirectUris: ['https://console.test/bye'],
        },
        ...issuerOptions,
        ...more,
      },
      { clock, ids: systemIds, pages: makeIssuerPages(plainLayOut), log },
    );
  async function serve() {
    const issuer = await open();
    const app = fastify({ forceCloseConnections: true });
    await mountOidc(app, {
      ...{ issuer, cache, log, layOut: plainLayOut, clock, ids: systemIds, factorChanged },
      ...(attempts && { attempts }),
    });
    await app.listen({ host: '127.0.0.1', port });
    const stop = async () => {
      await app.close();
      await issuer.close();
    };
    return { issuer, stop };
  }
  let serving = await serve();
  await serving.issuer.accounts.create({ ...person, displayName: 'Anna Example', email: 'anna@example.com' });
  return {
    clock,
    rounds: () => rounds,
    databaseUrl: database.url,
    publicUrl,
    localUrl: `http://127.0.0.1:${port}`,
    keyFile,
    issuer: () => serving.issuer,
    open,
    async restart() {
      await serving.stop();
      serving = await serve();
    },
    async close() {
      await serving.stop();
      await cache.close();
      await database.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function findFreePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (typeof address !== 'object' || !address) throw new Error('no port was found');
  return address.port;
}
