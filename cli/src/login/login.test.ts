import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { signInWithBrowser } from './browser.ts';
import { signInWithDevice } from './device.ts';
import type { Discovered } from './discover.ts';

/** An issuer that notes what it is asked for and answers what a test wants. */
const asked = new Map<string, URLSearchParams>();
let tokenAnswer: { readonly status: number; readonly body: object };
const answerAsIssuer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
  let text = '';
  for await (const chunk of request) text += String(chunk);
  const path = request.url ?? '';
  asked.set(path, new URLSearchParams(text));
  const device = { device_code: 'd', user_code: 'ABCD', verification_uri: 'http://x', expires_in: 60, interval: 0 };
  const { status, body } = path === '/device' ? { status: 200, body: device } : tokenAnswer;
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
};
const issuer = createServer((request, response) => {
  answerAsIssuer(request, response).catch(() => response.destroy());
});
let found: Discovered;
beforeAll(async () => {
  await new Promise<void>((resolve) => issuer.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(issuer.address() as AddressInfo).port}`;
  found = {
    issuer: url,
    client_id: 'cli',
    scope: 'openid',
    authorization_endpoint: `${url}/auth`,
    token_endpoint: `${url}/token`,
    device_authorization_endpoint: `${url}/device`,
    revocation_endpoint: null,
    second_factor_acr: null,
  };
});
beforeEach(() => asked.clear());
afterAll(() => new Promise((resolve) => issuer.close(resolve)));

describe('a sign-in with a device code', () => {
  it('sends a challenge when it begins, and what answers it with the exchange', async () => {
    tokenAnswer = { status: 200, body: { access_token: 'a' } };
    await signInWithDevice(found, { stepUp: false, secondFactor: false, say: () => undefined });
    const begun = asked.get('/device');
    expect(begun?.get('code_challenge_method')).toBe('S256');
    expect(begun?.has('prompt')).toBe(false);
    const verifier = asked.get('/token')?.get('code_verifier') ?? '';
    expect(createHash('sha256').update(verifier).digest('base64url')).toBe(begun?.get('code_challenge'));
  });

  it('asks for the password anew when it must', async () => {
    tokenAnswer = { status: 200, body: { access_token: 'a' } };
    await signInWithDevice(found, { stepUp: true, secondFactor: false, say: () => undefined });
    expect(asked.get('/device')?.get('prompt')).toContain('login');
  });
});

describe('a sign-in with a browser', () => {
  /** Signs in with a browser that comes back with a code, and answers what its page says in the end. */
  async function pageAfter(answer: typeof tokenAnswer) {
    tokenAnswer = answer;
    const lines: string[] = [];
    const done = signInWithBrowser(found, {
      stepUp: false,
      secondFactor: false,
      env: {},
      say: (line) => void lines.push(line),
    }).then(
      () => 'signed in',
      () => 'refused',
    );
    await expect.poll(() => lines.some((line) => line.includes('/auth?'))).toBe(true);
    const address = new URL(lines.find((line) => line.includes('/auth?'))?.trim() ?? '');
    const back = new URL(address.searchParams.get('redirect_uri') ?? '');
    back.searchParams.set('code', 'c');
    back.searchParams.set('state', address.searchParams.get('state') ?? '');
    const page = await (await fetch(back)).text();
    return { page, outcome: await done };
  }

  it('says so in the browser once the code was exchanged', async () => {
    const { page, outcome } = await pageAfter({ status: 200, body: { access_token: 'a' } });
    expect(outcome).toBe('signed in');
    expect(page).toContain('You are signed in.');
  });

  it('does not say so when the exchange was refused', async () => {
    const { page, outcome } = await pageAfter({ status: 400, body: { error: 'invalid_grant' } });
    expect(outcome).toBe('refused');
    expect(page).toContain('Sign-in failed.');
  });
});
