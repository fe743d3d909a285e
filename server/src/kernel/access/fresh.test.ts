import { describe, expect, it } from 'vitest';
import { makeTestClock } from '../clock.ts';
import { makeFresh } from './fresh.ts';

const setUp = (max = 3) => {
  const clock = makeTestClock();
  const fresh = makeFresh<string, number>({ clock, ttlMs: 1_000, max });
  let looks = 0;
  const look = async () => {
    looks += 1;
    return looks;
  };
  return { clock, fresh, look, looks: () => looks };
};

describe('a fresh answer', () => {
  it('is given again until its time is up', async () => {
    const { clock, fresh, look } = setUp();
    expect(await fresh.get('a', look)).toBe(1);
    await clock.advance(999);
    expect(await fresh.get('a', look)).toBe(1);
    await clock.advance(1);
    expect(await fresh.get('a', look)).toBe(2);
  });

  it('is looked up once for all who ask at the same time', async () => {
    const { fresh, look, looks } = setUp();
    expect(await Promise.all([fresh.get('a', look), fresh.get('a', look), fresh.get('a', look)])).toEqual([1, 1, 1]);
    expect(looks()).toBe(1);
  });

  it('makes room by forgetting the oldest', async () => {
    const { fresh, look, looks } = setUp(2);
    for (const key of ['a', 'b', 'c', 'b', 'c']) await fresh.get(key, look);
    expect(looks()).toBe(3);
    await fresh.get('a', look);
    expect(looks()).toBe(4);
  });

  it('is not remembered when the look-up failed', async () => {
    const { fresh, look } = setUp();
    await expect(fresh.get('a', () => Promise.reject(new Error('away')))).rejects.toThrow('away');
    expect(await fresh.get('a', look)).toBe(1);
  });

  it('survives the failure of an older look-up for the same key', async () => {
    const { fresh, look, looks } = setUp();
    const slow = Promise.withResolvers<number>();
    const failing = fresh.get('a', () => slow.promise);
    fresh.forget('a');
    expect(await fresh.get('a', look)).toBe(1);
    slow.reject(new Error('away'));
    await expect(failing).rejects.toThrow('away');
    expect(await fresh.get('a', look)).toBe(1);
    expect(looks()).toBe(1);
  });

  it('can be forgotten, one or all', async () => {
    const { fresh, look } = setUp();
    await fresh.get('a', look);
    await fresh.get('b', look);
    fresh.forget('a');
    expect(await fresh.get('a', look)).toBe(3);
    expect(await fresh.get('b', look)).toBe(2);
    fresh.forget();
    expect(await fresh.get('b', look)).toBe(4);
  });
});
