import { describe, expect, it, vi } from 'vitest';
import { systemIds } from '../../../kernel/id.ts';
import { defineSaga, Halt } from '../../../kernel/saga.ts';
import { type Bench, nothing, quick } from './bench.ts';
import { type Desk, deskOf, order, patience, shakySaga, waitingSaga } from './desk.ts';

/** What a person may want of a run, and what comes of it. */
export function describeOrders(bench: Bench): void {
  describe('orders of a person', () => {
    const desk = deskOf(bench);
    tryAgain(bench, desk);
    callOff(bench, desk);
    orderWithoutWorker(bench, desk);
  });
}

function tryAgain(bench: Bench, desk: Desk): void {
  it('a run that pauses between two tries tries again at once', async () => {
    const saga = shakySaga(desk, 'suite.retried', 1);
    const id = await desk.begin(saga);
    const run = await desk.seen(saga, id, 'pausing');
    expect(run.whyNot).toEqual({ retry: undefined, cancel: undefined });
    expect(await desk.runs.retry(saga.name, id, order)).toBe('accepted');
    expect(await bench.ended(desk.sagas, saga, id)).toMatchObject({ state: 'done' });
    expect(desk.notes).toEqual(['shaky', 'shaky', 'after']);
    expect((await desk.runs.find(saga.name, id))?.orders).toMatchObject([{ kind: 'retry', ...order }]);
  });
}

function callOff(bench: Bench, desk: Desk): void {
  it('a run that pauses is called off: what it did is undone, and it ends as cancelled', async () => {
    const saga = shakySaga(desk, 'suite.called-off', 9);
    const id = await desk.begin(saga);
    await desk.seen(saga, id, 'pausing');
    expect(await desk.runs.cancel(saga.name, id, order)).toBe('accepted');
    expect(await desk.runs.cancel(saga.name, id, { ...order, by: 'bob' })).toBe('accepted');
    expect(await bench.ended(desk.sagas, saga, id)).toEqual({
      ...{ id, state: 'cancelled', step: 'shaky', reason: order.reason },
    });
    expect(desk.notes).toEqual(['shaky', 'undo before, true']);
    const run = await desk.runs.find(saga.name, id);
    expect(run?.orders).toMatchObject([{ kind: 'cancel', ...order }]);
    expect(run?.attempts.map(({ step, work, end }) => `${work} ${step} ${end}`)).toEqual([
      ...['do before ok', 'do shaky failed', 'undo before ok'],
    ]);
    expect(run?.whyNot.retry).toContain('called off');
    expect(await desk.runs.cancel(saga.name, id, order)).toBe('accepted');
    const wanted = { saga: saga.name, id, before: undefined, limit: 10 };
    await vi.waitUntil(async () => (await desk.runs.list({ ...wanted, state: 'cancelled' })).length === 1, patience);
  });

  it('a run that waits is called off: it takes no answer any more, and the wait itself has nothing to undo', async () => {
    let token = '';
    const saga = waitingSaga(desk, 'suite.unanswered', (given) => {
      token = given;
    });
    const id = await desk.begin(saga);
    const run = await desk.seen(saga, id, 'waiting');
    expect(run.whyNot.retry).toContain('waited for');
    expect(await desk.runs.retry(saga.name, id, order)).toEqual({ refused: expect.stringContaining('waited for') });
    expect(await desk.runs.cancel(saga.name, id, order)).toBe('accepted');
    expect(await bench.ended(desk.sagas, saga, id)).toMatchObject({ state: 'cancelled', step: 'boot' });
    expect(desk.notes).toEqual(['undo before, true']);
    expect(await desk.sagas.answer(token, {})).toBe('unknown');
  });

  it('a step in work is finished and undone before a run that was called off ends', async () => {
    const gate = Promise.withResolvers<void>();
    const saga = defineSaga<object>('suite.in-work', 1)
      .step('slow', {
        do: async () => {
          desk.note('slow');
          await gate.promise;
          return 'done';
        },
        undo: async (_, out) => desk.note(`undo slow ${out}`),
      })
      .step('after', { do: async () => desk.note('after'), undo: nothing });
    const id = await desk.begin(saga);
    await vi.waitUntil(() => desk.notes.length === 1, patience);
    expect(await desk.runs.retry(saga.name, id, order)).toEqual({ refused: 'It is being tried right now.' });
    expect(await desk.runs.cancel(saga.name, id, order)).toBe('accepted');
    expect((await desk.runs.find(saga.name, id))?.whyNot.cancel).toBe('It was called off already.');
    gate.resolve();
    expect(await bench.ended(desk.sagas, saga, id)).toMatchObject({ state: 'cancelled', step: 'after' });
    expect(desk.notes).toEqual(['slow', 'undo slow done']);
  });

  it('a run is not called off in its last step, nor while it is undone, nor when it has ended', async () => {
    const gate = Promise.withResolvers<void>();
    const last = defineSaga<object>('suite.last', 1).step('only', {
      do: async () => {
        desk.note('only');
        await gate.promise;
      },
      undo: nothing,
    });
    const undone = defineSaga<object>('suite.undoing', 1)
      .step('slow', {
        do: async () => 0,
        undo: async () => {
          desk.note('undo');
          await gate.promise;
        },
      })
      .step('halts', { do: async () => new Halt('no'), undo: nothing });
    const [one, two] = [await desk.begin(last), await desk.begin(undone)];
    await vi.waitUntil(() => desk.notes.length === 2, patience);
    expect(await desk.runs.cancel(last.name, one, order)).toEqual({ refused: expect.stringContaining('last step') });
    expect(await desk.runs.cancel(undone.name, two, order)).toEqual({ refused: expect.stringContaining('taken back') });
    gate.resolve();
    expect(await bench.ended(desk.sagas, last, one)).toMatchObject({ state: 'done' });
    expect(await bench.ended(desk.sagas, undone, two)).toMatchObject({ state: 'undone', reason: 'no' });
    expect(await desk.runs.cancel(last.name, one, order)).toEqual({ refused: 'It is done.' });
    expect(await desk.runs.retry(undone.name, two, order)).toEqual({
      refused: expect.stringContaining('Make a new request'),
    });
    expect(await desk.runs.cancel(last.name, systemIds.next(), order)).toBeUndefined();
  });
}

/** Orders that are given while no worker lives. */
function orderWithoutWorker(bench: Bench, desk: Desk): void {
  it('a stuck run stays until its undo is tried again, through a restart, and then ends as it would have', async () => {
    let isBusy = true;
    const saga = defineSaga<object>('suite.unstuck', 1)
      .step('base', { do: async () => 0, undo: async () => desk.note('undo base') })
      .step('disk', {
        do: async () => 1,
        undo: async () => {
          desk.note('undo disk');
          if (isBusy) throw new Error('the disk is busy');
        },
        retry: { ...quick, attempts: 2 },
      })
      .step('halts', { do: async () => new Halt('no room'), undo: nothing });
    const id = await desk.begin(saga);
    expect(await bench.ended(desk.sagas, saga, id)).toMatchObject({ state: 'stuck', step: 'disk' });
    const run = await desk.seen(saga, id, 'stuck');
    expect(run.reason).toContain('the disk is busy');
    expect(run.whyNot).toMatchObject({ retry: undefined, cancel: expect.stringContaining('tried again') });
    const wanted = { saga: saga.name, id, before: undefined, limit: 10 };
    await vi.waitUntil(async () => (await desk.runs.list({ ...wanted, state: 'stuck' })).length === 1, patience);
    expect(await desk.runs.list({ ...wanted, state: 'running' })).toEqual([]);

    await desk.close();
    isBusy = false;
    expect(await desk.runs.retry(saga.name, id, order)).toBe('accepted');
    expect(desk.notes).toEqual(['undo disk', 'undo disk']);
    await desk.reopen(saga);
    expect(
      await vi.waitUntil(async () => {
        const found = await desk.sagas.look(saga, id);
        return found?.state === 'undone' ? found : undefined;
      }, patience),
    ).toEqual({ id, state: 'undone', step: 'halts', reason: 'no room' });
    expect(desk.notes).toEqual(['undo disk', 'undo disk', 'undo disk', 'undo base']);
  });

  it('a run is called off while no worker lives, and by the worker that takes it up', async () => {
    const saga = shakySaga(desk, 'suite.absent-order', 9);
    const id = await desk.begin(saga);
    await desk.seen(saga, id, 'pausing');
    await desk.close();
    expect(await desk.runs.cancel(saga.name, id, order)).toBe('accepted');
    await desk.reopen(saga);
    expect(await bench.ended(desk.sagas, saga, id)).toMatchObject({ state: 'cancelled', reason: order.reason });
    expect(desk.notes).toEqual(['shaky', 'undo before, true']);
  });
}
