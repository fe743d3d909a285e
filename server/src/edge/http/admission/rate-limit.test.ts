import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { makeTestClock } from '../../../kernel/clock.ts';
import { makeRateLimit } from './rate-limit.ts';

function setUp(limit: number) {
  const clock = makeTestClock();
  const windows = new Map<string, { count: number; endsAtMs: number }>();
  const hits: { key: string; cost: number }[] = [];
  const state = { failing: false };
  const cache = {
    hit: async (key: string, windowMs: number, cost: number) => {
      if (state.failing) throw new Error('away');
      hits.push({ key, cost });
      const nowMs = clock.now().getTime();
      const known = windows.get(key);
      const window = known && known.endsAtMs > nowMs ? known : { count: 0, endsAtMs: nowMs + windowMs };
      window.count += cost;
      windows.set(key, window);
      return { count: window.count, resetMs: window.endsAtMs - nowMs };
    },
  };
  const sliding = new Map<string, number[]>();
  const asked: string[] = [];
  const admit = async (key: string, windowMs: number, most: number) => {
    if (state.failing) throw new Error('away');
    asked.push(key);
    const nowMs = clock.now().getTime();
    const held = (sliding.get(key) ?? []).filter((ms) => ms > nowMs - windowMs);
    const allowed = held.length < most;
    if (allowed) held.push(nowMs);
    sliding.set(key, held);
    return { allowed, count: held.length, resetMs: (held[0] ?? nowMs) + windowMs - nowMs };
  };
  const faults: unknown[] = [];
  // Whose budget it is makes no difference to how it is spent.
  const make = () => {
    const limited = makeRateLimit({
      cache: { ...cache, admit },
      clock,
      policy: () => limit,
      onFault: (error) => faults.push(error),
    });
    return (lane: 'default' | 'admin' | 'terminal', person: string) => limited(lane, { person }, {});
  };
  return { clock, hits, asked, make, state, faults };
}
const spend = async (ask: () => Promise<{ allowed: boolean }>, times: number) => {
  let allowed = 0;
  for (let n = 0; n < times; n += 1) if ((await ask()).allowed) allowed += 1;
  return allowed;
};

describe('a rate limit', () => {
  it.each([1, 3, 10, 19, 20, 120, 1_000])('of %i lets exactly that many through in a minute', async (limit) => {
    const { make, clock } = setUp(limit);
    const limited = make();
    expect(await spend(() => limited('default', 'a'), limit + 50)).toBe(limit);
    await clock.advance(60_000);
    expect(await spend(() => limited('default', 'a'), limit + 50)).toBe(limit);
  });

  it('is of a fixed window: two budgets may follow each other across its end, and never three in two minutes', async () => {
    const { make, clock } = setUp(10);
    const limited = make();
    const ask = () => limited('default', 'a');
    expect(await spend(ask, 1)).toBe(1);
    await clock.advance(59_000);
    expect(await spend(ask, 50)).toBe(9);
    await clock.advance(1_000);
    expect(await spend(ask, 50)).toBe(10);
    await clock.advance(59_000);
    expect(await spend(ask, 50)).toBe(0);
  });

  it('holds over several processes together', async () => {
    const { make } = setUp(100);
    const processes = [make(), make(), make()];
    let allowed = 0;
    for (let n = 0; n < 300; n += 1) if ((await processes[n % 3]?.('default', 'a'))?.allowed) allowed += 1;
    expect(allowed).toBe(100);
  });

  it('holds when all requests come at once', async () => {
    const { make } = setUp(100);
    const limited = make();
    const answers = await Promise.all(Array.from({ length: 500 }, () => limited('default', 'a')));
    expect(answers.filter(({ allowed }) => allowed)).toHaveLength(100);
    expect(answers.filter(({ firstRefusal }) => firstRefusal)).toHaveLength(1);
  });

  it('asks the shared counter for a twentieth of the budget at a time', async () => {
    const { make, hits } = setUp(1_000);
    const limited = make();
    await spend(() => limited('default', 'a'), 100);
    expect(hits).toEqual([
      { key: 'rate:default:a', cost: 50 },
      { key: 'rate:default:a', cost: 50 },
    ]);
  });

  it('counts each caller and each lane by itself', async () => {
    const { make } = setUp(1);
    const limited = make();
    expect((await limited('default', 'a')).allowed).toBe(true);
    expect((await limited('default', 'b')).allowed).toBe(true);
    expect((await limited('admin', 'a')).allowed).toBe(true);
    expect((await limited('default', 'a')).allowed).toBe(false);
  });

  it('says what is left and when it is full again', async () => {
    const { make, clock } = setUp(3);
    const limited = make();
    expect(await limited('default', 'a')).toEqual({
      allowed: true,
      limit: 3,
      remaining: 2,
      resetSeconds: 60,
      firstRefusal: false,
    });
    await clock.advance(20_500);
    expect(await limited('default', 'a')).toMatchObject({ remaining: 1, resetSeconds: 40 });
    expect(await limited('default', 'a')).toMatchObject({ remaining: 0 });
    expect(await limited('default', 'a')).toMatchObject({ allowed: false, remaining: 0, firstRefusal: true });
    expect(await limited('default', 'a')).toMatchObject({ allowed: false, firstRefusal: false });
  });

  it('counts alone while the shared counter is away, says so, and still has an end', async () => {
    const { make, state, faults } = setUp(3);
    const limited = make();
    state.failing = true;
    expect(await spend(() => limited('default', 'a'), 10)).toBe(3);
    expect(faults.length).toBeGreaterThan(0);
    state.failing = false;
    expect((await limited('default', 'b')).allowed).toBe(true);
  });

  it('forgets callers when there are too many, and they lose nothing by it', async () => {
    const { make } = setUp(1);
    const limited = make();
    await limited('default', 'first');
    for (let n = 0; n < 50_000; n += 1) await limited('default', `caller-${n}`);
    // The process has forgotten the first caller; the shared counter has not.
    expect((await limited('default', 'first')).allowed).toBe(false);
  });
});

describe('a rate limit of a lane that slides', () => {
  it('lets no more than the budget through in any minute, whenever requests come', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 12 }),
        fc.array(fc.integer({ min: 0, max: 30_000 }), { maxLength: 80 }),
        fc.boolean(),
        async (limit, waits, isAway) => {
          const { make, clock, state } = setUp(limit);
          const limited = make();
          state.failing = isAway;
          const allowedAt: number[] = [];
          for (const wait of waits) {
            await clock.advance(wait);
            if ((await limited('terminal', 'a')).allowed) allowedAt.push(clock.now().getTime());
          }
          for (const end of allowedAt) {
            expect(allowedAt.filter((at) => at <= end && at > end - 60_000).length).toBeLessThanOrEqual(limit);
          }
          // And nobody waits for nothing: a minute later the whole budget is there again.
          await clock.advance(60_000);
          expect(await spend(() => limited('terminal', 'a'), limit + 5)).toBe(limit);
        },
      ),
      { numRuns: 60 },
    );
  });

  it('does not give a second budget across the end of a minute', async () => {
    const { make, clock } = setUp(10);
    const limited = make();
    const ask = () => limited('terminal', 'a');
    expect(await spend(ask, 1)).toBe(1);
    await clock.advance(59_000);
    expect(await spend(ask, 50)).toBe(9);
    await clock.advance(1_000);
    expect(await spend(ask, 50)).toBe(1);
    await clock.advance(58_999);
    expect(await spend(ask, 50)).toBe(0);
    await clock.advance(1);
    expect(await spend(ask, 50)).toBe(9);
  });

  it('holds over several processes, refuses a flood from memory and tells of it once in a minute', async () => {
    const { make, clock, asked } = setUp(10);
    const processes = [make(), make(), make()];
    const answers = [];
    for (let n = 0; n < 300; n += 1) answers.push(await processes[n % 3]?.('terminal', 'a'));
    expect(answers.filter((answer) => answer?.allowed)).toHaveLength(10);
    expect(answers.filter((answer) => answer?.firstRefusal)).toHaveLength(3);
    expect(asked).toHaveLength(13);
    await clock.advance(30_000);
    expect(await processes[0]?.('terminal', 'a')).toEqual({
      ...{ allowed: false, limit: 10, remaining: 0, resetSeconds: 30, firstRefusal: false },
    });
    expect((await processes[0]?.('terminal', 'b'))?.remaining).toBe(9);
  });
});
