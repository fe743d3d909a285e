import type { Branding } from '@gpuaas/contract';
import fastify from 'fastify';
import { afterEach, expect, it } from 'vitest';
import { makeTestClock } from '../../kernel/clock.ts';
import { systemIds } from '../../kernel/id.ts';
import { makeLayOut } from '../oidc/layout.ts';
import { makeJar } from './cookie.ts';
import { type LoginParts, mountLogin } from './login.ts';

const publicUrl = 'http://console.test';
const clock = makeTestClock(new Date('2026-06-01T12:00:00Z'));
const app = { close: async () => undefined as unknown };
afterEach(() => app.close());

/** An issuer of somebody else, which goes on with its own session whatever was revoked here. */
async function open() {
  const revoked: string[] = [];
  let nonce = '';
  const server = fastify();
  app.close = () => server.close();
  const parts: Partial<LoginParts> = {
    publicUrl,
    issuer: 'https://issuer.test',
    secondFactorAcr: undefined,
    jar: makeJar(publicUrl),
    seal: { close: (text) => Buffer.from(text), open: (sealed) => Buffer.from(sealed).toString() },
    client: {
      id: 'console',
      endpoints: async () =>
        ({ authorize: 'https://issuer.test/authorize', logout: 'https://issuer.test/logout' }) as never,
      exchange: async () => ({
        ...{ accessToken: 'access', refreshToken: 'refresh', idToken: 'id', name: undefined },
        accessExpiresAt: clock.now().toISOString(),
      }),
      refresh: () => Promise.reject(new Error('nothing is refreshed here')),
      revoke: async ({ refreshToken }) => {
        revoked.push(refreshToken ?? '');
      },
      readIdToken: async () => ({
        nonce,
        authTime: clock.now(),
        name: undefined,
        email: undefined,
        isEmailUnsaid: false,
      }),
    },
    identify: async () => 'revoked',
    layOut: makeLayOut({ name: 'GPUaaS' } as Branding),
    clock,
    ids: systemIds,
    log: { warn: () => undefined },
  };
  await mountLogin(server, parts as LoginParts);

  const get = (url: string, cookie?: string) =>
    server.inject({ method: 'GET', url, headers: { host: 'console.test', ...(cookie && { cookie }) } });
  /** Goes to the issuer from this page of ours, and comes back with a code. */
  const signIn = async (from: string) => {
    const asked = await get(from);
    const address = new URL(String(asked.headers.location));
    nonce = address.searchParams.get('nonce') ?? '';
    const cookie = String(asked.headers['set-cookie']).split(';')[0];
    const answer = await get(`/auth/callback?code=c&state=${address.searchParams.get('state')}`, cookie);
    return { asked: address.searchParams, answer };
  };
  return { signIn, revoked };
}

it('a browser whose sign-in was revoked is sent back to the issuer, which must ask for the password again', async () => {
  const { signIn, revoked } = await open();
  const first = await signIn('/auth/login?return_to=/nodes');
  expect(first.asked.get('prompt')).toBeNull();
  expect([first.answer.statusCode, first.answer.headers.location]).toEqual([
    303,
    `${publicUrl}/auth/login?step_up=1&return_to=%2Fnodes`,
  ]);
  expect(revoked).toEqual(['refresh']);
  const second = await signIn('/auth/login?step_up=1&return_to=/nodes');
  expect([second.asked.get('prompt'), second.asked.get('max_age')]).toEqual(['login', '0']);
  // An issuer that goes on with the same sign-in even then is asked to end its own session.
  expect(String(second.answer.headers.location)).toMatch(/^https:\/\/issuer\.test\/logout\?/);
});
