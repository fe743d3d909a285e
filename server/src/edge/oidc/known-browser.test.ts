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
const who = (login: string, signInsEndedAt?: Date) => ({ login, signInsEndedAt });
const headerOf = (line: string) => line.split(';')[0];

describe('a browser that signed in before', () => {
  it('is known for those who did, however they write their login, and for nobody else', () => {
    const browsers = over();
    const cookie = headerOf(browsers.remember(undefined, who('anna')));
    const id = browsers.find(cookie, who('anna'));
    expect(id).toMatch(/^[0-9a-f]{32}$/);
    expect(browsers.find(`other=1; ${cookie}`, who(' ANNA '))).toBe(id);
    expect(browsers.find(cookie, who('berta'))).toBeUndefined();
    const both = headerOf(browsers.remember(cookie, who('berta')));
    expect([browsers.find(both, who('anna')), browsers.find(both, who('berta'))]).toEqual([id, id]);
  });

  it('is unknown once the sign-ins of the person were ended, as by a new password, until the next sign-in', () => {
    const browsers = over();
    const cookie = headerOf(browsers.remember(undefined, who('anna')));
    const [first, second] = [new Date('2026-06-01T12:00:00Z'), new Date('2026-06-02T12:00:00Z')];
    expect(browsers.find(cookie, who('anna', first))).toBeUndefined();
    const again = headerOf(browsers.remember(cookie, who('anna', first)));
    expect(browsers.find(again, who('anna', first))).toMatch(/^[0-9a-f]{32}$/);
    expect(browsers.find(again, who('anna', second))).toBeUndefined();
  });

  it('remembers four people, the latest', () => {
    const browsers = over();
    let cookie: string | undefined;
    for (const login of ['a', 'b', 'c', 'd', 'a', 'e']) cookie = headerOf(browsers.remember(cookie, who(login)));
    const known = ['a', 'b', 'c', 'd', 'e'].filter((login) => browsers.find(cookie, who(login)) !== undefined);
    expect(known).toEqual(['a', 'c', 'd', 'e']);
  });

  it('is not known by a cookie that somebody else made, changed or kept too long', async () => {
    const browsers = over();
    const cookie = headerOf(browsers.remember(undefined, who('anna'))) ?? '';
    const stranger = headerOf(over('theirs').remember(undefined, who('anna')));
    for (const bad of [
      stranger,
      cookie.slice(0, -2),
      cookie.replace('=', '=0'),
      '__Host-gpuaas_sso_known=',
      undefined,
    ]) {
      expect(browsers.find(bad, who('anna')), bad).toBeUndefined();
    }
    await clock.advance(180 * 86_400_000);
    expect(browsers.find(cookie, who('anna'))).toBeUndefined();
  });

  it('keeps a cookie that no script reads, that no other host sets and that travels by https alone', () => {
    const line = over().remember(undefined, who('anna'));
    expect(line).toMatch(/^__Host-gpuaas_sso_known=[^;]+; Path=\/; Secure; HttpOnly; SameSite=Lax; Max-Age=\d+$/);
    const plain = over('ours', 'http://127.0.0.1:8443/oidc').remember(undefined, who('anna'));
    expect(plain).toMatch(/^gpuaas_sso_known=[^;]+; Path=\/oidc; HttpOnly; SameSite=Lax; Max-Age=\d+$/);
  });
});
