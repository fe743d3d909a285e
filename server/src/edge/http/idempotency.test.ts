import { organizationCreate, organizationList, type Route } from '@gpuaas/contract';
import { describe, expect, it } from 'vitest';
import { fingerprint, readKey, shownMark, withoutSecrets } from './idempotency.ts';

describe('an idempotency key', () => {
  it('is read under both of its names', () => {
    expect(readKey(organizationCreate, { 'idempotency-key': 'a' })).toBe('a');
    expect(readKey(organizationCreate, { 'x-idempotency-key': 'a' })).toBe('a');
    expect(readKey(organizationCreate, { 'idempotency-key': 'a', 'x-idempotency-key': 'a' })).toBe('a');
  });

  it('is not looked for where the route needs none', () => {
    expect(readKey(organizationList, { 'idempotency-key': 'a' })).toBeUndefined();
    const natural: Route = { ...organizationCreate, idempotency: { natural: 'the same twice is the same' } };
    expect(readKey(natural, {})).toBeUndefined();
  });

  it('is asked for where the route needs one', () => {
    expect(readKey(organizationCreate, {})).toMatchObject({ code: 'idempotency_key_missing' });
  });

  it.each([
    { 'idempotency-key': '' },
    { 'idempotency-key': 'a b' },
    { 'idempotency-key': 'ä' },
    { 'idempotency-key': 'a'.repeat(129) },
    { 'idempotency-key': ['a', 'b'] },
    { 'idempotency-key': 'a\n' },
    { 'idempotency-key': 'a', 'x-idempotency-key': 'b' },
  ])('is refused when it is not usable: %j', (headers) =>
    expect(readKey(organizationCreate, headers)).toMatchObject({ code: 'idempotency_key_invalid' }),
  );

  it('may be as long as 128 characters', () => {
    expect(readKey(organizationCreate, { 'idempotency-key': 'a'.repeat(128) })).toBe('a'.repeat(128));
  });
});

describe('a fingerprint', () => {
  it('is the same for the same request, and another when anything changes', () => {
    const base = fingerprint('/a?b', 'p', { x: 1 });
    expect(fingerprint('/a?b', 'p', { x: 1 })).toBe(base);
    const others = [
      fingerprint('/a', 'p', { x: 1 }),
      fingerprint('/a?b', undefined, { x: 1 }),
      fingerprint('/a?b', 'p', { x: 2 }),
      fingerprint('/a?b', 'p', undefined),
      fingerprint('/a?b', 'p', null),
    ];
    expect(new Set([base, ...others]).size).toBe(6);
  });
});

describe('what is kept of an answer', () => {
  it('is everything but what was shown once', () => {
    expect(withoutSecrets({ id: 1, token: 'x' }, ['token', 'key'])).toEqual({ id: 1, token: shownMark });
    expect(withoutSecrets({ id: 1 }, undefined)).toEqual({ id: 1 });
    expect(withoutSecrets('text', ['token'])).toBe('text');
    expect(withoutSecrets(null, ['token'])).toBeNull();
  });
});
