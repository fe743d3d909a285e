import { describe, expect, it } from 'vitest';
import { isBelow, type ShownSignIn } from './revocation.ts';

const at = (ms: number) => new Date(ms);
const shown: ShownSignIn = { sessionId: 's', tokenId: 't', signedInAt: at(1_000) };

describe('a floor under the sign-ins of a person', () => {
  it.each<[string, Parameters<typeof isBelow>[0]['spares'], ShownSignIn, boolean]>([
    ['ends what began before it', {}, shown, true],
    ['lets in what began at it or after', {}, { ...shown, signedInAt: at(2_000) }, false],
    ['ends what does not say when it began', {}, { ...shown, signedInAt: undefined }, true],
    ['spares the session that asked', { sessionId: 's' }, shown, false],
    ['spares that session without its moment', { sessionId: 's' }, { ...shown, signedInAt: undefined }, false],
    ['spares no other session', { sessionId: 'r' }, shown, true],
    ['spares the moment where sessions have no names', { signedInAt: at(1_000) }, shown, false],
    ['spares no other moment', { signedInAt: at(999) }, shown, true],
    ['spares the one token that is all there is', { tokenId: 't' }, { ...shown, signedInAt: undefined }, false],
    ['spares no other token', { tokenId: 'u' }, { ...shown, signedInAt: undefined }, true],
  ])('%s', (_, spares, sign, isOver) => {
    expect(isBelow({ notBefore: at(2_000), spares }, sign)).toBe(isOver);
  });
});
