import { describe, expect, it } from 'vitest';
import { makeTestClock } from '../../kernel/clock.ts';
import { makeUnlistedProxies, readProxies } from './proxies.ts';

describe('trusted proxies', () => {
  it('are none when none is listed', () => {
    for (const list of [undefined, '', ' , ']) expect(readProxies(list)('127.0.0.1')).toBe(false);
  });

  it('are addresses and ranges of both kinds', () => {
    const isTrusted = readProxies('10.0.0.0/8, 192.0.2.7,2001:db8::/32');
    for (const address of ['10.1.2.3', '::ffff:10.1.2.3', '192.0.2.7', '2001:db8::1']) {
      expect(isTrusted(address), address).toBe(true);
    }
    for (const address of ['11.0.0.1', '192.0.2.8', '2001:db9::1', 'unknown', '']) {
      expect(isTrusted(address), address).toBe(false);
    }
  });

  it('are refused when one is no address', () => {
    expect(() => readProxies('10.0.0.1,proxy.example')).toThrow('proxy.example is neither an address nor a range');
  });
});

describe('a proxy that is not listed', () => {
  it('is told to all processes at most once a minute, and its last address is known', async () => {
    const clock = makeTestClock();
    const kept = new Map<string, string>();
    const sets: string[] = [];
    const cache = {
      get: async (key: string) => kept.get(key),
      set: async (key: string, value: string) => {
        sets.push(value);
        kept.set(key, value);
      },
    };
    const unlisted = makeUnlistedProxies({ cache, clock, log: { warn: () => undefined } });
    expect(await unlisted.last()).toBeUndefined();
    for (let n = 0; n < 100; n += 1) unlisted.note('10.0.0.7');
    expect(sets).toHaveLength(1);
    expect(await unlisted.last()).toEqual({ address: '10.0.0.7', seenAt: clock.now() });
    await clock.advance(60_000);
    unlisted.note('10.0.0.8');
    expect((await unlisted.last())?.address).toBe('10.0.0.8');
  });
});
