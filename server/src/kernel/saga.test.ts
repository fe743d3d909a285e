import { Type } from 'typebox';
import { describe, expect, it } from 'vitest';
import { defaultAttemptMs, defaultRetry, defineSaga, describeSaga } from './saga.ts';

const nothing = { none: 'there is nothing to take back' };
const idle = async () => undefined;

describe('a saga', () => {
  it('is described step by step, with what each takes back or why not', () => {
    const retry = { attempts: 2, firstDelayMs: 1, maxDelayMs: 2 };
    const saga = defineSaga<object>('node.reimage', 3)
      .step('drain', { do: idle, undo: idle, retry, attemptMs: 5_000 })
      .wait('boot', { ask: idle, answer: Type.Object({}), timeoutMs: 900_000, undo: nothing });
    expect(describeSaga(saga)).toEqual([
      { step: 'drain', kind: 'step', waitsMs: undefined, retry, attemptMs: 5_000, undo: { kind: 'undone' } },
      {
        step: 'boot',
        kind: 'wait',
        waitsMs: 900_000,
        retry: defaultRetry,
        attemptMs: defaultAttemptMs,
        undo: { kind: 'none', why: 'there is nothing to take back' },
      },
    ]);
  });

  it('grows by copies, so that a beginning can be shared', () => {
    const beginning = defineSaga<object>('a', 1).step('one', { do: idle, undo: nothing });
    beginning.step('two', { do: idle, undo: nothing });
    expect(beginning.steps.map(({ name }) => name)).toEqual(['one']);
  });

  it('refuses names that an engine could not carry, versions below one and a step said twice', () => {
    expect(() => defineSaga('Not Plain', 1)).toThrow('no name for a saga');
    expect(() => defineSaga('a', 0)).toThrow('count from 1');
    const one = defineSaga<object>('a', 1).step('one', { do: idle, undo: nothing });
    expect(() => one.step('two/three', { do: idle, undo: nothing })).toThrow('no name for a step');
    // @ts-expect-error the name is taken, which the compiler sees as well
    expect(() => one.step('one', { do: idle, undo: nothing })).toThrow('has one twice');
  });
});
