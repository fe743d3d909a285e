import type { Pool } from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemIds } from '../../../kernel/id.ts';
import { makeKey, openKeyring } from '../../../kernel/secrets/keyring.ts';
import { openTestDatabase, type TestDatabase } from '../../../testing/postgres.ts';
import { openTables } from '../tables.ts';
import { sweepChallenges } from './challenges.ts';
import { makeFactors } from './factors.ts';
import type { FactorTry } from './port.ts';
import { codeAt } from './testing.ts';
import { type Lies, makeAuthenticator } from './testing-passkey.ts';

const origin = 'https://cloud.example';
const rpId = 'cloud.example';
const wrong = { refused: 'passkey_wrong' };
const minuteMs = 60_000;

describe('passkeys', () => {
  let database: TestDatabase;
  let pool: Pool;
  let nowMs = Date.parse('2026-05-05T00:00:05Z');
  const tries: FactorTry[] = [];
  const ended: string[] = [];
  const clock = { now: () => new Date(nowMs), sleep: async () => undefined };
  const over = (relyingParty: { id: string; origin: string; name: string } | undefined) =>
    makeFactors({
      ...{ pool, clock, ids: systemIds, issuerName: 'Acme', relyingParty },
      endSignIns: async (accountId) => void ended.push(accountId),
      seal: openKeyring(makeKey('k1'), 'the test').seal('factors'),
      onTry: (attempt) => tries.push(attempt),
    });
  let factors: ReturnType<typeof over>;

  beforeAll(async () => {
    database = await openTestDatabase();
    pool = await openTables(database.url);
    factors = over({ id: rpId, origin, name: 'Acme' });
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
  async function begin(accountId: string) {
    const begun = await factors.beginPasskey(accountId, 'Laptop');
    if ('refused' in begun) throw new Error(begun.refused);
    return begun;
  }
  async function enrolled(accountId?: string) {
    const owner = accountId ?? (await person());
    const device = makeAuthenticator({ origin, rpId });
    const { id, options } = await begin(owner);
    const done = await factors.confirmPasskey(owner, id, device.create(options));
    if ('refused' in done) throw new Error(done.refused);
    return { accountId: owner, id, device, codes: done.recoveryCodes ?? [] };
  }
  /** What the page of sign-in hands to the browser. */
  async function ask(accountId: string, questionId = 'question'): Promise<object> {
    const { passkey } = await factors.waysToProve(accountId, questionId);
    if (!passkey) throw new Error('no passkey is asked for');
    return passkey;
  }

  it('are asked of the device with our domain, and with its person verified', async () => {
    const { accountId, device } = await enrolled();
    const { options } = await begin(accountId);
    expect(options).toMatchObject({
      rp: { id: rpId, name: 'Acme' },
      attestation: 'none',
      authenticatorSelection: { userVerification: 'required' },
      excludeCredentials: [{ id: device.id, transports: ['internal'] }],
    });
    expect(await ask(accountId)).toMatchObject({
      ...{ rpId, userVerification: 'required' },
      allowCredentials: [{ id: device.id, transports: ['internal'] }],
    });
  });

  it('count once the browser has made them, and bring recovery codes with the first factor', async () => {
    const accountId = await person();
    const { id, options, expiresAt } = await begin(accountId);
    expect(expiresAt).toEqual(new Date(nowMs + 5 * minuteMs));
    expect(await factors.has(accountId)).toBe(false);
    expect(await factors.waysToProve(accountId, 'question')).toEqual({ app: false, passkey: undefined });
    const device = makeAuthenticator({ origin, rpId });
    expect(await factors.confirmPasskey(accountId, id, device.create(options))).toMatchObject({
      factor: { id, kind: 'passkey', name: 'Laptop' },
      recoveryCodes: { length: 10 },
    });
    expect(await factors.has(accountId)).toBe(true);
    expect(await factors.list(accountId)).toMatchObject({
      factors: [{ id, kind: 'passkey', lastUsedAt: undefined }],
      recoveryCodesLeft: 10,
    });
    const totp = await factors.beginTotp(accountId, 'Phone');
    if ('refused' in totp) throw new Error(totp.refused);
    expect(await factors.confirmTotp(accountId, totp.id, codeAt(totp.secret, nowMs))).toMatchObject({
      recoveryCodes: undefined,
    });
    expect(await factors.waysToProve(accountId, 'question')).toMatchObject({ app: true, passkey: { rpId } });
  });

  it.each<[string, Lies]>([
    ['another origin', { origin: 'https://cloud.example.evil.test' }],
    ['another domain', { rpId: 'evil.test' }],
    ['a person who was not verified', { unverified: true }],
    ['another challenge', { challenge: Buffer.from('another one').toString('base64url') }],
    ['an answer to another kind of question', { type: 'webauthn.get' }],
  ])('are not added with %s', async (_, lies) => {
    const accountId = await person();
    const { id, options } = await begin(accountId);
    const device = makeAuthenticator({ origin, rpId });
    expect(await factors.confirmPasskey(accountId, id, device.create(options, lies))).toEqual(wrong);
    // The challenge is used up by the wrong answer.
    expect(await factors.confirmPasskey(accountId, id, device.create(options))).toEqual(wrong);
    expect(await factors.has(accountId)).toBe(false);
  });

  it('are not added by nonsense, by another person, too late, or twice', async () => {
    const [accountId, stranger] = [await person(), await person()];
    const device = makeAuthenticator({ origin, rpId });
    for (const nonsense of [undefined, null, 'text', 7, [], {}, { id: 'x', response: {} }]) {
      const { id } = await begin(accountId);
      expect(await factors.confirmPasskey(accountId, id, nonsense), JSON.stringify(nonsense)).toEqual(wrong);
    }
    nowMs += 15 * minuteMs;
    const late = await begin(accountId);
    nowMs += 5 * minuteMs;
    expect(await factors.confirmPasskey(accountId, late.id, device.create(late.options))).toEqual(wrong);
    const { id, options } = await begin(accountId);
    expect(await factors.confirmPasskey(stranger, id, device.create(options))).toEqual({ refused: 'not_found' });
    const answer = device.create(options);
    const both = await Promise.all([
      factors.confirmPasskey(accountId, id, answer),
      factors.confirmPasskey(accountId, id, answer),
    ]);
    expect(both.filter((each) => !('refused' in each))).toHaveLength(1);
    // A device that shows the passkey of another account is refused.
    const theirs = await begin(stranger);
    expect(await factors.confirmPasskey(stranger, theirs.id, device.create(theirs.options))).toEqual(wrong);
  });

  it('prove their person, and say so in the words of RFC 8176', async () => {
    const { accountId, device } = await enrolled();
    tries.length = 0;
    const proof = await factors.provePasskey(accountId, 'question', device.get(await ask(accountId)));
    expect(proof).toEqual({ by: 'passkey', methods: ['hwk', 'pop'] });
    expect(await factors.list(accountId)).toMatchObject({ factors: [{ lastUsedAt: new Date(nowMs) }] });
    expect(tries).toEqual([{ by: 'passkey', result: 'right' }]);
  });

  it.each<[string, Lies]>([
    ['of another origin', { origin: 'https://cloud.example.evil.test' }],
    ['of another domain', { rpId: 'evil.test' }],
    ['of a person who was not verified', { unverified: true }],
    ['to a challenge that was not ours', { challenge: Buffer.from('another one').toString('base64url') }],
    ['to another kind of question', { type: 'webauthn.create' }],
  ])('refuse an answer %s, and use its challenge up', async (_, lies) => {
    const { accountId, device } = await enrolled();
    const options = await ask(accountId);
    expect(await factors.provePasskey(accountId, 'question', device.get(options, lies))).toEqual(wrong);
    expect(await factors.provePasskey(accountId, 'question', device.get(options))).toEqual(wrong);
    const again = device.get(await ask(accountId));
    expect(await factors.provePasskey(accountId, 'question', again)).toMatchObject({ by: 'passkey' });
  });

  it('take a challenge once, in its place, and within five minutes', async () => {
    const { accountId, device } = await enrolled();
    const options = await ask(accountId);
    const answer = device.get(options);
    expect(await factors.provePasskey(accountId, 'another question', answer)).toEqual(wrong);
    const both = await Promise.all([
      factors.provePasskey(accountId, 'question', answer),
      factors.provePasskey(accountId, 'question', answer),
    ]);
    expect(both.filter((each) => !('refused' in each))).toHaveLength(1);
    const late = await ask(accountId);
    nowMs += 5 * minuteMs;
    expect(await factors.provePasskey(accountId, 'question', device.get(late))).toEqual(wrong);
    const [older, newer] = [await ask(accountId), await ask(accountId)];
    expect(await factors.provePasskey(accountId, 'question', device.get(older))).toEqual(wrong);
    expect(newer).not.toEqual(older);
  });

  it("refuse another person's challenge and another person's passkey", async () => {
    const [ada, bob] = [await enrolled(), await enrolled()];
    const [forAda, forBob] = [await ask(ada.accountId), await ask(bob.accountId)];
    expect(await factors.provePasskey(bob.accountId, 'question', bob.device.get(forAda))).toEqual(wrong);
    expect(await factors.provePasskey(ada.accountId, 'question', bob.device.get(forAda))).toEqual(wrong);
    expect(await factors.provePasskey(ada.accountId, 'question', ada.device.get(forBob))).toEqual(wrong);
  });

  it('refuse a copy of the key, which counts from where it was copied', async () => {
    const { accountId, device } = await enrolled();
    const prove = async (count: number) =>
      factors.provePasskey(accountId, 'question', device.get(await ask(accountId), { count }));
    expect(await prove(7)).toMatchObject({ by: 'passkey' });
    tries.length = 0;
    for (const count of [7, 3, 0]) expect(await prove(count), String(count)).toEqual(wrong);
    expect(tries).toEqual(Array.from({ length: 3 }, () => ({ by: 'passkey', result: 'cloned' })));
    expect(await prove(8)).toMatchObject({ by: 'passkey' });
  });

  it('may be of a device that does not count', async () => {
    const accountId = await person();
    const device = makeAuthenticator({ origin, rpId });
    const { id, options } = await begin(accountId);
    await factors.confirmPasskey(accountId, id, device.create(options, { count: 0 }));
    for (let times = 0; times < 2; times += 1) {
      const answer = device.get(await ask(accountId), { count: 0 });
      expect(await factors.provePasskey(accountId, 'question', answer)).toMatchObject({ by: 'passkey' });
    }
  });

  it('prove nothing once they were removed or reset', async () => {
    const { accountId, id, device } = await enrolled();
    const other = await enrolled(accountId);
    const options = await ask(accountId);
    expect(await factors.remove(accountId, id, { keepLast: true })).toMatchObject({ id, kind: 'passkey' });
    expect(await factors.provePasskey(accountId, 'question', device.get(options))).toEqual(wrong);
    expect(await factors.remove(accountId, other.id, { keepLast: true })).toEqual({ refused: 'last_factor' });
    const last = await ask(accountId);
    expect(await factors.reset(accountId)).toBe(1);
    expect(ended).toContain(accountId);
    expect(await factors.has(accountId)).toBe(false);
    expect(await factors.provePasskey(accountId, 'question', other.device.get(last))).toEqual(wrong);
  });

  it('share ten tries in fifteen minutes with codes', async () => {
    const { accountId, device, codes } = await enrolled();
    for (let times = 0; times < 5; times += 1) {
      expect(await factors.provePasskey(accountId, 'question', {})).toEqual(wrong);
      expect(await factors.prove(accountId, '000000')).toEqual({ refused: 'code_wrong' });
    }
    const limited = { refused: 'too_many_tries' };
    const answer = device.get(await ask(accountId));
    expect(await factors.provePasskey(accountId, 'question', answer)).toMatchObject(limited);
    expect(await factors.prove(accountId, codes[0] ?? '')).toMatchObject(limited);
    nowMs += 15 * minuteMs;
    expect(await factors.provePasskey(accountId, 'question', device.get(await ask(accountId)))).toMatchObject({
      by: 'passkey',
    });
  });

  it('are refused where browsers make none, and ten factors are enough', async () => {
    const { accountId, codes } = await enrolled();
    const elsewhere = over(undefined);
    const unavailable = { refused: 'passkeys_unavailable' };
    expect([elsewhere.takesPasskeys, factors.takesPasskeys]).toEqual([false, true]);
    expect(await elsewhere.beginPasskey(accountId, 'Laptop')).toEqual(unavailable);
    expect(await elsewhere.confirmPasskey(accountId, systemIds.next(), {})).toEqual(unavailable);
    expect(await elsewhere.provePasskey(accountId, 'question', {})).toEqual(unavailable);
    // An installation that moved asks for a recovery code.
    expect(await elsewhere.waysToProve(accountId, 'question')).toEqual({ app: false, passkey: undefined });
    expect(await elsewhere.prove(accountId, codes[0] ?? '')).toMatchObject({ by: 'recovery_code' });
    for (let count = 1; count < 10; count += 1) await enrolled(accountId);
    expect(await factors.beginPasskey(accountId, 'Laptop')).toEqual({ refused: 'too_many_factors' });
  });

  it('leave no challenges behind', async () => {
    const { accountId } = await enrolled();
    await ask(accountId);
    nowMs += 6 * minuteMs;
    await sweepChallenges(pool, clock.now(), 1_000);
    const { rowCount } = await pool.query('select from gpuaas_oidc.passkey_challenge');
    expect(rowCount).toBe(0);
  });
});
