import { generateKeyPair, type JWTVerifyGetKey, SignJWT } from 'jose';
import { expect, it } from 'vitest';
import { systemClock } from '../../kernel/clock.ts';
import { makeIssuerClient } from './issuer-client.ts';

const issuer = 'https://issuer.test';
const { privateKey, publicKey } = await generateKeyPair('ES256');
const sign = (claims: object) =>
  new SignJWT({ nonce: 'n', email: 'ada@example.test', ...claims })
    .setProtectedHeader({ alg: 'ES256' })
    .setSubject('ada')
    .setIssuer(issuer)
    .setAudience('console')
    .setExpirationTime('5m')
    .sign(privateKey);
const client = (trustsEmail: boolean) =>
  makeIssuerClient({
    ...{ id: 'console', secret: 's', issuer, trustsEmail, clock: systemClock },
    keys: (async () => publicKey) as unknown as JWTVerifyGetKey,
    endpoints: () => Promise.reject(new Error('not asked')),
  });

it('an address counts only if the issuer verified it, or is trusted to have done so', async () => {
  const read = async (claims: object, trustsEmail = false) => {
    const { email, isEmailUnsaid } = await client(trustsEmail).readIdToken(await sign(claims));
    return [email, isEmailUnsaid];
  };
  expect(await read({ email_verified: true })).toEqual(['ada@example.test', false]);
  expect(await read({})).toEqual([undefined, true]);
  expect(await read({}, true)).toEqual(['ada@example.test', false]);
  for (const claim of [false, 'true', 1, null]) {
    expect((await read({ email_verified: claim }))[0]).toBeUndefined();
    expect((await read({ email_verified: claim }, true))[0]).toBeUndefined();
  }
  expect(await read({ email: undefined })).toEqual([undefined, false]);
});
