import { describe, expect, it } from 'vitest';
import { makeTestClock } from '../../kernel/clock.ts';
import { makeKeyedWork } from './keyed.ts';

const turn = () => new Promise((resolve) => setImmediate(resolve));

describe('work by key', () => {
  it('keeps the order of a key and runs keys side by side, never more than it may', async () => {
    const log: string[] = [];
    let running = 0;
    let most = 0;
    const work = makeKeyedWork<string>({
      concurrency: 2,
      sleep: makeTestClock().sleep,
      work: async (item) => {
        most = Math.max(most, ++running);
        await turn();
        log.push(item);
        running--;
        return 'done';
      },
    });
    for (const item of ['a1', 'a2', 'b1', 'c1', 'a3', 'c2']) work.add(item.slice(0, 1), item);
    for (let n = 0; n < 10; n++) await turn();
    expect(most).toBe(2);
    for (const key of ['a', 'b', 'c'])
      expect(log.filter((item) => item.startsWith(key))).toEqual(log.filter((item) => item.startsWith(key)).toSorted());
    expect(log).toHaveLength(6);
    expect(await work.stop()).toEqual([]);
  });

  it('holds back a key whose head waits for another try, and gives its place to others', async () => {
    const clock = makeTestClock();
    const log: string[] = [];
    const work = makeKeyedWork<string>({
      concurrency: 1,
      sleep: clock.sleep,
      work: async (item) => {
        log.push(item);
        return item === 'a1' && log.filter((seen) => seen === 'a1').length < 3 ? { againInMs: 100 } : 'done';
      },
    });
    for (const item of ['a1', 'a2', 'b1', 'b2']) work.add(item.slice(0, 1), item);
    await turn();
    expect(log).toEqual(['a1', 'b1', 'b2']);
    await clock.advance(99);
    expect(log).toHaveLength(3);
    await clock.advance(1);
    await clock.advance(100);
    await turn();
    expect(log).toEqual(['a1', 'b1', 'b2', 'a1', 'a1', 'a2']);
  });

  it('waits for what is in work when it stops, and hands back the rest in order of arrival', async () => {
    const { promise: held, resolve: release } = Promise.withResolvers<'done'>();
    const work = makeKeyedWork<string>({ concurrency: 1, sleep: makeTestClock().sleep, work: () => held });
    for (const item of ['a1', 'b1', 'a2', 'c1']) work.add(item.slice(0, 1), item);
    let rest: string[] | undefined;
    const stopped = work.stop().then((left) => {
      rest = left;
    });
    await turn();
    expect(rest).toBeUndefined();
    release('done');
    await stopped;
    expect(rest).toEqual(['b1', 'a2', 'c1']);
  });
});
