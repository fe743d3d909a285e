import { Type } from 'typebox';
import { describe, expect, it } from 'vitest';
import { defineSaga } from '../../kernel/saga.ts';
import { placeOf } from './dbos-place.ts';
import type { Letter, Recorded } from './dbos-records.ts';
import type { Tried } from './interpreter.ts';
import { planOf } from './plan.ts';

const nothing = { none: 'nothing was done' };
const saga = defineSaga<object>('place.test', 1)
  .step('lease', { do: async () => 1, undo: async () => undefined })
  .wait('boot', { ask: async () => undefined, answer: Type.Object({}), timeoutMs: 1_000, undo: nothing })
  .step('tell', { do: async () => 2, undo: nothing });
const plan = planOf(saga as never);
const ok: Tried = { end: 'ok', out: null };
const recorded = (...names: string[]): Recorded[] => names.map((name) => ({ name, tried: ok, atMs: 0 }));
const letters = (letter?: Letter) => new Map(letter ? [['boot', letter]] : []);

describe('the place of a run', () => {
  it('is its first step while nothing is recorded', async () => {
    expect(await placeOf(plan, [], letters())).toBe('lease');
  });
  it('is the step after the last one that succeeded', async () => {
    expect(await placeOf(plan, recorded('do lease'), letters())).toBe('boot');
  });
  it('is the wait until something was done about its answer', async () => {
    const answer: Letter = { by: 'somebody', value: {} };
    expect(await placeOf(plan, recorded('do lease', 'ask boot'), letters(answer))).toBe('boot');
    expect(await placeOf(plan, recorded('do lease', 'ask boot', 'do tell'), letters(answer))).toBe('tell');
  });
  it('is the step that is being undone once a wait was closed', async () => {
    expect(await placeOf(plan, recorded('do lease', 'ask boot'), letters({ late: true }))).toBe('lease');
  });
  it('is the step that failed while there are tries left', async () => {
    const failed: Recorded = { name: 'do lease', tried: { end: 'failed', reason: 'busy' }, atMs: 0 };
    expect(await placeOf(plan, [failed, failed], letters())).toBe('lease');
  });
});
