import { describe, expect, it } from 'vitest';
import { relyingPartyOf } from './relying-party.ts';

describe('browsers make passkeys', () => {
  it.each([
    ['https://cloud.example', 'cloud.example', 'https://cloud.example'],
    ['https://cloud.example:8443/', 'cloud.example', 'https://cloud.example:8443'],
    ['http://localhost:8443', 'localhost', 'http://localhost:8443'],
  ])('for %s', (url, id, origin) => {
    expect(relyingPartyOf(url, 'Acme')).toEqual({ id, origin, name: 'Acme' });
  });

  it.each(['http://cloud.example', 'https://192.0.2.7', 'http://127.0.0.1:8443', 'https://[2001:db8::1]'])(
    'and not for %s',
    (url) => {
      expect(relyingPartyOf(url, 'Acme')).toBeUndefined();
    },
  );
});
