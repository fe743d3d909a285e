import { Type } from 'typebox';
import { describe, expect, it } from 'vitest';
import { defineSaga } from '../../kernel/saga.ts';
import type { Tried } from './interpreter.ts';
import { retryTopic } from './orders.ts';
import { planOf } from './plan.ts';
import { type Letter, type Recorded, standingOf } from './standing.ts';

const nothing = { none: 'nothing was done' };
const saga = defineSaga<object>('place.test', 1)
  .step('lease', { do: async () => 1, undo: async () => undefined })
  .wait('boot', { ask: async () => undefined, answer: Type.Object({}), timeoutMs: 1_000, undo: nothing })
  .step('tell', { do: async () => 2, undo: nothing });
const plan = planOf(saga as never);
const ok: Tried = { end: 'ok', out: null };
const recorded = (...names: string[]): Recorded[] => names.map((name) => ({ name, tried: ok, atMs: 0 }));
const letters = (letter?: Letter) => new Map(letter ? [['boot', letter]] : []);

const placeOf = async (...given: Parameters<typeof standingOf>) => (await standingOf(...given)).step;

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

describe('what a run is doing', () => {
  const failed = (name: string): Recorded => ({ name, tried: { end: 'failed', reason: 'busy' }, atMs: 5_000 });
  const mark = (name: string): Recorded => ({ name, tried: { end: 'halt', reason: 'not wanted' }, atMs: 0 });

  it('is a pause of its own length after a failure, until somebody wants it tried now', async () => {
    expect(await standingOf(plan, [failed('do lease')], letters())).toMatchObject({
      ...{ step: 'lease', doing: 'pausing', untilMs: 6_000, isUndoing: false, isLast: false, place: 1 },
    });
    const nudged = new Map([[retryTopic(1), { by: 'somebody', value: 'now' }]]);
    expect(await standingOf(plan, [failed('do lease')], nudged)).toMatchObject({ doing: 'working' });
  });
  it('is a wait until its time is up', async () => {
    const standing = await standingOf(plan, recorded('do lease', 'ask boot'), letters());
    expect(standing).toMatchObject({ step: 'boot', doing: 'waiting', untilMs: 1_000 });
  });
  it('is taking back once it was called off, in a wait or between two steps', async () => {
    const inWait = [...recorded('do lease', 'ask boot'), mark('cancel')];
    expect(await standingOf(plan, inWait, letters({ late: true }))).toMatchObject({
      ...{ step: 'lease', doing: 'working', isUndoing: true, calledOff: 'not wanted' },
    });
    expect(await standingOf(plan, [...recorded('do lease'), mark('cancel')], letters())).toMatchObject({
      ...{ step: 'lease', isUndoing: true, calledOff: 'not wanted' },
    });
  });
  it('is being stuck after an undo gave up, until it is tried again', async () => {
    const gaveUp = Array.from({ length: 6 }, () => failed('undo lease'));
    const stuck = [...recorded('do lease'), mark('cancel'), ...gaveUp, mark('stuck')];
    const standing = await standingOf(plan, stuck, letters());
    expect(standing).toMatchObject({ step: 'lease', doing: 'stuck', isUndoing: true });
    expect(standing.reason).toContain('the undo of lease gave up: busy; it was undone because it was called off');
    expect(await standingOf(plan, [...stuck, mark('retry')], letters())).toMatchObject({ doing: 'working' });
  });
});
