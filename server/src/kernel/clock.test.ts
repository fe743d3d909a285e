import { getEventListeners } from 'node:events';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { makeTestClock, systemClock } from './clock.ts';

afterEach(() => vi.useRealTimers());

describe('the system clock', () => {
  it('sleeps as long as it was asked to', async () => {
    vi.useFakeTimers();
    let awake = false;
    const sleeping = systemClock.sleep(1_000).then(() => {
      awake = true;
    });
    await vi.advanceTimersByTimeAsync(999);
    expect(awake).toBe(false);
    await vi.advanceTimersByTimeAsync(1);
    await sleeping;
    expect(awake).toBe(true);
  });

  it('sleeps longer than one timer can hold', async () => {
    vi.useFakeTimers();
    const monthMs = 30 * 86_400_000;
    let awake = false;
    const sleeping = systemClock.sleep(monthMs).then(() => {
      awake = true;
    });
    await vi.advanceTimersByTimeAsync(monthMs - 1);
    expect(awake).toBe(false);
    await vi.advanceTimersByTimeAsync(1);
    await sleeping;
    expect(awake).toBe(true);
  });

  it('wakes with the reason of the signal, and leaves no listener or timer behind', async () => {
    vi.useFakeTimers();
    const stop = new AbortController();
    const sleeping = systemClock.sleep(1_000, stop.signal);
    stop.abort(new Error('enough'));
    await expect(sleeping).rejects.toThrow('enough');
    expect(vi.getTimerCount()).toBe(0);
    await expect(systemClock.sleep(1_000, stop.signal)).rejects.toThrow('enough');
    expect(vi.getTimerCount()).toBe(0);

    const calm = new AbortController();
    const slept = systemClock.sleep(10, calm.signal);
    await vi.advanceTimersByTimeAsync(10);
    await slept;
    expect(getEventListeners(calm.signal, 'abort')).toHaveLength(0);
  });

  it('knows what time it is', () => {
    vi.useFakeTimers({ now: 1_234 });
    expect(systemClock.now()).toEqual(new Date(1_234));
  });
});

describe('a test clock', () => {
  it('stands still until it is turned, and wakes sleepers in the order of their times', async () => {
    const clock = makeTestClock(new Date(0));
    const woken: [string, number][] = [];
    const sleep = async (name: string, ms: number) => {
      await clock.sleep(ms);
      woken.push([name, clock.now().getTime()]);
    };
    const all = [sleep('late', 300), sleep('early', 100), sleep('never', 1_001)];
    await clock.advance(1_000);
    expect(woken).toEqual([
      ['early', 100],
      ['late', 300],
    ]);
    expect(clock.now()).toEqual(new Date(1_000));
    await clock.advance(1);
    await Promise.all(all);
    expect(woken.at(-1)).toEqual(['never', 1_001]);
  });

  it('wakes whoever falls asleep again while it is turned', async () => {
    const clock = makeTestClock(new Date(0));
    const ticks: number[] = [];
    const ticking = (async () => {
      for (let n = 0; n < 3; n += 1) {
        await clock.sleep(10);
        ticks.push(clock.now().getTime());
      }
    })();
    await clock.advance(30);
    await ticking;
    expect(ticks).toEqual([10, 20, 30]);
  });

  it('lets go of a signal once the sleep is over, and of the sleep once the signal came', async () => {
    const clock = makeTestClock();
    const stop = new AbortController();
    for (let n = 0; n < 20; n += 1) {
      const slept = clock.sleep(1, stop.signal);
      await clock.advance(1);
      await slept;
    }
    expect(getEventListeners(stop.signal, 'abort')).toHaveLength(0);
    const sleeping = clock.sleep(5, stop.signal);
    stop.abort(new Error('enough'));
    await expect(sleeping).rejects.toThrow('enough');
    await expect(clock.sleep(5, stop.signal)).rejects.toThrow('enough');
    await clock.advance(10);
  });
});
