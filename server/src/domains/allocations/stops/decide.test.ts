import { describe, expect, it } from 'vitest';
import { minuteMs } from '../../../kernel/units.ts';
import { startTries } from '../facts.ts';
import { decideStop, type StopPhase, type StopStanding } from './decide.ts';

const now = new Date('2026-05-01T00:00:00.000Z');
const at = (more: Partial<StopStanding>): StopStanding => ({
  ...{ now, phase: null, wanted: 'running', task: undefined, failedStarts: 0, gaveUp: false },
  ...more,
});
const task = (type: 'stop' | 'start', state: string, agoMs = 0) =>
  ({ type: `allocation.${type}`, state, endedAt: new Date(now.getTime() - agoMs) }) as NonNullable<
    StopStanding['task']
  >;
const stop = { do: 'ask', type: 'allocation.stop', phase: 'stopping' };
const start = { do: 'ask', type: 'allocation.start', phase: 'starting' };

describe('a machine', () => {
  it('that is where it should be is left alone', () => {
    expect(decideStop(at({}))).toBeUndefined();
    expect(decideStop(at({ phase: 'stopped', wanted: 'stopped', task: task('stop', 'succeeded') }))).toBeUndefined();
  });

  it('is asked to stop, is stopped once its node has said so, and starts again after a top-up', () => {
    expect(decideStop(at({ wanted: 'stopped', task: task('start', 'succeeded') }))).toEqual(stop);
    const stopping = { phase: 'stopping', wanted: 'stopped' } as const;
    expect(decideStop(at({ ...stopping, task: task('stop', 'dispatched') }))).toBeUndefined();
    expect(decideStop(at({ ...stopping, task: task('stop', 'succeeded') }))).toEqual({ do: 'note', phase: 'stopped' });
    expect(decideStop(at({ phase: 'stopped', task: task('stop', 'succeeded') }))).toEqual(start);
    expect(decideStop(at({ phase: 'starting', task: task('start', 'queued') }))).toBeUndefined();
    expect(decideStop(at({ phase: 'starting', task: task('start', 'succeeded') }))).toEqual({
      do: 'note',
      phase: null,
    });
  });

  it('ends what it does before it does the opposite', () => {
    expect(decideStop(at({ phase: 'stopping', task: task('stop', 'dispatched') }))).toBeUndefined();
    expect(decideStop(at({ phase: 'stopping', task: task('stop', 'failed') }))).toEqual(start);
    expect(decideStop(at({ phase: 'starting', wanted: 'stopped', task: task('start', 'dispatched') }))).toBeUndefined();
    expect(decideStop(at({ phase: 'starting', wanted: 'stopped', task: task('start', 'expired') }))).toEqual(stop);
  });

  it.each([
    ['stopping', 'stopped', 'stop', stop],
    ['starting', 'running', 'start', start],
  ] as const)('whose node failed at %s is asked again after a minute, not at once', (phase, wanted, type, again) => {
    for (const state of ['failed', 'expired', 'cancelled']) {
      expect(decideStop(at({ phase, wanted, task: task(type, state, minuteMs - 1) }))).toBeUndefined();
      expect(decideStop(at({ phase, wanted, task: task(type, state, minuteMs) }))).toEqual(again);
    }
  });

  it('that does not start is tried again after pauses that grow, counted from the end of the last try', () => {
    for (const [failedStarts, pauseMs] of [
      [1, minuteMs],
      [2, 2 * minuteMs],
    ] as const) {
      const after = (agoMs: number) =>
        decideStop(at({ phase: 'starting', failedStarts, task: task('start', 'failed', agoMs) }));
      expect(after(pauseMs - 1)).toBeUndefined();
      expect(after(pauseMs)).toEqual(start);
    }
  });

  it('that failed to start too often is switched off for certain, and stays off although it is paid for', () => {
    const failed = { failedStarts: startTries, task: task('start', 'failed') };
    expect(decideStop(at({ phase: 'starting', ...failed }))).toEqual({ ...stop, givesUp: true });
    const gaveUp = { gaveUp: true, failedStarts: 0 };
    expect(decideStop(at({ phase: 'stopping', ...gaveUp, task: task('stop', 'dispatched') }))).toBeUndefined();
    expect(decideStop(at({ phase: 'stopping', ...gaveUp, task: task('stop', 'failed', minuteMs) }))).toEqual(stop);
    expect(decideStop(at({ phase: 'stopping', ...gaveUp, task: task('stop', 'succeeded') }))).toEqual({
      ...{ do: 'note', phase: 'stopped' },
    });
    expect(decideStop(at({ phase: 'stopped', ...gaveUp, task: task('stop', 'succeeded') }))).toBeUndefined();
  });

  it('that was given up gets new tries when the balance was spent and filled once more', () => {
    const gaveUp = { phase: 'stopped', gaveUp: true, task: task('stop', 'succeeded') } as const;
    expect(decideStop(at({ ...gaveUp, wanted: 'stopped' }))).toEqual({ do: 'forget', phase: 'stopped' });
    expect(decideStop(at({ ...gaveUp, gaveUp: false }))).toEqual(start);
  });

  it('on its way without a task that is known is asked for what is wanted', () => {
    for (const phase of ['stopping', 'starting'] as StopPhase[]) {
      expect(decideStop(at({ phase, wanted: 'stopped' }))).toEqual(stop);
      expect(decideStop(at({ phase }))).toEqual(start);
    }
  });
});
