import { createHash, randomBytes } from 'node:crypto';
import { importJWK, type JWK, type JWTPayload, SignJWT } from 'jose';
import pg from 'pg';
import { api } from '../../../src/bin/api/process.ts';
import { emailWorker } from '../../../src/bin/email-worker/process.ts';
import { outboxRelay } from '../../../src/bin/outbox-relay/process.ts';
import { processes } from '../../../src/bin/processes.ts';
import { plainLayOut } from '../../../src/edge/oidc/layout.ts';
import { makeIssuerPages } from '../../../src/edge/oidc/pages.ts';
import { systemClock } from '../../../src/kernel/clock.ts';
import { systemIds } from '../../../src/kernel/id.ts';
import { type Running, startProcess } from '../../../src/kernel/process/process.ts';
import { openKeyring } from '../../../src/kernel/secrets/keyring.ts';
import type { Seal } from '../../../src/kernel/secrets/seal.ts';
import { type Log, silentLog } from '../../../src/kernel/telemetry/log.ts';
import { makeBrowser, type Screen, walkThrough } from '../../../src/ports/identity-provider/conformance-browser.ts';
import { openIdentityProvider } from '../../../src/ports/identity-provider/open.ts';
import type { EmbeddedIssuer } from '../../../src/ports/identity-provider/port.ts';
import { type DevInbox, openDevInbox } from '../../../src/ports/mail/inbox.ts';
import { openPorts, storeSettings } from '../../../src/ports/open.ts';
import { openTestSchema } from '../../../src/testing/schema.ts';
import { freePort } from '../../chaos/children.ts';

export interface Person {
  readonly login: string;
  readonly password: string;
}
/** The api with its own OpenID provider, started as production starts it, and people who have accounts there. */
export interface SignInWorld {
  readonly url: string;
  readonly root: pg.Client;
  /** What a command of the installation is started with. */
  readonly env: Readonly<Record<string, string>>;
  readonly issuer: EmbeddedIssuer;
  /** The key of the installation: a test may look where nobody else can. */
  readonly consoleSeal: Seal;
  /** A token as the provider would sign it, with other claims. */
  sign(claims: JWTPayload): Promise<string>;
  readonly person: Person;
  /** Another person: nobody may try a password too often. */
  newPerson(): Promise<Person>;
  /** Another api process of the same installation, behind another port; `moved`, with that as its public address. */
  startAnother(
    log?: Log,
    options?: { readonly moved?: boolean },
  ): Promise<{ readonly url: string; readonly running: Running }>;
  /** Starts the processes that bring letters, and opens the box that they arrive in. */
  startMail(): Promise<DevInbox>;
  close(): Promise<void>;
}

export async function openSignInWorld(
  env: Readonly<Record<string, string>> = {},
  /** By what name browsers reach it: they make passkeys for localhost, and not for an address. */
  hostName = '127.0.0.1',
): Promise<SignInWorld> {
  const schema = await openTestSchema();
  const port = await freePort();
  const url = `http://${hostName}:${port}`;
  const key = randomBytes(32).toString('base64');
  const started: Running[] = [];
  let inbox: DevInbox | undefined;
  const start = async (
    listenOn: number,
    log: Log = silentLog,
    publicUrl = url,
    { spec, login, stores }: Pick<(typeof processes)[number], 'spec' | 'login' | 'stores'> = {
      spec: api,
      login: 'gpuaas_api',
      stores: ['cache'],
    },
  ) => {
    const whole = {
      GPUAAS_DATABASE_URL: schema.as(login ?? 'gpuaas_api'),
      ...storeSettings(stores, () => schema.url),
      GPUAAS_ISSUER_URL: schema.url,
      GPUAAS_AUTHORITY_URL: schema.url,
      GPUAAS_DATABASE_POOL_SIZE: '4',
      GPUAAS_PORT: String(listenOn),
      GPUAAS_NODE_PORT: '0',
      GPUAAS_PUBLIC_URL: publicUrl,
      GPUAAS_SECRETS_KEY: key,
      GPUAAS_REQUESTS_PER_MINUTE: '100000',
      ...env,
    };
    const parts = { clock: systemClock, ids: systemIds, log, version: '0.0.0', openPorts: openPorts(whole) };
    const running = await startProcess(spec, { env: whole, ...parts });
    started.push(running);
    return running;
  };
  await start(port);
  const issuer = await openIdentityProvider(
    { kind: 'embedded', url: schema.url, publicUrl: url, audience: 'gpuaas', sealingKey: { text: key } },
    { clock: systemClock, ids: systemIds, pages: makeIssuerPages(plainLayOut) },
  );
  const make = async (login: string): Promise<Person> => {
    const person = { login, password: randomBytes(12).toString('base64url') };
    await issuer.accounts.create({ ...person, displayName: login });
    return person;
  };
  const person = await make('ada');
  const root = new pg.Client({ connectionString: schema.url });
  await root.connect();
  const keyring = openKeyring(key, 'the test');
  const issuerSeal = keyring.seal('issuer');
  return {
    url,
    root,
    env: {
      GPUAAS_DATABASE_URL: schema.as('gpuaas_api'),
      GPUAAS_ISSUER_URL: schema.url,
      GPUAAS_SECRETS_KEY: key,
      GPUAAS_PUBLIC_URL: url,
    },
    issuer,
    consoleSeal: keyring.seal('console'),
    async sign(claims) {
      const { rows } = await root.query<{ id: string; sealed_private_key: Buffer }>(
        `select id, sealed_private_key from gpuaas_oidc.signing_key where state = 'active'`,
      );
      const [row] = rows;
      if (!row) throw new Error('the provider has no key');
      const jwk = JSON.parse(issuerSeal.open(row.sealed_private_key, `signing key ${row.id}`)) as JWK;
      return new SignJWT({ iss: issuer.issuer, aud: 'gpuaas', ...claims })
        .setProtectedHeader({ alg: 'ES256', kid: row.id })
        .setIssuedAt()
        .setExpirationTime('5m')
        .setJti(systemIds.next())
        .sign(await importJWK(jwk, 'ES256'));
    },
    person,
    newPerson: () => make(`somebody-${randomBytes(4).toString('hex')}`),
    async startAnother(log, { moved = false } = {}) {
      const other = await freePort();
      const there = `http://127.0.0.1:${other}`;
      return { url: there, running: await start(other, log, moved ? there : url) };
    },
    async startMail() {
      for (const each of [emailWorker, outboxRelay]) {
        const found = processes.find(({ spec }) => spec === each);
        if (found) await start(0, silentLog, url, found);
      }
      inbox ??= await openDevInbox({ url: schema.url });
      return inbox;
    },
    async close() {
      await inbox?.close();
      for (const each of started.reverse()) await each.stop();
      await issuer.close();
      await root.end();
      await schema.close();
    },
  };
}

export interface Tokens {
  readonly access_token: string;
  readonly refresh_token: string;
  readonly id_token: string;
}

/** Posts a form to the issuer, as a program does. */
export async function postForm(url: string, fields: Record<string, string>) {
  const response = await fetch(url, { method: 'POST', body: new URLSearchParams(fields) });
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
  return { status: response.status, body: (await response.json()) as any };
}

const redirectUri = 'http://127.0.0.1:45999/callback';

/** Signs somebody in as a command line does, with a browser that fills in the forms. */
export async function authorize(
  url: string,
  person: Parameters<typeof walkThrough>[2],
  browser = makeBrowser(url),
  extra: Readonly<Record<string, string>> = {},
): Promise<{ readonly screen: Screen; readonly exchange: () => ReturnType<typeof postForm>; readonly state: string }> {
  const { client_id, scope, authorization_endpoint, token_endpoint } = (await (
    await fetch(`${url}/api/v1/sign-in`)
  ).json()) as Record<'client_id' | 'scope' | 'authorization_endpoint' | 'token_endpoint', string>;
  const verifier = randomBytes(32).toString('base64url');
  const state = randomBytes(16).toString('base64url');
  const address = new URL(authorization_endpoint);
  address.search = new URLSearchParams({
    client_id,
    scope,
    state,
    response_type: 'code',
    redirect_uri: redirectUri,
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
    ...extra,
  }).toString();
  const screen = await walkThrough(browser, await browser.open(address), person);
  const code = screen.url.searchParams.get('code') ?? '';
  return {
    screen,
    state,
    exchange: () =>
      postForm(token_endpoint, {
        grant_type: 'authorization_code',
        client_id,
        code,
        redirect_uri: redirectUri,
        code_verifier: verifier,
      }),
  };
}

export async function signIn(
  url: string,
  person: { readonly login: string; readonly password: string },
): Promise<Tokens> {
  const { exchange } = await authorize(url, person);
  const { status, body } = await exchange();
  if (status !== 200) throw new Error(`the sign-in failed: ${JSON.stringify(body)}`);
  return body as Tokens;
}

/** Asks the api with a token. */
export async function ask(url: string, token: string, path = '/api/v1/me', init: RequestInit = {}) {
  const response = await fetch(`${url}${path}`, {
    ...init,
    headers: { authorization: `Bearer ${token}`, ...(init.headers as Record<string, string> | undefined) },
  });
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
  return { status: response.status, body: (await response.json()) as any };
}
