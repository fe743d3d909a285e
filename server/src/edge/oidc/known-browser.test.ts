import { createHmac } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { makeTestClock } from '../../kernel/clock.ts';
import { systemIds } from '../../kernel/id.ts';
import { makeKnownBrowsers } from './known-browser.ts';

const marksOf = (key: string) => {
  const sign = (text: string) => createHmac('sha256', key).update(text).digest('base64url');
  return { sign, isOurs: (text: string, signature: string) => sign(text) === signature };
};
const clock = makeTestClock(new Date('2026-06-01T12:00:00Z'));
const over = (key = 'ours', issuer = 'https://gpu.example/oidc') =>
  makeKnownBrowsers({ marks: marksOf(key), clock, ids: systemIds, issuer: new URL(issuer) });
const headerOf = (line: string) => line.split(';')[0];

describe('a browser that signed in before', () => {
  it('is known for those who did, however they write their login, and for nobody else', () => {
    const browsers = over();
    const cookie = headerOf(browsers.remember(undefined, 'anna'));
    const id = browsers.find(cookie, 'anna');
    expect(id).toMatch(/^[0-9a-f]{32}$/);
    expect(browsers.find(`other=1; ${cookie}`, ' ANNA ')).toBe(id);
    expect(browsers.find(cookie, 'berta')).toBeUndefined();
    const both = headerOf(browsers.remember(cookie, 'berta'));
    expect([browsers.find(both, 'anna'), browsers.find(both, 'berta')]).toEqual([id, id]);
  });

  it('remembers four people, the latest', () => {
    const browsers = over();
    let cookie: string | undefined;
    for (const login of ['a', 'b', 'c', 'd', 'a', 'e']) cookie = headerOf(browsers.remember(cookie, login));
    const known = ['a', 'b', 'c', 'd', 'e'].filter((login) => browsers.find(cookie, login) !== undefined);
    expect(known).toEqual(['a', 'c', 'd', 'e']);
  });

  it('is not known by a cookie that somebody else made, changed or kept too long', async () => {
    const browsers = over();
    const cookie = headerOf(browsers.remember(undefined, 'anna')) ?? '';
    const stranger = headerOf(over('theirs').remember(undefined, 'anna'));
    for (const bad of [
      stranger,
      cookie.slice(0, -2),
      cookie.replace('=', '=0'),
      '__Host-gpuaas_sso_known=',
      undefined,
    ]) {
      expect(browsers.find(bad, 'anna'), bad).toBeUndefined();
    }
    await clock.advance(180 * 86_400_000);
    expect(browsers.find(cookie, 'anna')).toBeUndefined();
  });

  it('keeps a cookie that no script reads, that no other host sets and that travels by https alone', () => {
    const line = over().remember(undefined, 'anna');
    expect(line).toMatch(/^__Host-gpuaas_sso_known=[^;]+; Path=\/; Secure; HttpOnly; SameSite=Lax; Max-Age=\d+$/);
    const plain = over('ours', 'http://127.0.0.1:8443/oidc').remember(undefined, 'anna');
    expect(plain).toMatch(/^gpuaas_sso_known=[^;]+; Path=\/oidc; HttpOnly; SameSite=Lax; Max-Age=\d+$/);
  });
});
