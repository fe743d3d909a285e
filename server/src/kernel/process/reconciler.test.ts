import { describe, expect, it } from 'vitest';
import { makeTestClock } from '../clock.ts';
import { makeLog } from '../telemetry/log.ts';
import { type Reconciler, startReconciler } from './reconciler.ts';

const everyMs = 60_000;
const turn = () => new Promise((resolve) => setImmediate(resolve));
/** A reconciler whose rounds are ended by the test, one by one. */
function setUp(round?: Reconciler['round'], restMs?: number) {
  const clock = makeTestClock();
  const lines: string[] = [];
  const rounds: PromiseWithResolvers<'idle' | 'more'>[] = [];
  const reconciling = startReconciler(
    {
      name: 'test',
      round:
        round ??
        (() => {
          const next = Promise.withResolvers<'idle' | 'more'>();
          rounds.push(next);
          return next.promise;
        }),
    },
    {
      clock,
      log: makeLog('test', 'debug', { write: (line) => void lines.push(line) }),
      everyMs,
      ...(restMs && { restMs }),
    },
  );
  const end = async (outcome: 'idle' | 'more' = 'idle') => {
    rounds.at(-1)?.resolve(outcome);
    await turn();
  };
  return { clock, lines, rounds, reconciling, end };
}

describe('a reconciler', () => {
  it('looks at once, then again when its time is up', async () => {
    const { clock, rounds, end, reconciling } = setUp();
    expect(rounds).toHaveLength(1);
    expect(reconciling.lastRoundAt()).toBeUndefined();
    await end();
    expect(reconciling.lastRoundAt()).toEqual(clock.now());
    await clock.advance(everyMs - 1);
    expect(rounds).toHaveLength(1);
    await clock.advance(1);
    expect(rounds).toHaveLength(2);
    await end();
    await reconciling.close();
  });

  it('looks again at once when there is more to do', async () => {
    const { rounds, end, reconciling } = setUp();
    await end('more');
    await end('more');
    expect(rounds).toHaveLength(3);
    await end();
    await reconciling.close();
  });

  it('does not lose a wake-up that comes in the middle of a round, and needs one round for many', async () => {
    const { rounds, end, reconciling } = setUp();
    reconciling.wake();
    reconciling.wake();
    await end();
    expect(rounds).toHaveLength(2);
    await end();
    expect(rounds).toHaveLength(2);
    reconciling.wake();
    await turn();
    expect(rounds).toHaveLength(3);
    await end();
    await reconciling.close();
  });

  it('tries again after a failure, more patiently each time, and says so', async () => {
    const { clock, rounds, lines, end, reconciling } = setUp();
    for (const pauseMs of [200, 400, 800]) {
      const before = rounds.length;
      rounds.at(-1)?.reject(new Error('away'));
      await turn();
      await clock.advance(pauseMs - 1);
      expect(rounds).toHaveLength(before);
      await clock.advance(1);
      expect(rounds).toHaveLength(before + 1);
    }
    expect(lines.map((line) => JSON.parse(line).failures)).toEqual([1, 2, 3]);
    await end();
    rounds.at(-1)?.reject(new Error('unreached'));
    expect(reconciling.lastRoundAt()).toEqual(clock.now());
    await reconciling.close();
  });

  it('never waits longer than half a minute after failures', async () => {
    let tries = 0;
    const { clock, reconciling } = setUp(async () => {
      tries += 1;
      throw new Error('away');
    });
    await turn();
    await clock.advance(3_600_000);
    expect(tries).toBeGreaterThan(110);
    await reconciling.close();
  });

  it('is asked to stop in the middle of a round, and is waited for', async () => {
    let sawSignal = false;
    const { reconciling, lines } = setUp(
      (signal) =>
        new Promise((_, reject) => {
          signal.addEventListener('abort', () => {
            sawSignal = true;
            reject(signal.reason);
          });
        }),
    );
    await reconciling.close();
    expect(sawSignal).toBe(true);
    expect(lines).toEqual([]);
  });

  it('stops while it sleeps', async () => {
    const { rounds, end, reconciling } = setUp();
    await end();
    await reconciling.close();
    expect(rounds).toHaveLength(1);
  });

  it('rests after a round if it is told to, and does what came in the meantime together', async () => {
    const { clock, rounds, end, reconciling } = setUp(undefined, 250);
    await end();
    reconciling.wake();
    await clock.advance(249);
    reconciling.wake();
    expect(rounds).toHaveLength(1);
    await clock.advance(1);
    expect(rounds).toHaveLength(2);
    await end();
    await clock.advance(250);
    expect(rounds).toHaveLength(2);
    await reconciling.close();
  });

  it('stops while it waits after a failure', async () => {
    const { rounds, reconciling } = setUp();
    rounds[0]?.reject(new Error('away'));
    await turn();
    await reconciling.close();
    expect(rounds).toHaveLength(1);
  });
});
