import { describe, expect, it } from 'vitest';
import { makePushLogin, mayPush } from './credential.ts';

const now = new Date('2026-11-18T12:00:00Z');
const soon = new Date('2026-11-18T12:15:00Z');
const key = 'a key that the api and the registry share';

describe('a login to push', () => {
  const login = makePushLogin(key, 'acme/echo', soon);
  it('opens its repository until it has expired', () => {
    expect(mayPush(key, login, 'acme/echo', now)).toBe(true);
    expect(mayPush(key, login, 'acme/echo', soon)).toBe(false);
  });
  it.each([
    ['another repository', login, 'acme/other', key],
    ['a longer name', login, 'acme/echo/more', key],
    ['an installation with another key', login, 'acme/echo', 'another key'],
    ['a password that was bent', { ...login, password: `${login.password.slice(0, -1)}_` }, 'acme/echo', key],
    ['a password that was cut', { ...login, password: login.password.slice(1) }, 'acme/echo', key],
    ['nothing', { user: '', password: '' }, 'acme/echo', key],
    ['a time that was moved', { ...login, user: login.user.replace(/\d+$/, '9999999999') }, 'acme/echo', key],
    ['a repository that was moved', { ...login, user: makePushLogin('x', 'other/echo', soon).user }, 'other/echo', key],
  ])('does not open %s', (_, given, repository, by) => {
    expect(mayPush(by, given, repository, now)).toBe(false);
  });
});
