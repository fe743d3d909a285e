import { Type } from 'typebox';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { systemIds } from '../../../kernel/id.ts';
import { defineSaga } from '../../../kernel/saga.ts';
import { type Bench, nothing, origin, quick } from './bench.ts';
import { crashingSaga, sleepingSagas } from './child.ts';
import { exitOf, makeWorkers } from './workers.ts';

/** What must hold when processes come and go. */
export function describeCrashes(bench: Bench): void {
  describe('processes that come and go', () => {
    const { spawnWorker, killAll } = makeWorkers();
    afterEach(killAll);

    it('does not repeat finished steps after a restart, and runs the one in work again', async () => {
      const notes: string[] = [];
      const hang = Promise.withResolvers<number>();
      const saga = (second: () => Promise<number>) =>
        defineSaga<object>('suite.restart', 1)
          .step('first', { do: async () => notes.push('first'), undo: nothing })
          .step('second', { do: () => second(), undo: nothing, retry: quick })
          .step('third', { do: async ({ done }) => notes.push(`third ${done.first} ${done.second}`), undo: nothing });
      const id = systemIds.next();
      const before = await bench.open('restarted');
      const old = saga(() => {
        notes.push('second, left behind');
        return hang.promise;
      });
      await before.serve([old]);
      await before.start(old, id, {}, origin);
      await vi.waitUntil(() => notes.length === 2, { timeout: 15_000 });
      await bench.close(before);

      const after = await bench.open('restarted');
      const fresh = saga(async () => {
        notes.push('second');
        return 2;
      });
      await after.serve([fresh]);
      expect(await bench.ended(after, fresh, id)).toMatchObject({ state: 'done' });
      hang.resolve(-1);
      expect(notes).toEqual(['first', 'second, left behind', 'second', 'third 1 2']);
    });

    it('gives the run of a killed process to another one', async () => {
      const control = await bench.open('control');
      const doomed = await spawnWorker({ config: bench.config('doomed'), holds: 'second' });
      const saga = crashingSaga(() => undefined);
      const id = systemIds.next();
      await control.start(saga, id, { note: 'x' }, origin);
      await doomed.hears('second');
      const heir = await spawnWorker({ config: bench.config('heir') });
      expect(heir.said()).toEqual([]);
      doomed.child.kill('SIGKILL');
      expect(await bench.ended(control, saga, id)).toMatchObject({ state: 'done', step: 'third' });
      expect(doomed.said()).toEqual(['first', 'second']);
      expect(heir.said()).toEqual(['second', 'third']);
    });

    it('is started and answered by a process that serves nothing, while no worker lives', async () => {
      const notes: string[] = [];
      let token = '';
      const saga = defineSaga<object>('suite.absent', 1)
        .wait('approval', {
          ask: async (_, given) => {
            token = given;
          },
          answer: Type.Object({ by: Type.String() }),
          timeoutMs: 60_000,
          undo: nothing,
        })
        .step('note', { do: async ({ done }) => notes.push(done.approval.by), undo: nothing });
      const api = await bench.open('api');
      const id = systemIds.next();
      await api.start(saga, id, {}, origin);
      const first = await bench.open('absent');
      await first.serve([saga]);
      await vi.waitUntil(() => token, { timeout: 15_000 });
      await bench.close(first);

      expect(await api.answer(token, { by: 1 })).toBe('invalid');
      expect(await api.answer(token, { by: 'ada' })).toBe('accepted');
      expect(await api.answer(token, { by: 'bob' })).toBe('already answered');
      expect(await api.look(saga, id)).toMatchObject({ state: 'running', step: 'approval' });
      const second = await bench.open('absent');
      await second.serve([saga]);
      expect(await bench.ended(api, saga, id)).toMatchObject({ state: 'done' });
      expect(notes).toEqual(['ada']);
    });

    it('lets a process end by itself once the port is closed, whatever its runs were waiting for', async () => {
      const control = await bench.open('control');
      const worker = await spawnWorker({ config: bench.config('closing') });
      const sagas = [crashingSaga(() => undefined), ...sleepingSagas(() => undefined)] as const;
      const id = systemIds.next();
      for (const saga of sagas) await control.start(saga, id, { note: 'x' }, origin);
      expect(await bench.ended(control, sagas[0], id)).toMatchObject({ state: 'done' });
      await Promise.all([worker.hears('waiting'), worker.hears('pausing')]);
      const gone = exitOf(worker.child);
      worker.child.send('finish');
      expect(await gone).toBe(0);
      expect(worker.said().sort()).toEqual(['first', 'pausing', 'second', 'third', 'waiting']);
    }, 14_000);
  });
}
