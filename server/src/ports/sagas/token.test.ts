import { describe, expect, it } from 'vitest';
import { isSealedBy, makeToken, readToken } from './token.ts';

describe('the token of a wait', () => {
  it('is the same for the same run and step, and names them', () => {
    const token = makeToken('secret', 'saga/1', 'boot');
    expect(makeToken('secret', 'saga/1', 'boot')).toBe(token);
    expect(readToken(token)).toMatchObject({ run: 'saga/1', step: 'boot' });
  });

  it('is sealed: neither another step, another run nor another secret fits', () => {
    const parts = readToken(makeToken('secret', 'saga/1', 'boot'));
    if (!parts) throw new Error('unreadable');
    expect(isSealedBy('secret', parts)).toBe(true);
    expect(isSealedBy('other', parts)).toBe(false);
    expect(isSealedBy('secret', { ...parts, step: 'wipe' })).toBe(false);
    expect(isSealedBy('secret', { ...parts, run: 'saga/2' })).toBe(false);
  });

  it('is not read out of rubbish', () => {
    const wrong = Buffer.from(JSON.stringify({ run: 1 })).toString('base64url');
    for (const rubbish of ['', '.', 'a', 'a.b', 'a.b.c', `${wrong}.x`, 'WzEsMl0.x']) {
      expect(readToken(rubbish)).toBeUndefined();
    }
  });
});
