import { describe, expect, it } from 'vitest';
import { makeJar } from './cookie.ts';
import { isFromOurPage } from './origin.ts';
import { readReturnTo } from './return-to.ts';

describe('the cookies of the console', () => {
  it('are bound to the host over https, and can be read by no script', () => {
    const { session } = makeJar('https://gpu.example');
    expect(session.set('value', 60)).toBe(
      '__Host-gpuaas_session=value; Path=/; HttpOnly; SameSite=Lax; Secure; Max-Age=60',
    );
    expect(session.clear()).toContain('Max-Age=0');
  });

  it('keep their flags on a machine without https, where the prefix cannot be', () => {
    const { session, login } = makeJar('http://127.0.0.1:8443');
    expect(session.set('value', 60)).toBe('gpuaas_session=value; Path=/; HttpOnly; SameSite=Lax; Max-Age=60');
    expect(login.name).toBe('gpuaas_login');
  });

  it('are found by their whole name among others, and the first one counts', () => {
    const { session } = makeJar('http://127.0.0.1');
    expect(session.read('a=1; gpuaas_session=x; b=2')).toBe('x');
    expect(session.read('xgpuaas_session=y; gpuaas_session = z')).toBe('z');
    expect(session.read('gpuaas_session=first; gpuaas_session=second')).toBe('first');
    for (const header of [undefined, '', 'gpuaas_session', 'gpuaas_session=', '=gpuaas_session']) {
      expect(session.read(header)).toBeUndefined();
    }
  });
});

describe('where a browser goes after signing in', () => {
  const read = (given: unknown) => readReturnTo(given, 'https://gpu.example');
  it('is a path of ours with its query', () => {
    expect(read('/projects?id=1#top')).toBe('/projects?id=1#top');
    expect(read('/a/../b')).toBe('/b');
  });

  it.each([
    '//evil.example',
    '/\\evil.example',
    '/\t/evil.example',
    '\\\\evil.example',
    'https://evil.example',
    'javascript:alert(1)',
    '/.//evil.example',
    '/auth/logout',
    '',
    undefined,
    ['/a'],
    `/${'a'.repeat(3_000)}`,
  ])('is the start instead of %j', (given) => {
    expect(read(given)).toBe('/');
  });
});

describe('a request with a cookie', () => {
  const is = (headers: Parameters<typeof isFromOurPage>[1]) => isFromOurPage('https://gpu.example/', headers);
  it('comes from our page when its origin says so, or when the browser does', () => {
    expect(is({ origin: 'https://gpu.example' })).toBe(true);
    expect(is({ 'sec-fetch-site': 'same-origin' })).toBe(true);
  });
  it('comes from elsewhere in all other cases', () => {
    expect(is({})).toBe(false);
    expect(is({ origin: 'null' })).toBe(false);
    expect(is({ origin: 'http://gpu.example' })).toBe(false);
    expect(is({ origin: 'https://evil.example', 'sec-fetch-site': 'same-origin' })).toBe(false);
    expect(is({ 'sec-fetch-site': 'same-site' })).toBe(false);
    expect(is({ 'sec-fetch-site': ['same-origin', 'same-origin'] })).toBe(false);
  });
});
