import { describe, expect, it } from 'vitest';
import { assertFresh } from './fresh.ts';

const found = { issuer: 'https://idp.test/realms/main' };
const token = (claims: object) => `head.${Buffer.from(JSON.stringify(claims)).toString('base64url')}.signature`;

describe('a sign-in for which the password was to be typed again', () => {
  it('is refused when the provider let an older one pass, with what to do', () => {
    const refused = () => assertFresh(token({ iat: 10_000, auth_time: 9_000 }), 30, found);
    expect(refused).toThrow('The identity provider did not ask for your password again.');
    try {
      refused();
    } catch (error) {
      expect(String((error as { readonly next?: string }).next)).toMatch(
        /^Sign out at https:\/\/idp\.test\/realms\/main .*private window/,
      );
    }
  });

  it('is good when the password was typed while this program waited, however long that was', () => {
    expect(() => assertFresh(token({ iat: 10_000, auth_time: 9_980 }), 30, found)).not.toThrow();
    expect(() => assertFresh(token({ iat: 10_000, auth_time: 9_500 }), 500, found)).not.toThrow();
  });

  it.each([['opaque'], [token({ iat: 10_000 })], ['a.!.c'], [undefined], [token([])], ['a.bnVsbA.c']])(
    'is left to the api when the token does not say when: %s',
    (silent) => {
      expect(() => assertFresh(silent, 0, found)).not.toThrow();
    },
  );
});
