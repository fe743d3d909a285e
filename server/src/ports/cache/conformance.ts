import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import type { TestClock } from '../../kernel/clock.ts';
import { endsByItself } from '../../testing/servers/ends-by-itself.ts';
import type { CacheConfig } from './open.ts';
import type { Cache } from './port.ts';

/** A store with nothing in it, and the means to disturb it. */
export interface CacheWorld {
  /** The configuration with which `open` opens. */
  readonly config: CacheConfig;
  open(): Promise<Cache>;
  /** From here on the store cannot be reached, and whoever was connected no longer is. */
  breakDown(): Promise<void>;
  recover(): Promise<void>;
  close(): Promise<void>;
}

/**
 * What a cache promises. The clock is the store's time: one that a test turns by hand where the store follows the
 * injected clock, and one that really waits where the store has its own.
 */
export function cacheConformance(
  name: string,
  clock: Pick<TestClock, 'advance'>,
  makeWorld: () => Promise<CacheWorld>,
  /** How many pairs of takers are tried at the same time. */
  pairs: number,
): void {
  describe(`cache: ${name}`, () => {
    const longMs = 60_000;
    const shortMs = 60;
    const pastShortMs = 100;
    let world: CacheWorld;
    const opened: Cache[] = [];
    const open = async () => {
      const cache = await world.open();
      opened.push(cache);
      return cache;
    };
    let names = 0;
    const fresh = (what = 'key') => `${what}-${++names}`;

    beforeAll(async () => {
      world = await makeWorld();
    });
    afterEach(async () => {
      await Promise.all(opened.splice(0).map((cache) => cache.close()));
    });
    afterAll(() => world?.close());

    describe('values', () => {
      it('are read back until they are replaced or deleted, by every instance', async () => {
        const [one, two] = [await open(), await open()];
        const key = fresh();
        expect(await one.get(key)).toBeUndefined();
        await one.set(key, 'first', longMs);
        expect(await two.get(key)).toBe('first');
        await two.set(key, 'second', longMs);
        expect(await one.get(key)).toBe('second');
        await one.delete(key);
        expect(await two.get(key)).toBeUndefined();
        await one.delete(key);
      });

      it('are gone when their time is over', async () => {
        const cache = await open();
        const [brief, lasting] = [fresh(), fresh()];
        await cache.set(brief, 'brief', shortMs);
        await cache.set(lasting, 'lasting', longMs);
        await clock.advance(pastShortMs);
        expect(await cache.get(brief)).toBeUndefined();
        expect(await cache.take(brief)).toBeUndefined();
        expect(await cache.get(lasting)).toBe('lasting');
      });

      it('live as long as the latest set says', async () => {
        const cache = await open();
        const key = fresh();
        await cache.set(key, 'brief', shortMs);
        await cache.set(key, 'lasting', longMs);
        await clock.advance(pastShortMs);
        expect(await cache.get(key)).toBe('lasting');
      });

      it.each([
        ['the empty string', ''],
        ['NUL and control characters', 'a\0b\r\n\u0001\u007f'],
        ['many scripts', 'Größe, 容量, ёмкость, 👩‍🚀 e\u0301 \u{10FFFF}'],
        ['every code point below 1,024', String.fromCodePoint(...Array.from({ length: 1024 }, (_, code) => code))],
        ['what looks like SQL and JSON', `'; drop table x; -- ["a",1] \\x00`],
        ['exactly 64 KiB', 'x'.repeat(64 * 1024)],
      ])('come back unchanged: %s', async (_, value) => {
        const cache = await open();
        const key = fresh('clé 鍵 🔑');
        await cache.set(key, value, longMs);
        expect(await cache.get(key)).toBe(value);
        expect(await cache.take(key)).toBe(value);
      });
    });

    describe('take', () => {
      it('gives the value to one of 32 takers on two instances', async () => {
        const [one, two] = [await open(), await open()];
        for (let round = 0; round < 5; round += 1) {
          const key = fresh();
          await one.set(key, 'prize', longMs);
          const takers = Array.from({ length: 32 }, (_, index) => (index % 2 ? one : two).take(key));
          const got = (await Promise.all(takers)).filter((value) => value !== undefined);
          expect(got).toEqual(['prize']);
          expect(await one.get(key)).toBeUndefined();
        }
      });
    });

    describe('pairs of takers at the same time', () => {
      it('get each value once, on two instances', { timeout: 600_000 }, async () => {
        const [one, two] = [await open(), await open()];
        const atOnce = 50;
        let successes = 0;
        for (let begun = 0; begun < pairs; begun += atOnce) {
          const keys = Array.from({ length: Math.min(atOnce, pairs - begun) }, () => fresh('token'));
          await Promise.all(keys.map((key) => one.set(key, key, longMs)));
          const taken = await Promise.all(keys.map((key) => Promise.all([one.take(key), two.take(key)])));
          for (const [index, pair] of taken.entries()) {
            expect(pair.filter((value) => value !== undefined)).toEqual([keys[index]]);
            successes += 1;
          }
        }
        expect(successes).toBe(pairs);
      });
    });

    describe('claim', () => {
      it('lets one of 32 claimers on two instances through, and keeps its value', async () => {
        const [one, two] = [await open(), await open()];
        for (let round = 0; round < 5; round += 1) {
          const key = fresh();
          const claims = Array.from({ length: 32 }, (_, i) => (i % 2 ? one : two).claim(key, `claimer ${i}`, longMs));
          const winners = (await Promise.all(claims)).flatMap((won, i) => (won ? [`claimer ${i}`] : []));
          expect(winners).toHaveLength(1);
          expect(await one.get(key)).toBe(winners[0]);
        }
      });

      it('is possible again after the key was deleted, taken or has expired, and not before', async () => {
        const cache = await open();
        const key = fresh();
        expect(await cache.claim(key, 'a', longMs)).toBe(true);
        expect(await cache.claim(key, 'b', longMs)).toBe(false);
        await cache.delete(key);
        expect(await cache.claim(key, 'c', longMs)).toBe(true);
        expect(await cache.take(key)).toBe('c');
        expect(await cache.claim(key, 'd', shortMs)).toBe(true);
        await clock.advance(pastShortMs);
        expect(await cache.claim(key, 'e', longMs)).toBe(true);
        expect(await cache.claim(key, 'f', longMs)).toBe(false);
        expect(await cache.get(key)).toBe('e');
      });

      it('gives an expired key to one of 32 claimers', async () => {
        const cache = await open();
        const key = fresh();
        await cache.claim(key, 'old', shortMs);
        await clock.advance(pastShortMs);
        const claims = await Promise.all(Array.from({ length: 32 }, (_, i) => cache.claim(key, `${i}`, longMs)));
        expect(claims.filter(Boolean)).toHaveLength(1);
      });
    });

    describe('hit', () => {
      it('counts exactly across two instances at once', async () => {
        const [one, two] = [await open(), await open()];
        const key = fresh();
        const hits = Array.from({ length: 100 }, (_, index) => (index % 2 ? one : two).hit(key, longMs, 1));
        const counts = (await Promise.all(hits)).map((hit) => hit.count).sort((a, b) => a - b);
        expect(counts).toEqual(Array.from({ length: 100 }, (_, index) => index + 1));
      });

      it('adds the cost, and says how long the window still lasts', async () => {
        const cache = await open();
        const key = fresh();
        const first = await cache.hit(key, longMs, 5);
        expect(first).toEqual({ count: 5, resetMs: longMs });
        await clock.advance(pastShortMs);
        const second = await cache.hit(key, longMs, 7);
        expect(second.count).toBe(12);
        expect(second.resetMs).toBeGreaterThan(0);
        expect(second.resetMs).toBeLessThanOrEqual(longMs - shortMs);
      });

      it('begins anew when the window is over, and not with each hit', async () => {
        const cache = await open();
        const key = fresh();
        await cache.hit(key, shortMs, 3);
        await clock.advance(pastShortMs);
        expect(await cache.hit(key, longMs, 1)).toEqual({ count: 1, resetMs: longMs });
      });

      it('keeps windows apart from each other and from values', async () => {
        const cache = await open();
        const [key, other] = [fresh(), fresh()];
        await cache.set(key, 'value', longMs);
        expect((await cache.hit(key, longMs, 2)).count).toBe(2);
        expect((await cache.hit(other, longMs, 1)).count).toBe(1);
        expect(await cache.get(key)).toBe('value');
        expect(await cache.get(other)).toBeUndefined();
        await cache.delete(key);
        expect((await cache.hit(key, longMs, 1)).count).toBe(3);
      });
    });

    describe('admit', () => {
      it('lets the limit through of many at once on two instances, and counts nobody else', async () => {
        const [one, two] = [await open(), await open()];
        const key = fresh();
        const asked = Array.from({ length: 50 }, (_, index) => (index % 2 ? one : two).admit(key, longMs, 10));
        const answers = await Promise.all(asked);
        const allowed = answers.filter((answer) => answer.allowed).map(({ count }) => count);
        expect(allowed.sort((a, b) => a - b)).toEqual(Array.from({ length: 10 }, (_, index) => index + 1));
        for (const { allowed: isAllowed, count, resetMs } of answers) {
          if (!isAllowed) expect(count).toBe(10);
          expect(resetMs).toBeGreaterThan(0);
          expect(resetMs).toBeLessThanOrEqual(longMs);
        }
      });

      it('frees a place when the one that took it has left the window, and not with the end of a minute', async () => {
        const cache = await open();
        const key = fresh();
        const windowMs = 2_000;
        expect(await cache.admit(key, windowMs, 2)).toEqual({ allowed: true, count: 1, resetMs: windowMs });
        await clock.advance(1_000);
        expect(await cache.admit(key, windowMs, 2)).toMatchObject({ allowed: true, count: 2 });
        const refused = await cache.admit(key, windowMs, 2);
        expect(refused).toMatchObject({ allowed: false, count: 2 });
        expect(refused.resetMs).toBeLessThanOrEqual(1_000);
        await clock.advance(refused.resetMs);
        // The first has left; the second is still there, so one place is free and not two.
        expect(await cache.admit(key, windowMs, 2)).toMatchObject({ allowed: true, count: 2 });
        expect(await cache.admit(key, windowMs, 2)).toMatchObject({ allowed: false, count: 2 });
      });

      it('asks those who are over a lowered limit to wait until enough have left', async () => {
        const cache = await open();
        const key = fresh();
        for (let n = 0; n < 3; n += 1) await cache.admit(key, shortMs * 20, 3);
        await clock.advance(pastShortMs);
        expect((await cache.admit(key, shortMs * 20, 4)).allowed).toBe(true);
        const refused = await cache.admit(key, shortMs * 20, 1);
        expect(refused).toMatchObject({ allowed: false, count: 4 });
        await clock.advance(refused.resetMs);
        expect(await cache.admit(key, shortMs * 20, 1)).toMatchObject({ allowed: true, count: 1 });
      });

      it('keeps sliding windows apart from each other, from fixed ones and from values', async () => {
        const cache = await open();
        const [key, other] = [fresh(), fresh()];
        await cache.set(key, 'value', longMs);
        await cache.hit(key, longMs, 5);
        expect(await cache.admit(key, longMs, 1)).toMatchObject({ allowed: true, count: 1 });
        expect(await cache.admit(other, longMs, 1)).toMatchObject({ allowed: true, count: 1 });
        expect(await cache.get(key)).toBe('value');
        expect((await cache.hit(key, longMs, 1)).count).toBe(6);
      });
    });

    describe('messages', () => {
      it('reach every subscriber of the channel on every instance, in order, and no other channel', async () => {
        const [one, two] = [await open(), await open()];
        const [channel, other] = [fresh('channel'), fresh('channel')];
        const ears = [await listen(one, channel), await listen(one, channel), await listen(two, channel)];
        const stranger = await listen(two, other);
        const said = Array.from({ length: 50 }, (_, index) => `message ${index}`);
        for (const message of said) await one.publish(channel, message);
        await one.publish(other, 'end');
        for (const ear of ears) expect(await ear.hear(said.length)).toEqual(said);
        expect(await stranger.hear(1)).toEqual(['end']);
      });

      it('keep their order when long ones come between short ones', async () => {
        const [one, two] = [await open(), await open()];
        const channel = fresh('channel');
        const ear = await listen(two, channel);
        const said = Array.from({ length: 20 }, (_, index) => `${index}:`.padEnd(index % 3 ? 10 : 20_000, 'é'));
        for (const message of said) await one.publish(channel, message);
        expect(await ear.hear(said.length)).toEqual(said);
      });

      it.each([
        ['the empty string', ''],
        ['NUL, quotes and many scripts', `\0 "'\\ Größe 容量 👩‍🚀`],
        ['just below 7,900 bytes', 'x'.repeat(7_850)],
        ['just above 8,000 bytes', 'x'.repeat(8_001)],
        ['64 KiB of two-byte letters', 'é'.repeat(32 * 1024)],
        ['64 KiB of NUL', '\0'.repeat(64 * 1024)],
      ])('arrive unchanged: %s', async (_, message) => {
        const [one, two] = [await open(), await open()];
        const channel = fresh('channel 频道 "\'\\');
        const ear = await listen(two, channel);
        await one.publish(channel, message);
        expect(await ear.hear(1)).toEqual([message]);
      });

      it('no longer reach a subscriber that has left, while its neighbours still hear', async () => {
        const [one, two] = [await open(), await open()];
        const channel = fresh('channel');
        const [leaving, staying] = [await listen(two, channel), await listen(two, channel)];
        await one.publish(channel, 'before');
        expect(await leaving.hear(1)).toEqual(['before']);
        await leaving.close();
        await one.publish(channel, 'after');
        expect(await staying.hear(2)).toEqual(['before', 'after']);
        expect(leaving.heard).toEqual(['before']);

        await staying.close();
        await one.publish(channel, 'to nobody');
        const returned = await listen(two, channel);
        await one.publish(channel, 'to somebody');
        expect(await returned.hear(1)).toEqual(['to somebody']);
        expect(staying.heard).toEqual(['before', 'after']);
      });

      it.each([
        ['short', 10],
        ['long', 60_000],
      ])('are not for those who subscribe after they were published: %s ones', async (_, length) => {
        const [one, two] = [await open(), await open()];
        const channel = fresh('channel');
        const present = await listen(two, channel);
        for (let round = 0; round < 10; round += 1) {
          await one.publish(channel, 'x'.repeat(length));
          const late = await listen(two, channel);
          await one.publish(channel, 'now');
          expect(await late.hear(1)).toEqual(['now']);
          await late.close();
        }
        expect(await present.hear(20)).toHaveLength(20);
      });

      it('are heard by the others when one listener throws', async () => {
        const cache = await open();
        const channel = fresh('channel');
        await cache.subscribe(channel, () => {
          throw new Error('a listener with a fault');
        });
        const ear = await listen(cache, channel);
        await cache.publish(channel, 'one');
        await cache.publish(channel, 'two');
        expect(await ear.hear(2)).toEqual(['one', 'two']);
      });

      it('are heard by a subscriber that joined while another was leaving', async () => {
        const cache = await open();
        const channel = fresh('channel');
        for (let round = 0; round < 20; round += 1) {
          const leaving = await listen(cache, channel);
          const [, joined] = await Promise.all([leaving.close(), listen(cache, channel)]);
          await cache.publish(channel, `round ${round}`);
          expect(await joined.hear(1)).toEqual([`round ${round}`]);
          await joined.close();
        }
      });
    });

    describe('limits', () => {
      const half = '\ud800';
      it.each([
        ['an empty key', (cache: Cache) => cache.get(''), /key must not be empty/],
        ['a key of 513 characters', (cache: Cache) => cache.set('k'.repeat(513), '', 1), /key has at most 512/],
        ['a key with NUL', (cache: Cache) => cache.take('a\0b'), /key must not contain NUL/],
        ['half a character in a key', (cache: Cache) => cache.delete(half), /key must be well-formed/],
        ['half a character in a value', (cache: Cache) => cache.set('k', half, 1), /value must be well-formed/],
        [
          'a value over 64 KiB',
          (cache: Cache) => cache.set('k', 'é'.repeat(32_769), 1),
          /value has at most 65536 bytes/,
        ],
        ['a claim over 64 KiB', (cache: Cache) => cache.claim('k', 'x'.repeat(65_537), 1), /value has at most 65536/],
        ['a time to live of zero', (cache: Cache) => cache.set('k', 'v', 0), /ttlMs must be/],
        ['a broken time to live', (cache: Cache) => cache.claim('k', 'v', 0.5), /ttlMs must be/],
        ['an endless time to live', (cache: Cache) => cache.set('k', 'v', Number.POSITIVE_INFINITY), /ttlMs must be/],
        ['a window of zero', (cache: Cache) => cache.hit('k', 0, 1), /windowMs must be/],
        ['a cost of zero', (cache: Cache) => cache.hit('k', 1, 0), /cost of a hit must be/],
        ['a sliding window of zero', (cache: Cache) => cache.admit('k', 0, 1), /windowMs must be/],
        ['a limit of zero', (cache: Cache) => cache.admit('k', 1, 0), /limit of a sliding window must be/],
        ['a limit of 1,001', (cache: Cache) => cache.admit('k', 1, 1_001), /limit of a sliding window must be/],
        ['a negative cost', (cache: Cache) => cache.hit('k', 1, -1), /cost of a hit must be/],
        ['an empty channel', (cache: Cache) => cache.publish('', 'm'), /channel must not be empty/],
        [
          'a channel of 513 characters',
          (cache: Cache) => cache.subscribe('c'.repeat(513), () => {}),
          /channel has at most/,
        ],
        ['a message over 64 KiB', (cache: Cache) => cache.publish('c', 'x'.repeat(65_537)), /message has at most/],
      ])('refuse %s', async (_, call, reason) => {
        const cache = await open();
        const refusal = await call(cache).then(
          () => undefined,
          (error: unknown) => error,
        );
        expect(refusal).toBeInstanceOf(RangeError);
        expect((refusal as RangeError).message).toMatch(reason);
      });

      it('allow keys and channels of 512 characters', async () => {
        const cache = await open();
        const longest = '容'.repeat(512);
        await cache.set(longest, 'value', longMs);
        expect(await cache.get(longest)).toBe('value');
        expect((await cache.hit(longest, longMs, 1)).count).toBe(1);
        const ear = await listen(cache, longest);
        await cache.publish(longest, 'x'.repeat(64 * 1024));
        expect((await ear.hear(1))[0]).toHaveLength(64 * 1024);
      });
    });

    describe('the connection', () => {
      it('is proved by a check', async () => {
        const cache = await open();
        await expect(cache.check()).resolves.toBeUndefined();
      });

      it('may break: calls throw meanwhile, and values, windows and subscriptions work again afterwards', async () => {
        const [one, two] = [await open(), await open()];
        const channel = fresh('channel');
        const ear = await listen(two, channel);
        await one.hit(fresh(), longMs, 1);
        await world.breakDown();
        try {
          await expect(one.get(fresh())).rejects.toThrow();
          await expect(one.hit(fresh(), longMs, 1)).rejects.toThrow();
          await expect(one.publish(channel, 'lost')).rejects.toThrow();
          await expect(two.check()).rejects.toThrow();
        } finally {
          await world.recover();
        }
        const patience = { timeout: 15_000, interval: 50 };
        await vi.waitFor(() => Promise.all([one.check(), two.check()]), patience);
        expect((await one.hit(fresh(), longMs, 2)).count).toBe(2);
        await vi.waitFor(async () => {
          await one.publish(channel, 'again');
          expect(ear.heard).toContain('again');
        }, patience);
        expect(ear.heard).not.toContain('lost');
      });

      it('is given up by close: nothing is accepted any more', async () => {
        const cache = await world.open();
        const key = fresh();
        await cache.set(key, 'value', longMs);
        await cache.subscribe(fresh('channel'), () => undefined);
        await cache.close();
        await cache.close();
        await expect(cache.get(key)).rejects.toThrow(/closed/);
        await expect(cache.publish('channel', 'message')).rejects.toThrow(/closed/);
        await expect(cache.subscribe('channel', () => undefined)).rejects.toThrow(/closed/);
        await expect(cache.check()).rejects.toThrow(/closed/);
      });

      it('leaves nothing behind that would keep a process alive', async () => {
        await expect(
          endsByItself(import.meta.resolve('./open.ts'), 'openCache', world.config),
        ).resolves.toBeUndefined();
      });
    });
  });
}

/** A subscriber that keeps what it hears. */
async function listen(cache: Cache, channel: string) {
  const heard: string[] = [];
  let tell = () => {};
  const subscription = await cache.subscribe(channel, (message) => {
    heard.push(message);
    tell();
  });
  return {
    heard,
    /** Resolves with everything heard as soon as it is `count` messages. */
    async hear(count: number): Promise<string[]> {
      while (heard.length < count) {
        await new Promise<void>((resolve) => {
          tell = resolve;
        });
      }
      return heard;
    },
    close: () => subscription.close(),
  };
}
