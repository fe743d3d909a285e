import type { Pool } from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemIds } from '../../../kernel/id.ts';
import { makeKey, openKeyring } from '../../../kernel/secrets/keyring.ts';
import { resealAll } from '../../../kernel/secrets/sealed-values.ts';
import { openTestDatabase, type TestDatabase } from '../../../testing/postgres.ts';
import { openTables } from '../tables.ts';
import { makeFactors } from './factors.ts';
import type { FactorTry } from './port.ts';
import { sealedFactors } from './sealed-factors.ts';
import { codeAt, wrongCodeFor } from './testing.ts';

const stepMs = 30_000;
const windowMs = 15 * 60_000;

describe('second factors', () => {
  let database: TestDatabase;
  let pool: Pool;
  let nowMs = Date.parse('2026-05-05T00:00:05Z');
  const tries: FactorTry[] = [];
  const ring = openKeyring(makeKey('k1'), 'the test');
  const clock = { now: () => new Date(nowMs), sleep: async () => undefined };
  const over = (keys = ring) =>
    makeFactors({
      ...{ pool, clock, ids: systemIds, issuerName: 'GPUaaS', relyingParty: undefined },
      endSignIns: async () => undefined,
      seal: keys.seal('factors'),
      onTry: (attempt) => tries.push(attempt),
    });
  let factors: ReturnType<typeof over>;

  beforeAll(async () => {
    database = await openTestDatabase();
    pool = await openTables(database.url);
    factors = over();
  });
  afterAll(async () => {
    await pool?.end();
    await database?.close();
  });

  async function person(): Promise<string> {
    const id = systemIds.next();
    await pool.query(
      `insert into gpuaas_oidc.account (id, login, display_name, created_at) values ($1, $2, 'Ada', now())`,
      [id, `ada-${id}`],
    );
    return id;
  }
  const begin = async (accountId: string) => {
    const begun = await factors.beginTotp(accountId, 'Phone');
    if ('refused' in begun) throw new Error(begun.refused);
    return begun;
  };
  async function enrolled() {
    const accountId = await person();
    const { id, secret, uri } = await begin(accountId);
    const done = await factors.confirmTotp(accountId, id, codeAt(secret, nowMs));
    if ('refused' in done) throw new Error(done.refused);
    nowMs += stepMs;
    return { accountId, id, secret, uri, codes: done.recoveryCodes ?? [] };
  }

  it('count only once they were confirmed by a first code, within ten minutes', async () => {
    const accountId = await person();
    const { id, secret } = await begin(accountId);
    expect(await factors.has(accountId)).toBe(false);
    expect(await factors.list(accountId)).toEqual({ factors: [], recoveryCodesLeft: 0 });
    expect(await factors.prove(accountId, codeAt(secret, nowMs))).toEqual({ refused: 'code_wrong' });
    expect(await factors.confirmTotp(accountId, id, wrongCodeFor(secret, nowMs))).toEqual({ refused: 'code_wrong' });
    expect(await factors.has(accountId)).toBe(false);
    nowMs += 10 * 60_000;
    expect(await factors.confirmTotp(accountId, id, codeAt(secret, nowMs))).toEqual({ refused: 'not_found' });
    const again = await begin(accountId);
    const done = await factors.confirmTotp(accountId, again.id, codeAt(again.secret, nowMs));
    expect(done).toMatchObject({ factor: { kind: 'totp', name: 'Phone' } });
    expect(await factors.has(accountId)).toBe(true);
    expect(await factors.list(accountId)).toMatchObject({ factors: [{ id: again.id }], recoveryCodesLeft: 10 });
  });

  it('are set up at sign-in only where there is none, even if another one was added meanwhile', async () => {
    const { accountId } = await enrolled();
    const asFirst = { asFirst: true } as const;
    expect(await factors.beginTotp(accountId, 'Phone', asFirst)).toEqual({ refused: 'not_found' });
    const { id, secret } = await begin(accountId);
    expect(await factors.confirmTotp(accountId, id, codeAt(secret, nowMs), asFirst)).toEqual({ refused: 'not_found' });
    expect((await factors.list(accountId)).factors).toHaveLength(1);
    const newcomer = await person();
    const first = await factors.beginTotp(newcomer, 'Phone', asFirst);
    if ('refused' in first) throw new Error(first.refused);
    expect(await factors.confirmTotp(newcomer, first.id, codeAt(first.secret, nowMs), asFirst)).toMatchObject({
      factor: { id: first.id },
    });
  });

  it('take each code once, and no earlier one after it', async () => {
    const { accountId, secret } = await enrolled();
    const [early, now] = [codeAt(secret, nowMs - stepMs), codeAt(secret, nowMs)];
    expect(await factors.prove(accountId, early)).toEqual({ refused: 'code_wrong' });
    expect(await factors.prove(accountId, ` ${now.slice(0, 3)} ${now.slice(3)}`)).toEqual({
      by: 'totp',
      methods: ['otp'],
    });
    expect(await factors.prove(accountId, now)).toEqual({ refused: 'code_wrong' });
    nowMs += stepMs;
    const answers = await Promise.all(Array.from({ length: 6 }, () => factors.prove(accountId, codeAt(secret, nowMs))));
    expect(answers.filter((each) => !('refused' in each))).toHaveLength(1);
  });

  it('take a code of a clock that is a step ahead or behind, and not two', async () => {
    for (const [steps, isRight] of [
      [2, false],
      [1, true],
      [-2, false],
      [-1, true],
    ] as const) {
      const { accountId, secret } = await enrolled();
      nowMs += 10 * stepMs;
      const answer = await factors.prove(accountId, codeAt(secret, nowMs + steps * stepMs));
      expect('refused' in answer, `${steps} steps off`).toBe(!isRight);
    }
  });

  it('are guessed ten times in fifteen minutes at most, whoever opened the issuer', async () => {
    const { accountId, secret } = await enrolled();
    const other = over();
    const wrong = wrongCodeFor(secret, nowMs);
    for (let index = 0; index < 10; index += 1) {
      expect(await (index % 2 ? factors : other).prove(accountId, wrong)).toEqual({ refused: 'code_wrong' });
    }
    tries.length = 0;
    expect(await other.prove(accountId, codeAt(secret, nowMs))).toEqual({
      refused: 'too_many_tries',
      waitMs: windowMs,
    });
    expect(tries).toEqual([{ by: 'totp', result: 'limited' }]);
    nowMs += windowMs;
    expect(await factors.prove(accountId, codeAt(secret, nowMs))).toMatchObject({ by: 'totp' });
    nowMs += stepMs;
    // A right code starts the count anew.
    expect(await factors.prove(accountId, wrongCodeFor(secret, nowMs))).toEqual({ refused: 'code_wrong' });
    expect(await factors.prove(accountId, codeAt(secret, nowMs))).toMatchObject({ by: 'totp' });
  });

  it('limit guesses at a factor that is being set up as well', async () => {
    const accountId = await person();
    const { id, secret } = await begin(accountId);
    for (let index = 0; index < 10; index += 1) {
      expect(await factors.confirmTotp(accountId, id, wrongCodeFor(secret, nowMs))).toEqual({ refused: 'code_wrong' });
    }
    expect(await factors.confirmTotp(accountId, id, codeAt(secret, nowMs))).toMatchObject({
      refused: 'too_many_tries',
    });
  });

  it('come with ten recovery codes, each good for one sign-in, until they are made anew', async () => {
    const { accountId, codes } = await enrolled();
    const [first = '', second = '', third = ''] = codes;
    expect(codes).toHaveLength(10);
    expect(await factors.prove(accountId, first.toUpperCase())).toEqual({ by: 'recovery_code', methods: ['otp'] });
    expect(await factors.prove(accountId, first)).toEqual({ refused: 'code_wrong' });
    expect(await factors.list(accountId)).toMatchObject({ recoveryCodesLeft: 9 });
    const atOnce = await Promise.all(Array.from({ length: 5 }, () => factors.prove(accountId, second)));
    expect(atOnce.filter((each) => !('refused' in each))).toHaveLength(1);
    const renewed = await factors.renewRecoveryCodes(accountId);
    if ('refused' in renewed) throw new Error(renewed.refused);
    expect(await factors.prove(accountId, third)).toEqual({ refused: 'code_wrong' });
    expect(await factors.prove(accountId, renewed[0] ?? '')).toMatchObject({ by: 'recovery_code' });
    const stranger = await enrolled();
    expect(await factors.prove(stranger.accountId, renewed[1] ?? '')).toEqual({ refused: 'code_wrong' });
  });

  it('can be several, and the last one takes the recovery codes along unless it has to stay', async () => {
    const { accountId, id, codes } = await enrolled();
    const tablet = await begin(accountId);
    const done = await factors.confirmTotp(accountId, tablet.id, codeAt(tablet.secret, nowMs));
    expect(done).toMatchObject({ recoveryCodes: undefined });
    nowMs += stepMs;
    expect(await factors.prove(accountId, codeAt(tablet.secret, nowMs))).toMatchObject({ by: 'totp' });
    const other = await person();
    expect(await factors.remove(other, id, { keepLast: false })).toEqual({ refused: 'not_found' });
    const gone = await Promise.all([id, tablet.id].map((each) => factors.remove(accountId, each, { keepLast: true })));
    expect(gone.filter((each) => 'refused' in each && each.refused === 'last_factor')).toHaveLength(1);
    const [left] = (await factors.list(accountId)).factors;
    expect(await factors.remove(accountId, left?.id ?? '', { keepLast: false })).toMatchObject({ id: left?.id });
    expect(await factors.list(accountId)).toEqual({ factors: [], recoveryCodesLeft: 0 });
    expect(await factors.prove(accountId, codes[5] ?? '')).toEqual({ refused: 'code_wrong' });
    expect(await factors.renewRecoveryCodes(accountId)).toEqual({ refused: 'no_factor' });
  });

  it('are forgotten whole when they are reset, and go with the account', async () => {
    const { accountId, secret, codes } = await enrolled();
    expect(await factors.reset(accountId)).toBe(1);
    expect(await factors.has(accountId)).toBe(false);
    expect(await factors.prove(accountId, codeAt(secret, nowMs))).toEqual({ refused: 'code_wrong' });
    expect(await factors.prove(accountId, codes[0] ?? '')).toEqual({ refused: 'code_wrong' });
    const other = await enrolled();
    await pool.query('delete from gpuaas_oidc.account where id = $1', [other.accountId]);
    expect(await factors.list(other.accountId)).toEqual({ factors: [], recoveryCodesLeft: 0 });
    expect(await factors.beginTotp(other.accountId, 'x')).toEqual({ refused: 'not_found' });
  });

  it('lie in the tables so that nobody can sign in with them, and open under a new key', async () => {
    const { accountId, secret, uri, codes } = await enrolled();
    const { rows } = await pool.query<{ all: string }>(
      `select string_agg(t::text, ' ') as all from (
         select row_to_json(f)::text as t from gpuaas_oidc.factor f
         union all select row_to_json(c)::text from gpuaas_oidc.recovery_code c) x`,
    );
    for (const text of [secret, uri, ...codes, ...codes.map((code) => code.replaceAll('-', ''))]) {
      expect(rows[0]?.all).not.toContain(text);
      expect(rows[0]?.all).not.toContain(Buffer.from(text).toString('hex'));
    }
    const issuers = makeFactors({
      ...{ pool, clock, ids: systemIds, issuerName: 'x', relyingParty: undefined },
      endSignIns: async () => undefined,
      seal: ring.seal('issuer'),
    });
    await expect(issuers.prove(accountId, codeAt(secret, nowMs))).rejects.toThrow();
    const text = `${makeKey('k2')} ${ring.only('factors')}`;
    const rotating = openKeyring(text, 'the test');
    expect(await over(rotating).prove(accountId, codeAt(secret, nowMs))).toMatchObject({ by: 'totp' });
    const sealed = sealedFactors({ pool, seal: rotating.seal('factors') });
    expect(await resealAll(sealed, { limit: 2 })).toBeGreaterThan(2);
    expect(await sealed.counts()).toEqual([{ keyId: 'k2', values: expect.any(Number) }]);
    const rotated = over(openKeyring(text.split(' ')[0] ?? '', 'the test'));
    nowMs += stepMs;
    expect(await rotated.prove(accountId, codeAt(secret, nowMs))).toMatchObject({ by: 'totp' });
    expect(await rotated.prove(accountId, codes[0] ?? '')).toMatchObject({ by: 'recovery_code' });
    factors = rotated;
  });

  it('are ten at most', async () => {
    const { accountId } = await enrolled();
    for (let index = 1; index < 10; index += 1) {
      const { id, secret } = await begin(accountId);
      expect(await factors.confirmTotp(accountId, id, codeAt(secret, nowMs))).toHaveProperty('factor');
    }
    expect(await factors.beginTotp(accountId, 'One more')).toEqual({ refused: 'too_many_factors' });
  });
});
