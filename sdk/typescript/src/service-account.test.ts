import type { webcrypto } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { serviceAccountTokens } from './service-account.ts';

const baseUrl = 'https://gpuaas.test';
const account = '01900000-0000-7000-8000-000000000001';

/** A token endpoint that answers what it is told, and remembers what it was asked. */
function rehearse(answers: readonly (readonly [status: number, body: object])[]) {
  const forms: URLSearchParams[] = [];
  const script = [...answers];
  const send = (async (url: string, init: RequestInit) => {
    expect([url, init.method]).toEqual([`${baseUrl}/oauth/token`, 'POST']);
    forms.push(init.body as URLSearchParams);
    const [status, body] = script.shift() ?? [500, {}];
    return Response.json(body, { status });
  }) as typeof fetch;
  return { forms, fetch: send };
}
const token = (n: number) => [200, { access_token: `token-${n}`, token_type: 'Bearer', expires_in: 900 }] as const;

const algorithms = {
  ES256: { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' },
  EdDSA: { name: 'Ed25519' },
} as const;
async function newKey(alg: keyof typeof algorithms = 'ES256') {
  const pair = (await crypto.subtle.generateKey(algorithms[alg], true, ['sign', 'verify'])) as webcrypto.CryptoKeyPair;
  const private_key = (await crypto.subtle.exportKey('jwk', pair.privateKey)) as unknown as Record<string, string>;
  return { key: { id: 'k1', private_key }, publicKey: pair.publicKey };
}
const read = (part = '') => JSON.parse(Buffer.from(part, 'base64url').toString()) as Record<string, unknown>;

describe('tokens of a service account', () => {
  it.each(['ES256', 'EdDSA'] as const)('are exchanged for an assertion that %s signs', async (alg) => {
    const { key, publicKey } = await newKey(alg);
    const { forms, fetch } = rehearse([token(1)]);
    expect(await serviceAccountTokens({ baseUrl: `${baseUrl}/`, account, key, fetch })()).toBe('token-1');
    const form = forms[0] ?? new URLSearchParams();
    expect([...form.keys()]).toEqual(['grant_type', 'assertion']);
    expect(form.get('grant_type')).toBe('urn:ietf:params:oauth:grant-type:jwt-bearer');
    const [header, claims, signature = ''] = (form.get('assertion') ?? '').split('.');
    expect(read(header)).toEqual({ alg, kid: 'k1' });
    expect(read(claims)).toEqual({
      ...{ iss: account, sub: account, aud: `${baseUrl}/oauth/token` },
      ...{ exp: expect.any(Number), jti: expect.any(String) },
    });
    const signed = Buffer.from(`${header}.${claims}`);
    const bytes = Buffer.from(signature, 'base64url');
    expect(await crypto.subtle.verify(algorithms[alg], publicKey, bytes, signed)).toBe(true);
  });

  it('are kept until shortly before they end, and shared by calls at the same time', async () => {
    const { key } = await newKey();
    let nowMs = Date.parse('2026-06-01T12:00:00Z');
    const { forms, fetch } = rehearse([token(1), token(2)]);
    const scope = 'projects:read';
    const options = { baseUrl, account, key, scope, fetch, now: () => new Date(nowMs) };
    const tokens = serviceAccountTokens(options);
    expect(await Promise.all([tokens(), tokens(), tokens()])).toEqual(['token-1', 'token-1', 'token-1']);
    nowMs += 860_000;
    expect(await tokens()).toBe('token-1');
    nowMs += 15_000;
    expect(await tokens()).toBe('token-2');
    expect(forms.map((form) => form.get('scope'))).toEqual([scope, scope]);
  });

  it('say why there is none, and are asked for again', async () => {
    const { key } = await newKey();
    const refusal = [400, { error: 'invalid_grant', error_description: 'The key was revoked.' }] as const;
    const { fetch } = rehearse([refusal, token(1)]);
    const tokens = serviceAccountTokens({ baseUrl, account, key, fetch });
    await expect(tokens()).rejects.toThrow('got no token (400). invalid_grant: The key was revoked.');
    expect(await tokens()).toBe('token-1');
  });
});
