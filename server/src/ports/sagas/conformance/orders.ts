import { Type } from 'typebox';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { systemClock } from '../../../kernel/clock.ts';
import { systemIds } from '../../../kernel/id.ts';
import { defineSaga, Halt } from '../../../kernel/saga.ts';
import { silentLog } from '../../../kernel/telemetry/log.ts';
import type { SagaRuns, Sagas } from '../port.ts';
import { makeSagaRuns } from '../runs.ts';
import { type Bench, nothing, origin, quick } from './bench.ts';

const order = { by: 'ada', reason: 'the rack is being moved' };
const patience = { timeout: 30_000, interval: 20 };
/** So long that a test would not see its end. */
const long = { attempts: 3, firstDelayMs: 600_000, maxDelayMs: 600_000 };

/** What a person may want of a run, and what comes of it. */
export function describeOrders(bench: Bench): void {
  describe('orders of a person', () => {
    let sagas: Sagas;
    let runs: SagaRuns;
    let notes: string[];
    const note = (line: string) => void notes.push(line);
    beforeEach(async () => {
      notes = [];
      sagas = await bench.open('ordered');
      runs = makeSagaRuns(bench.config('desk'), { clock: systemClock, log: silentLog });
    });
    afterEach(() => runs.close());

    const begin = async (saga: ReturnType<typeof defineSaga<object>>) => {
      await sagas.serve([saga]);
      const id = systemIds.next();
      await sagas.start(saga, id, {}, origin);
      return id;
    };
    /** Once the run does this, as an operator sees it. */
    const seen = (saga: { readonly name: string }, id: string, doing: string) =>
      vi.waitUntil(async () => {
        const run = await runs.find(saga.name, id);
        return run?.standing?.doing === doing ? run : undefined;
      }, patience);
    const shakySaga = (name: string, failures: number) => {
      let left = failures;
      return defineSaga<object>(name, 1)
        .step('before', { do: async () => 0, undo: async ({ calledOff }) => note(`undo before, ${calledOff}`) })
        .step('shaky', {
          do: async () => {
            note('shaky');
            left -= 1;
            if (left >= 0) throw new Error('not yet');
          },
          undo: nothing,
          retry: long,
        })
        .step('after', { do: async () => note('after'), undo: nothing });
    };
    const waitingSaga = (name: string, tell: (token: string) => void) =>
      defineSaga<object>(name, 1)
        .step('before', { do: async () => 0, undo: async ({ calledOff }) => note(`undo before, ${calledOff}`) })
        .wait('boot', {
          ask: async (_, token) => tell(token),
          answer: Type.Object({}),
          timeoutMs: 600_000,
          undo: async () => note('undo boot'),
        });

    it('a run that pauses between two tries tries again at once', async () => {
      const saga = shakySaga('suite.retried', 1);
      const id = await begin(saga);
      const run = await seen(saga, id, 'pausing');
      expect(run.whyNot).toEqual({ retry: undefined, cancel: undefined });
      expect(await runs.retry(saga.name, id, order)).toBe('accepted');
      expect(await bench.ended(sagas, saga, id)).toMatchObject({ state: 'done' });
      expect(notes).toEqual(['shaky', 'shaky', 'after']);
      expect((await runs.find(saga.name, id))?.orders).toMatchObject([{ kind: 'retry', ...order }]);
    });

    it('a run that pauses is called off: what it did is undone, and it ends as cancelled', async () => {
      const saga = shakySaga('suite.called-off', 9);
      const id = await begin(saga);
      await seen(saga, id, 'pausing');
      expect(await runs.cancel(saga.name, id, order)).toBe('accepted');
      expect(await runs.cancel(saga.name, id, { ...order, by: 'bob' })).toBe('accepted');
      expect(await bench.ended(sagas, saga, id)).toEqual({
        ...{ id, state: 'cancelled', step: 'shaky', reason: order.reason },
      });
      expect(notes).toEqual(['shaky', 'undo before, true']);
      const run = await runs.find(saga.name, id);
      expect(run?.orders).toMatchObject([{ kind: 'cancel', ...order }]);
      expect(run?.attempts.map(({ step, work, end }) => `${work} ${step} ${end}`)).toEqual([
        ...['do before ok', 'do shaky failed', 'undo before ok'],
      ]);
      expect(run?.whyNot.retry).toContain('called off');
      expect(await runs.cancel(saga.name, id, order)).toBe('accepted');
      const wanted = { saga: saga.name, id, before: undefined, limit: 10 };
      await vi.waitUntil(async () => (await runs.list({ ...wanted, state: 'cancelled' })).length === 1, patience);
    });

    it('a run that waits is called off: it takes no answer any more, and the wait itself has nothing to undo', async () => {
      let token = '';
      const saga = waitingSaga('suite.unanswered', (given) => {
        token = given;
      });
      const id = await begin(saga);
      const run = await seen(saga, id, 'waiting');
      expect(run.whyNot.retry).toContain('waited for');
      expect(await runs.retry(saga.name, id, order)).toEqual({ refused: expect.stringContaining('waited for') });
      expect(await runs.cancel(saga.name, id, order)).toBe('accepted');
      expect(await bench.ended(sagas, saga, id)).toMatchObject({ state: 'cancelled', step: 'boot' });
      expect(notes).toEqual(['undo before, true']);
      expect(await sagas.answer(token, {})).toBe('unknown');
    });

    it('a step in work is finished and undone before a run that was called off ends', async () => {
      const gate = Promise.withResolvers<void>();
      const saga = defineSaga<object>('suite.in-work', 1)
        .step('slow', {
          do: async () => {
            note('slow');
            await gate.promise;
            return 'done';
          },
          undo: async (_, out) => note(`undo slow ${out}`),
        })
        .step('after', { do: async () => note('after'), undo: nothing });
      const id = await begin(saga);
      await vi.waitUntil(() => notes.length === 1, patience);
      expect(await runs.retry(saga.name, id, order)).toEqual({ refused: 'It is being tried right now.' });
      expect(await runs.cancel(saga.name, id, order)).toBe('accepted');
      expect((await runs.find(saga.name, id))?.whyNot.cancel).toBe('It was called off already.');
      gate.resolve();
      expect(await bench.ended(sagas, saga, id)).toMatchObject({ state: 'cancelled', step: 'after' });
      expect(notes).toEqual(['slow', 'undo slow done']);
    });

    it('a run is not called off in its last step, nor while it is undone, nor when it has ended', async () => {
      const gate = Promise.withResolvers<void>();
      const last = defineSaga<object>('suite.last', 1).step('only', {
        do: async () => {
          note('only');
          await gate.promise;
        },
        undo: nothing,
      });
      const undone = defineSaga<object>('suite.undoing', 1)
        .step('slow', {
          do: async () => 0,
          undo: async () => {
            note('undo');
            await gate.promise;
          },
        })
        .step('halts', { do: async () => new Halt('no'), undo: nothing });
      const [one, two] = [await begin(last), await begin(undone)];
      await vi.waitUntil(() => notes.length === 2, patience);
      expect(await runs.cancel(last.name, one, order)).toEqual({ refused: expect.stringContaining('last step') });
      expect(await runs.cancel(undone.name, two, order)).toEqual({ refused: expect.stringContaining('taken back') });
      gate.resolve();
      expect(await bench.ended(sagas, last, one)).toMatchObject({ state: 'done' });
      expect(await bench.ended(sagas, undone, two)).toMatchObject({ state: 'undone', reason: 'no' });
      expect(await runs.cancel(last.name, one, order)).toEqual({ refused: 'It is done.' });
      expect(await runs.retry(undone.name, two, order)).toEqual({
        refused: expect.stringContaining('Make a new request'),
      });
      expect(await runs.cancel(last.name, systemIds.next(), order)).toBeUndefined();
    });

    it('a stuck run stays until its undo is tried again, through a restart, and then ends as it would have', async () => {
      let isBusy = true;
      const saga = defineSaga<object>('suite.unstuck', 1)
        .step('base', { do: async () => 0, undo: async () => note('undo base') })
        .step('disk', {
          do: async () => 1,
          undo: async () => {
            note('undo disk');
            if (isBusy) throw new Error('the disk is busy');
          },
          retry: { ...quick, attempts: 2 },
        })
        .step('halts', { do: async () => new Halt('no room'), undo: nothing });
      const id = await begin(saga);
      expect(await bench.ended(sagas, saga, id)).toMatchObject({ state: 'stuck', step: 'disk' });
      const run = await seen(saga, id, 'stuck');
      expect(run.reason).toContain('the disk is busy');
      expect(run.whyNot).toMatchObject({ retry: undefined, cancel: expect.stringContaining('tried again') });
      const wanted = { saga: saga.name, id, before: undefined, limit: 10 };
      await vi.waitUntil(async () => (await runs.list({ ...wanted, state: 'stuck' })).length === 1, patience);
      expect(await runs.list({ ...wanted, state: 'running' })).toEqual([]);

      await bench.close(sagas);
      isBusy = false;
      expect(await runs.retry(saga.name, id, order)).toBe('accepted');
      expect(notes).toEqual(['undo disk', 'undo disk']);
      sagas = await bench.open('ordered');
      await sagas.serve([saga]);
      expect(
        await vi.waitUntil(async () => {
          const found = await sagas.look(saga, id);
          return found?.state === 'undone' ? found : undefined;
        }, patience),
      ).toEqual({ id, state: 'undone', step: 'halts', reason: 'no room' });
      expect(notes).toEqual(['undo disk', 'undo disk', 'undo disk', 'undo base']);
    });

    it('a run is called off while no worker lives, and by the worker that takes it up', async () => {
      const saga = shakySaga('suite.absent-order', 9);
      const id = await begin(saga);
      await seen(saga, id, 'pausing');
      await bench.close(sagas);
      expect(await runs.cancel(saga.name, id, order)).toBe('accepted');
      sagas = await bench.open('ordered');
      await sagas.serve([saga]);
      expect(await bench.ended(sagas, saga, id)).toMatchObject({ state: 'cancelled', reason: order.reason });
      expect(notes).toEqual(['shaky', 'undo before, true']);
    });
  });
}
