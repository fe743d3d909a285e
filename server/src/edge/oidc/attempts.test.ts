import { describe, expect, it } from 'vitest';
import { callerAddress } from '../gate/caller-address.ts';
import { makeAttempts } from './attempts.ts';
import { isDevicePage, onOurHost } from './mount.ts';

function makeCounter() {
  const counts = new Map<string, number>();
  return {
    counts,
    hit: async (key: string, windowMs: number, cost: number) => {
      const count = (counts.get(key) ?? 0) + cost;
      counts.set(key, count);
      return { count, resetMs: windowMs };
    },
  };
}
const limits = { windowMs: 60_000, perLoginAndAddress: 3, perAddress: 6, perLogin: 9 };

describe('tries of a password', () => {
  it('are limited for a login from an address, however the login is written', async () => {
    const count = makeAttempts(makeCounter(), limits).password;
    for (const login of ['anna', 'Anna', ' ANNA '])
      expect(await count(login, callerAddress('10.0.0.1'))).toBeUndefined();
    expect(await count('anna', callerAddress('10.0.0.1'))).toEqual({ waitMs: 60_000 });
    expect(await count('anna', callerAddress('10.0.0.2'))).toBeUndefined();
    expect(await count('berta', callerAddress('10.0.0.1'))).toBeUndefined();
  });

  it('are limited for an address that tries many logins, without using up theirs', async () => {
    const counter = makeCounter();
    const count = makeAttempts(counter, limits).password;
    for (let index = 0; index < 6; index += 1)
      expect(await count(`login-${index}`, callerAddress('10.0.0.1'))).toBeUndefined();
    const keys = counter.counts.size;
    expect(await count('victim', callerAddress('10.0.0.1'))).toEqual({ waitMs: 60_000 });
    expect(counter.counts.size).toBe(keys);
  });

  it('are limited for a login that many addresses try', async () => {
    const count = makeAttempts(makeCounter(), limits).password;
    for (let index = 0; index < 9; index += 1)
      expect(await count('anna', callerAddress(`10.0.0.${index}`))).toBeUndefined();
    expect(await count('anna', callerAddress('10.0.0.99'))).toEqual({ waitMs: 60_000 });
  });
});

describe('tries of a password in browsers that its owner signed in with', () => {
  it('have a budget for each browser, and one for all of them together', async () => {
    const count = makeAttempts(makeCounter(), limits).password;
    const from = callerAddress('10.0.0.1');
    for (const browser of ['one', 'two', 'three']) {
      for (let index = 0; index < 3; index += 1) expect(await count('anna', from, browser)).toBeUndefined();
      expect(await count('anna', from, browser)).toEqual({ waitMs: 60_000 });
    }
    expect(await count('anna', from, 'four')).toEqual({ waitMs: 60_000 });
    expect(await count('berta', from, 'four')).toBeUndefined();
    // What browsers used up is not that of strangers.
    expect(await count('anna', from)).toBeUndefined();
  });
});

describe('a page that was asked for by another name of ours', () => {
  it.each([
    ['/oidc/auth?a=b', 'https://gpu.example/oidc/auth?a=b'],
    ['http://evil.example/oidc/auth?a=b', 'https://gpu.example/oidc/auth?a=b'],
    ['//evil.example/oidc/auth', 'https://gpu.example/oidc/auth'],
    ['http://us//evil.example/x', 'https://gpu.example//evil.example/x'],
  ])('%s leads to our host: %s', (asked, answer) => {
    expect(onOurHost(asked, new URL('https://gpu.example/oidc'))).toBe(answer);
  });
});

describe('the page for the code of a device', () => {
  it.each(['/device', '/Device', '/DEVICE/', '/device?user_code=A', '/%64evice', '//device'])('is %s too', (url) => {
    expect(isDevicePage(url)).toBe(true);
  });
  it.each(['/device/auth', '/devices', '/', '/%'])('is not %s', (url) => {
    expect(isDevicePage(url)).toBe(false);
  });
});
