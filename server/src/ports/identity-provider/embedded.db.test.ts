import { readFile } from 'node:fs/promises';
import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { systemIds } from '../../kernel/id.ts';
import { makeSeal } from '../../kernel/secrets/seal.ts';
import { openTestDatabase } from '../../testing/postgres.ts';
import { openPasswords } from './accounts/passwords.ts';
import { makeBrowser, walkThrough } from './conformance-browser.ts';
import { cheap, type EmbeddedBench, openEmbeddedBench, person } from './conformance-embedded.ts';
import { authorizeUrl, codeOf, exchange, makeVerifier, post, refresh } from './conformance-protocol.ts';
import { type Account, type AccountRefused, type Endpoints, TooBusy } from './port.ts';
import { makeRecords } from './records.ts';
import { openTables } from './tables.ts';

const redirectUri = 'http://127.0.0.1:49152/callback';
const cli = { id: 'gpuaas-cli' };
const hourMs = 60 * 60_000;

const made = (answer: Account | AccountRefused): Account => {
  if ('refused' in answer) throw new Error(answer.refused);
  return answer;
};

describe('the embedded issuer', () => {
  let bench: EmbeddedBench;
  let endpoints: Endpoints;
  let look: Client;
  let service = { id: 'rotation', secret: '' };

  beforeAll(async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    bench = await openEmbeddedBench({ rotation: { rotateEveryMs: 24 * hourMs, publishAheadMs: hourMs } });
    vi.setSystemTime(bench.clock.now());
    endpoints = await bench.issuer().endpoints();
    look = new Client({ connectionString: bench.databaseUrl });
    await look.connect();
    service = { ...service, ...(await bench.issuer().clients.registerService({ id: service.id, name: 'Rotation' })) };
  });
  afterAll(async () => {
    await look?.end();
    await bench?.close();
    vi.useRealTimers();
  });

  async function advance(ms: number): Promise<void> {
    await bench.clock.advance(ms);
    vi.setSystemTime(bench.clock.now());
  }
  async function authorize(who = person, scope = 'openid') {
    const browser = makeBrowser(bench.publicUrl);
    const verifier = makeVerifier();
    const url = authorizeUrl(endpoints, { clientId: cli.id, redirectUri, verifier, scope });
    const code = codeOf(await walkThrough(browser, await browser.open(url), who));
    return { browser, code, verifier };
  }
  async function signIn(who = person) {
    const { browser, code, verifier } = await authorize(who);
    return { browser, tokens: await exchange(endpoints, cli, code, redirectUri, verifier) };
  }
  const shownKeys = async () => {
    const { keys } = (await (await fetch(endpoints.jwks)).json()) as { keys: { kid: string; d?: string }[] };
    return keys;
  };
  const activeKey = async () =>
    (await look.query<{ id: string }>(`select id from gpuaas_oidc.signing_key where state = 'active'`)).rows[0]?.id;
  const kidOf = (token = '') =>
    (JSON.parse(Buffer.from(token.split('.')[0] ?? '', 'base64url').toString()) as { kid: string }).kid;

  it('keeps nothing in its tables by which somebody could sign in', async () => {
    const { browser, tokens } = await signIn();
    const device = await post(endpoints.device ?? '', cli, { scope: 'openid' });
    const service = await bench.issuer().clients.registerService({ id: 'audit', name: 'Audit' });
    const secrets = [
      tokens.refresh_token,
      device['device_code'],
      String(device['user_code']).replace('-', ''),
      service.secret,
      person.password,
      ...[...browser.cookies.values()].map(({ value }) => value),
    ].map(String);
    expect(secrets.length).toBeGreaterThan(5);
    let kept = '';
    for (const table of ['record', 'account', 'client', 'signing_key']) {
      const { rows } = await look.query<{ all: string }>(
        `select row_to_json(t)::text || coalesce(encode((to_jsonb(t)->>'sealed')::bytea, 'escape'), '') as all
         from gpuaas_oidc.${table} t`,
      );
      expect(rows.length).toBeGreaterThan(0);
      kept += rows.map(({ all }) => all).join('\n');
    }
    for (const secret of secrets) {
      expect(kept).not.toContain(secret);
      expect(kept).not.toContain(Buffer.from(secret).toString('hex'));
    }
    expect(kept).toContain('$argon2id$');
    expect((await shownKeys()).every((key) => !('d' in key))).toBe(true);
  });

  it('lets one of many have a refresh token, or a code, that they all present at once', async () => {
    const { tokens } = await signIn();
    const answers = await Promise.all(Array.from({ length: 6 }, () => refresh(endpoints, cli, tokens.refresh_token)));
    expect(answers.filter(({ status }) => status === 200).length).toBeLessThanOrEqual(1);
    expect(answers.filter(({ error }) => error === 'invalid_grant').length).toBeGreaterThanOrEqual(5);
    const { code, verifier } = await authorize();
    const exchanges = await Promise.all(
      Array.from({ length: 6 }, () => exchange(endpoints, cli, code, redirectUri, verifier)),
    );
    expect(exchanges.filter(({ status }) => status === 200).length).toBeLessThanOrEqual(1);
    expect(exchanges.every(({ status }) => status === 200 || status === 400)).toBe(true);
  });

  it('shows every key before it signs, and rotates by the calendar', async () => {
    const signers: string[] = [];
    for (let hour = 0; hour < 80; hour += 1) {
      const rounds = bench.rounds();
      await advance(hourMs);
      await vi.waitFor(() => expect(bench.rounds()).toBeGreaterThan(rounds));
      const shownBefore = (await shownKeys()).map(({ kid }) => kid);
      expect(shownBefore.length).toBeGreaterThanOrEqual(2);
      const activeBefore = await activeKey();
      const tokens = await post(endpoints.token, service, { grant_type: 'client_credentials' });
      const signer = kidOf(tokens.access_token);
      expect(shownBefore).toContain(signer);
      // Another round may turn the keys while the token is on its way.
      expect([activeBefore, await activeKey()]).toContain(signer);
      expect(await bench.issuer().verify(tokens.access_token ?? '')).toMatchObject({ subject: service.id });
      if (signers.at(-1) !== signer) signers.push(signer);
    }
    expect(signers.length).toBeGreaterThanOrEqual(3);
    expect((await shownKeys()).length).toBeLessThanOrEqual(3);
  });
  it('is one issuer in many processes: what one rotates, the others verify at once and sign with soon', async () => {
    const other = await bench.open();
    try {
      await advance(11_000);
      await other.rotateKeys();
      await other.rotateKeys();
      const active = await activeKey();
      const before = await post(endpoints.token, service, { grant_type: 'client_credentials' });
      expect(await other.verify(before.access_token ?? '')).toMatchObject({ subject: service.id });
      await advance(60_000);
      await vi.waitFor(async () => {
        const after = await post(endpoints.token, service, { grant_type: 'client_credentials' });
        expect(kidOf(after.access_token)).toBe(active);
        expect(await other.verify(after.access_token ?? '')).toMatchObject({ subject: service.id });
      });
    } finally {
      await other.close();
    }
  });

  it('marks programs as programs, forgets those that are removed, and holds them to their scopes', async () => {
    const { clients } = bench.issuer();
    const narrow = await clients.registerService({ id: 'narrow', name: 'Narrow', scopes: ['projects:read'] });
    const ask = (scope: string) =>
      post(endpoints.token, { id: 'narrow', secret: narrow.secret }, { grant_type: 'client_credentials', scope });
    const tokens = await ask('projects:read');
    expect(await bench.issuer().verify(tokens.access_token ?? '')).toMatchObject({
      kind: 'service_account',
      subject: 'narrow',
      scopes: new Set(['projects:read']),
    });
    expect(await ask('projects:write')).toMatchObject({ status: 400, error: 'invalid_scope' });
    const silent = await post(
      endpoints.token,
      { id: 'narrow', secret: narrow.secret },
      { grant_type: 'client_credentials' },
    );
    expect(await bench.issuer().verify(silent.access_token ?? '')).toMatchObject({
      scopes: new Set(['projects:read']),
    });
    await clients.remove('narrow');
    expect(await ask('projects:read')).toMatchObject({ status: 401, error: 'invalid_client' });
    await expect(clients.registerService({ id: 'gpuaas-cli', name: 'x' })).rejects.toThrow(/our own/);
  });

  it('gives no token as wide as the roles to somebody who asked for less', async () => {
    const ask = (more: Record<string, string>) =>
      makeBrowser(bench.publicUrl).open(
        authorizeUrl(endpoints, { clientId: cli.id, redirectUri, verifier: makeVerifier(), ...more }),
      );
    const mistyped = await ask({ scope: 'openid projects:raed' });
    expect(mistyped.url.searchParams.get('error')).toBe('invalid_scope');
    const elsewhere = await ask({ resource: 'https://api.elsewhere.test' });
    expect(elsewhere.url.searchParams.get('error')).toBe('invalid_target');
    expect(await post(endpoints.device ?? '', cli, { scope: 'openid projects:raed' })).toMatchObject({
      error: 'invalid_scope',
    });
    const { code, verifier } = await authorize(person, 'openid projects:read');
    const tokens = await exchange(endpoints, cli, code, redirectUri, verifier);
    const widened = await post(endpoints.token, cli, {
      grant_type: 'refresh_token',
      refresh_token: tokens.refresh_token ?? '',
      scope: 'openid',
    });
    expect(widened).toMatchObject({ status: 400, error: 'invalid_scope' });
  });

  it('refuses logins and passwords that are none, and a login that is taken, however it is written', async () => {
    const { accounts } = bench.issuer();
    const create = (login: string, password?: string) =>
      accounts.create({ login, displayName: 'X', ...(password !== undefined && { password }) });
    expect(await create('Emil@Example.com')).toMatchObject({ login: 'emil@example.com', disabledAt: undefined });
    expect(await create(' EMIL@example.com ')).toEqual({ refused: 'login_taken' });
    for (const login of ['', ' ', 'a b', '<script>', '-x', 'x'.repeat(200)]) {
      expect(await create(login)).toEqual({ refused: 'login_malformed' });
    }
    for (const password of ['', 'short', 'aaaaaaaaaaaaaaaa', 'x'.repeat(300)]) {
      expect(await create('frieda', password)).toEqual({ refused: 'password_weak' });
    }
    expect(await accounts.authenticate('emil@example.com', '')).toBeUndefined();
    expect(await accounts.find({ id: 'not-an-id' })).toBeUndefined();
    expect(await accounts.find({ login: 'nobody' })).toBeUndefined();
  });

  it('ends the sessions of somebody whose password is changed', async () => {
    const { accounts } = bench.issuer();
    const gerda = { login: 'gerda', password: 'the first of my passwords' };
    const { id } = made(await accounts.create({ ...gerda, displayName: 'Gerda' }));
    const { tokens } = await signIn(gerda);
    expect(await accounts.setPassword(id, 'weak')).toEqual({ refused: 'password_weak' });
    expect(await accounts.setPassword(id, 'the second of my passwords')).toBeUndefined();
    expect(await refresh(endpoints, cli, tokens.refresh_token)).toMatchObject({ error: 'invalid_grant' });
    expect(await accounts.authenticate('gerda', gerda.password)).toBeUndefined();
    expect(await accounts.authenticate('gerda', 'the second of my passwords')).toMatchObject({ id });
  });

  it('lets nobody on whose account is disabled, also where a session was overlooked', async () => {
    const ida = { login: 'ida', password: 'the only one of my passwords' };
    const { id } = made(await bench.issuer().accounts.create({ ...ida, displayName: 'Ida' }));
    const { browser, tokens } = await signIn(ida);
    await look.query('update gpuaas_oidc.account set disabled_at = now() where id = $1', [id]);
    expect(await refresh(endpoints, cli, tokens.refresh_token)).toMatchObject({ error: 'invalid_grant' });
    const url = authorizeUrl(endpoints, { clientId: cli.id, redirectUri, verifier: makeVerifier(), prompt: 'consent' });
    const screen = await browser.open(url);
    expect(screen.status).toBe(200);
    expect(screen.forms[0]?.hasPassword).toBe(true);
  });

  it('keeps a link that was sent a moment ago when somebody asks for another one', async () => {
    const { accounts } = bench.issuer();
    const { id } = made(await accounts.create({ login: 'asked', displayName: 'Asked' }));
    const offer = (token: string) => accounts.offerPasswordLink(id, { token, ttlMs: hourMs, restMs: 600_000 });
    expect(await offer('first')).toBe(true);
    expect(await offer('second')).toBe(false);
    expect(await accounts.redeemPasswordLink('second', 'correct horse battery')).toBeUndefined();
    expect(await accounts.redeemPasswordLink('first', 'correct horse battery')).toMatchObject({ id });
    expect(await offer('third')).toBe(true);
  });

  it('replaces an older link by a newer one', async () => {
    const { accounts } = bench.issuer();
    const { id } = made(await accounts.create({ login: 'hanna', displayName: 'Hanna' }));
    const tokenOf = (link: string) => new URL(link).searchParams.get('token') ?? '';
    const first = tokenOf(await accounts.makePasswordLink(id, hourMs));
    const second = tokenOf(await accounts.makePasswordLink(id, hourMs));
    expect(await accounts.redeemPasswordLink(first, 'a long enough password')).toBeUndefined();
    expect(await accounts.redeemPasswordLink(second, 'a long enough password')).toMatchObject({ id });
    await expect(accounts.makePasswordLink(systemIds.next(), hourMs)).rejects.toThrow(/no such account/);
  });

  it('does not open with a sealing key that is not its own', async () => {
    const other = Buffer.alloc(32, 7).toString('base64');
    await expect(bench.open({ sealingKey: { text: other } })).rejects.toThrow(/lacks the key "k1"/);
    const same = await bench.open({ sealingKey: { text: await readFile(bench.keyFile, 'utf8') } });
    await expect(same.check()).resolves.toBeUndefined();
    await same.close();
  });

  it('is opened by many processes at once in an empty database', async () => {
    const empty = await openTestDatabase();
    const issuers = await Promise.all(Array.from({ length: 4 }, () => bench.open({ url: empty.url })));
    await Promise.all(issuers.map((issuer) => issuer.check()));
    await Promise.all(issuers.map((issuer) => issuer.close()));
    const client = new Client({ connectionString: empty.url });
    await client.connect();
    const { rows } = await client.query(`select state from gpuaas_oidc.signing_key order by state`);
    expect(rows).toEqual([{ state: 'active' }, { state: 'next' }]);
    await client.end();
    await empty.close();
  });
});

describe('the records of the issuer', () => {
  it('are swept when they expired a while ago, some at a time, and do not open in another place', async () => {
    const database = await openTestDatabase();
    const pool = await openTables(database.url);
    let nowMs = Date.parse('2026-05-05T00:00:00Z');
    const clock = { now: () => new Date(nowMs), sleep: async () => undefined };
    const records = makeRecords({ pool, seal: makeSeal([{ id: 'k1', key: Buffer.alloc(32, 3) }]), clock });
    const sessions = records.of('Session');
    for (let index = 0; index < 7; index += 1) await sessions.upsert(`s${index}`, { uid: `u${index}` }, 60);
    await sessions.upsert('lasting', { uid: 'lasting' }, 86_400);
    expect(await sessions.find('s1')).toMatchObject({ uid: 'u1' });
    expect(await sessions.findByUid('u2')).toMatchObject({ uid: 'u2' });
    expect(await records.of('Interaction').find('s1')).toBeUndefined();
    nowMs += 61_000;
    expect(await records.sweep(5)).toBe(0);
    nowMs += 10 * 60_000;
    expect(await records.sweep(5)).toBe(5);
    expect(await records.sweep(5)).toBe(2);
    expect(await sessions.find('lasting')).toMatchObject({ uid: 'lasting' });
    await sessions.upsert('moved', { uid: 'moved' }, 60);
    await pool.query(
      `update gpuaas_oidc.record set sealed = (select sealed from gpuaas_oidc.record where id <> r.id limit 1)
       from gpuaas_oidc.record r where record.id = r.id`,
    );
    await expect(sessions.find('moved')).rejects.toThrow();
    await pool.end();
    await database.close();
  });
});

describe('passwords', () => {
  it('are compared with a decoy where there is none, and never match it', async () => {
    const passwords = await openPasswords(cheap, 'the text of the decoy');
    const hash = await passwords.hash('a good long passphrase');
    expect(hash).toMatch(/^\$argon2id\$v=19\$m=64,t=1,p=1\$/);
    expect(await passwords.verify(hash, 'a good long passphrase')).toBe(true);
    expect(await passwords.verify(hash, 'a good long passphrase!')).toBe(false);
    expect(await passwords.verify(undefined, 'the text of the decoy')).toBe(false);
    // The same letters, written in two ways.
    expect(await passwords.verify(await passwords.hash('cafe\u0301 au lait noir'), 'caf\u00e9 au lait noir')).toBe(
      true,
    );
  });

  it('are turned away when too many wait, and work again afterwards', async () => {
    const passwords = await openPasswords(cheap, 'x');
    const hash = await passwords.hash('a good long passphrase');
    const answers = await Promise.allSettled(
      Array.from({ length: 100 }, () => passwords.verify(hash, 'a good long passphrase')),
    );
    const refused = answers.filter((answer) => answer.status === 'rejected');
    expect(refused).toHaveLength(100 - 66);
    expect(refused.every(({ reason }) => reason instanceof TooBusy)).toBe(true);
    expect(answers.filter((answer) => answer.status === 'fulfilled' && answer.value)).toHaveLength(66);
    expect(await passwords.verify(hash, 'a good long passphrase')).toBe(true);
  });
});
