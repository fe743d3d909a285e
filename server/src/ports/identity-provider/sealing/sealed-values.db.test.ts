import { writeFile } from 'node:fs/promises';
import { Pool } from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemClock } from '../../../kernel/clock.ts';
import { makeKey, openKeyring } from '../../../kernel/secrets/keyring.ts';
import { resealAll } from '../../../kernel/secrets/sealed-values.ts';
import { openTestDatabase, type TestDatabase } from '../../../testing/postgres.ts';
import { makeBrowser, walkThrough } from '../conformance-browser.ts';
import { type EmbeddedBench, openEmbeddedBench, person } from '../conformance-embedded.ts';
import { authorizeUrl, codeOf, exchange, makeVerifier, post, refresh } from '../conformance-protocol.ts';
import { makeRecords } from '../records.ts';
import { openTables } from '../tables.ts';
import { sealedIssuerValues } from './sealed-values.ts';

const redirectUri = 'http://127.0.0.1:49152/callback';
const cli = { id: 'gpuaas-cli' };
const k1 = makeKey('k1');
const added = openKeyring(k1, 'it').add('k2');
const promoted = openKeyring(added, 'it').promote('k2');
const dropped = openKeyring(promoted, 'it').drop('k1');
const sealOf = (text: string) => openKeyring(text, 'it').seal('issuer');

describe('the embedded issuer while its sealing key is replaced', () => {
  let bench: EmbeddedBench;
  let pool: Pool;
  beforeAll(async () => {
    bench = await openEmbeddedBench();
    await writeFile(bench.keyFile, k1, { mode: 0o600 });
    // What was made under the key of the file that is gone.
    pool = new Pool({ connectionString: bench.databaseUrl });
    await pool.query('truncate gpuaas_oidc.record, gpuaas_oidc.signing_key');
    await bench.restart();
  });
  afterAll(async () => {
    await pool?.end();
    await bench?.close();
  });
  async function restartWith(keyring: string): Promise<void> {
    await writeFile(bench.keyFile, keyring, { mode: 0o600 });
    await bench.restart();
  }

  it('keeps sign-ins, codes and device codes, and needs the old key no more', async () => {
    const endpoints = await bench.issuer().endpoints();
    const browser = makeBrowser(bench.publicUrl);
    const authorize = async () => {
      const verifier = makeVerifier();
      const url = authorizeUrl(endpoints, { clientId: cli.id, redirectUri, verifier, scope: 'openid' });
      return { verifier, code: codeOf(await walkThrough(browser, await browser.open(url), person)) };
    };
    const first = await authorize();
    const tokens = await exchange(endpoints, cli, first.code, redirectUri, first.verifier);
    const waiting = await authorize();
    const device = await post(endpoints.device ?? '', cli, { scope: 'openid' });
    const service = await bench.issuer().clients.registerService({ id: 'reports', name: 'Reports' });
    const stores = sealedIssuerValues({ pool, seal: sealOf(promoted) });
    const before = await Promise.all(stores.map((store) => store.counts()));
    expect(before.flat().every(({ keyId }) => keyId === 'k1')).toBe(true);

    await restartWith(added);
    await restartWith(promoted);
    await expect(bench.open({ sealingKey: { text: dropped } })).rejects.toThrow(
      /GPUAAS_SECRETS_KEY lacks the key "k1", which sealed \d+ values of issuer \(gpuaas_oidc\.signing_key\)/,
    );
    for (const store of stores) expect(await resealAll(store, { limit: 2 })).toBeGreaterThan(0);
    const after = await Promise.all(stores.map((store) => store.counts()));
    expect(after.flat().map(({ keyId }) => keyId)).toEqual(['k2', 'k2']);

    await restartWith(dropped);
    expect(await refresh(endpoints, cli, tokens.refresh_token)).toMatchObject({ status: 200 });
    expect(await exchange(endpoints, cli, waiting.code, redirectUri, waiting.verifier)).toMatchObject({ status: 200 });
    const asked = {
      grant_type: 'urn:ietf:params:oauth:grant-type:device_code',
      device_code: String(device['device_code']),
    };
    expect(await post(endpoints.token, cli, asked)).toMatchObject({ error: 'authorization_pending' });
    expect(
      await post(endpoints.token, { id: 'reports', secret: service.secret }, { grant_type: 'client_credentials' }),
    ).toMatchObject({
      status: 200,
    });
  });
});

describe('records under two keys at once', () => {
  let database: TestDatabase;
  let pool: Pool;
  beforeAll(async () => {
    database = await openTestDatabase();
    pool = await openTables(database.url);
  });
  afterAll(async () => {
    await pool?.end();
    await database?.close();
  });
  const recordsWith = (keyring: string) => makeRecords({ pool, seal: sealOf(keyring), clock: systemClock });
  const payload = (id: string, turn: number) => ({
    jti: id,
    uid: `uid ${id}`,
    userCode: `code ${id}`,
    grantId: `g ${id}`,
    turn,
  });

  it('are written, found and used up by processes before and after the change, while they are sealed anew', async () => {
    const sessions = [recordsWith(added), recordsWith(promoted)].map((records) => records.of('Session'));
    const codes = [recordsWith(added), recordsWith(promoted)].map((records) => records.of('AuthorizationCode'));
    const ids = Array.from({ length: 40 }, (_, index) => `id-${index}`);
    for (const id of ids) {
      await sessions[0]?.upsert(id, payload(id, 0), 3_600);
      await codes[0]?.upsert(id, { jti: id }, 3_600);
    }
    let writing = true;
    const turns = new Map<string, number>(ids.map((id) => [id, 0]));
    const use = async (each: (typeof sessions)[number]) => {
      for (let turn = 1; writing; turn += 1) {
        for (const id of ids) {
          expect(await each.find(id)).toMatchObject({ jti: id });
          expect(await each.findByUid(`uid ${id}`)).toMatchObject({ jti: id });
          await each.upsert(id, payload(id, turn), 3_600);
          turns.set(id, turn);
        }
      }
    };
    const [, records] = sealedIssuerValues({ pool, seal: sealOf(promoted) });
    if (!records) throw new Error('there are no records');
    const load = Promise.all([...sessions.map(use), useUp(codes, ids)]);
    for (let round = 0; round < 3; round += 1) await resealAll(records, { limit: 7 });
    writing = false;
    await load;

    // The process of the old order is gone now; what it wrote last is sealed anew by one more round.
    await resealAll(records);
    expect(await records.counts()).toEqual([{ keyId: 'k2', values: expect.any(Number) }]);
    const after = recordsWith(dropped);
    for (const id of ids) {
      expect(await after.of('Session').find(id)).toMatchObject({ jti: id });
      expect(await after.of('Session').findByUserCode(`code ${id}`)).toMatchObject({ jti: id });
      expect(await after.of('AuthorizationCode').find(id)).toMatchObject({ consumed: expect.any(Number) });
    }
  });

  /** Each code is used up by two at once: one of them has it. */
  async function useUp(codes: readonly { consume(id: string): unknown }[], ids: readonly string[]): Promise<void> {
    for (const id of ids) {
      const answers = await Promise.allSettled(codes.map((each) => each.consume(id)));
      expect(
        answers.filter(({ status }) => status === 'fulfilled'),
        id,
      ).toHaveLength(1);
    }
  }
});
