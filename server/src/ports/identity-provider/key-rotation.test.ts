import { describe, expect, it } from 'vitest';
import { isEmpty, type KeyLife, planRotation, type RotationPolicy } from './key-rotation.ts';

const policy: RotationPolicy = { rotateEveryMs: 100, publishAheadMs: 10, keepRetiredMs: 50 };
const at = (ms: number) => new Date(1_000_000 + ms);
const key = (id: string, state: KeyLife['state'], created: number, retired?: number): KeyLife => ({
  id,
  state,
  createdAt: at(created),
  retiredAt: retired === undefined ? undefined : at(retired),
});
const nothing = { remove: [], retire: undefined, activate: undefined, create: [] };

describe('the plan of key rotation', () => {
  it('begins with a key that signs and one that will', () => {
    expect(planRotation([], at(0), policy)).toEqual({ ...nothing, create: ['active', 'next'] });
  });

  it('has nothing to do while both are young', () => {
    const plan = planRotation([key('a', 'active', 0), key('b', 'next', 0)], at(109), policy);
    expect(plan).toEqual(nothing);
    expect(isEmpty(plan)).toBe(true);
  });

  it('lets the next key sign when the active one is old, and makes another next one', () => {
    const plan = planRotation([key('a', 'active', 0), key('b', 'next', 0)], at(110), policy);
    expect(plan).toEqual({ ...nothing, retire: 'a', activate: 'b', create: ['next'] });
    expect(isEmpty(plan)).toBe(false);
  });

  it('waits for a next key that was shown too recently, however old the active one is', () => {
    expect(planRotation([key('a', 'active', 0), key('b', 'next', 500)], at(509), policy)).toEqual(nothing);
    expect(planRotation([key('a', 'active', 0), key('b', 'next', 500)], at(510), policy).activate).toBe('b');
  });

  it('does not wait when it is told to rotate at once', () => {
    const plan = planRotation([key('a', 'active', 0), key('b', 'next', 0)], at(1), policy, true);
    expect(plan).toEqual({ ...nothing, retire: 'a', activate: 'b', create: ['next'] });
  });

  it('shows a retired key until nothing that it signed can be valid', () => {
    const keys = [key('a', 'active', 0), key('b', 'next', 0), key('old', 'retired', 0, 10)];
    expect(planRotation(keys, at(59), policy).remove).toEqual([]);
    expect(planRotation(keys, at(60), policy).remove).toEqual(['old']);
  });

  it('repairs a set that lost a key', () => {
    expect(planRotation([key('b', 'next', 0)], at(1), policy)).toEqual({ ...nothing, activate: 'b', create: ['next'] });
    expect(planRotation([key('a', 'active', 0)], at(1), policy)).toEqual({ ...nothing, create: ['next'] });
  });

  it('always has one key that signs and a next one that was shown long enough, whatever day it is looked at', () => {
    let keys: KeyLife[] = [];
    let made = 0;
    const shownSince = new Map<string, number>();
    for (let now = 0; now < 2_000; now += 7) {
      const plan = planRotation(keys, at(now), policy);
      keys = keys
        .filter(({ id }) => !plan.remove.includes(id))
        .map((one): KeyLife => (one.id === plan.retire ? { ...one, state: 'retired', retiredAt: at(now) } : one))
        .map((one): KeyLife => (one.id === plan.activate ? { ...one, state: 'active' } : one));
      for (const state of plan.create) {
        made += 1;
        keys.push(key(`k${made}`, state, now));
        shownSince.set(`k${made}`, now);
      }
      expect(keys.filter(({ state }) => state === 'active')).toHaveLength(1);
      expect(keys.filter(({ state }) => state === 'next')).toHaveLength(1);
      if (plan.activate) expect(now - (shownSince.get(plan.activate) ?? now)).toBeGreaterThanOrEqual(10);
      expect(keys.length).toBeLessThanOrEqual(4);
    }
    expect(made).toBeGreaterThan(10);
  });
});
