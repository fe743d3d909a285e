import { describe, expect, it } from 'vitest';
import { actsOf } from './act.ts';
import { systemIds } from './id.ts';
import { attachIdempotency, type Idempotency, idempotencyOf, KeyTaken } from './idempotency.ts';

const idempotency: Idempotency = {
  principal: 'p',
  route: 'r',
  key: 'k',
  fingerprint: 'f',
  expiresAt: new Date(0),
  encode: (value) => ({ status: 200, kept: JSON.stringify(value) }),
};

describe('idempotency', () => {
  it('belongs to the act that it was attached to, and to no other', () => {
    const begin = actsOf('test', systemIds);
    const [act, other] = [begin('a.b', { correlationId: 'c' }), begin('a.b', { correlationId: 'c' })];
    attachIdempotency(act, idempotency);
    expect(idempotencyOf(act)).toBe(idempotency);
    expect(idempotencyOf(other)).toBeUndefined();
    expect(JSON.stringify(act)).not.toContain('"k"');
  });

  it('tells a key that is used up from one that is in use', () => {
    const stored = { fingerprint: 'f', status: 201, body: '{}' };
    expect(new KeyTaken('done', stored)).toMatchObject({
      name: 'KeyTaken',
      how: 'done',
      stored,
      message: 'this idempotency key was used',
    });
    expect(new KeyTaken('running').message).toContain('is running');
  });
});
