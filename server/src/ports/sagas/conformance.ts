import { Type } from 'typebox';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { systemClock } from '../../kernel/clock.ts';
import { systemIds } from '../../kernel/id.ts';
import { defineSaga, Halt } from '../../kernel/saga.ts';
import { silentLog } from '../../kernel/telemetry/log.ts';
import { type Bench, nothing, origin, quick, type SagasUnderTest } from './conformance/bench.ts';
import { describeCrashes } from './conformance/crashes.ts';
import { describeOrders } from './conformance/orders.ts';
import { openSagas } from './open.ts';
import type { Sagas } from './port.ts';
import { makeSagaRuns } from './runs.ts';

/** The promises of the port. Both engines keep all of them. */
export function sagasConformance(name: string, openEngine: () => Promise<SagasUnderTest>): void {
  describe(`sagas: ${name}`, () => {
    let engine: SagasUnderTest;
    let sagas: Sagas;
    let notes: string[];
    const opened = new Set<Sagas>();
    const bench: Bench = {
      config: (identity) => engine.config(identity),
      async open(identity) {
        const port = await openSagas(engine.config(identity), { clock: systemClock, ids: systemIds, log: silentLog });
        opened.add(port);
        return port;
      },
      async close(port) {
        opened.delete(port);
        await port.close();
      },
      ended: (port, saga, id) =>
        vi.waitUntil(
          async () => {
            const run = await port.look(saga, id);
            return run && run.state !== 'running' ? run : undefined;
          },
          { timeout: 30_000, interval: 20 },
        ),
    };
    const note = (line: string) => void notes.push(line);
    /** Runs to its end and says how that was. */
    const runOf = async <P extends object>(saga: Parameters<typeof sagas.start<P>>[0], params: P) => {
      const id = systemIds.next();
      await sagas.start(saga, id, params, origin);
      return bench.ended(sagas, saga, id);
    };

    beforeAll(async () => {
      engine = await openEngine();
    });
    afterAll(async () => {
      await engine.close();
    });
    beforeEach(async () => {
      notes = [];
      sagas = await bench.open('suite');
    });
    afterEach(async () => {
      for (const port of [...opened]) await bench.close(port);
    });

    it('runs the steps in order, each with the results of the ones before', async () => {
      const saga = defineSaga<{ size: number }>('suite.order', 1)
        .step('lease', { do: async ({ params }) => ({ units: params.size * 2 }), undo: nothing })
        .step('boot', { do: async ({ done }) => `${done.lease.units} units`, undo: nothing })
        .step('report', { do: async ({ done }) => note(`${done.boot}, ${done.lease.units}`), undo: nothing });
      await sagas.serve([saga]);
      expect(await runOf(saga, { size: 21 })).toMatchObject({ state: 'done', step: 'report', reason: undefined });
      expect(notes).toEqual(['42 units, 42']);
    });

    it('gives every attempt an act of its own, named after saga and step', async () => {
      const acts: { id: string; action: string; actorId: string; correlationId: string }[] = [];
      const saga = defineSaga<object>('suite.acts', 1).step('write', {
        do: async ({ act }) => {
          acts.push(act);
          if (acts.length < 2) throw new Error('not yet');
        },
        undo: nothing,
        retry: quick,
      });
      await sagas.serve([saga]);
      await runOf(saga, {});
      expect(acts).toHaveLength(2);
      expect(acts[0]?.id).not.toBe(acts[1]?.id);
      expect(acts[1]).toMatchObject({
        action: 'saga.suite.acts.write',
        actorId: 'saga:suite.acts',
        actorKind: 'system',
        correlationId: origin.correlationId,
        organizationId: origin.organizationId,
      });
    });

    it('shows its runs to whoever looks after them: where each is, what was tried and why it ended', async () => {
      let ready = false;
      const saga = defineSaga<object>('suite.seen', 1)
        .step('first', { do: async () => 1, undo: async () => undefined })
        .step('shaky', {
          do: async () => {
            if (!ready) {
              ready = true;
              throw new Error('not yet');
            }
          },
          undo: nothing,
          retry: quick,
        })
        .step('last', { do: async () => new Halt('no capacity'), undo: nothing });
      await sagas.serve([saga]);
      const id = systemIds.next();
      await sagas.start(saga, id, {}, origin);
      await bench.ended(sagas, saga, id);
      const runs = makeSagaRuns(engine.config('reader'), { clock: systemClock, log: silentLog });
      try {
        const wanted = { saga: saga.name, id, state: undefined, before: undefined, limit: 10 };
        // What the engine can look up may come a moment after what it knows.
        const listed = await vi.waitUntil(async () => (await runs.list({ ...wanted, state: 'undone' }))[0], {
          timeout: 30_000,
          interval: 50,
        });
        expect(listed).toMatchObject({
          ...{ saga: saga.name, version: 1, id, state: 'undone', step: 'last', reason: 'no capacity' },
          ...{ correlationId: origin.correlationId, organizationId: origin.organizationId },
        });
        expect(listed.endedAt?.getTime()).toBeGreaterThanOrEqual(listed.beganAt.getTime());
        expect(await runs.list({ ...wanted, id: id.slice(0, 24) })).toHaveLength(1);
        expect(await runs.list({ ...wanted, state: 'running' })).toEqual([]);
        expect(await runs.list({ ...wanted, before: listed.beganAt })).toEqual([]);
        const detail = await runs.find(saga.name, id);
        expect(detail?.plan.steps.map(({ name: step }) => step)).toEqual(['first', 'shaky', 'last']);
        expect(detail?.attempts.map(({ step, work, end }) => `${work} ${step} ${end}`)).toEqual([
          'do first ok',
          'do shaky failed',
          'do shaky ok',
          'do last halt',
          'undo first ok',
        ]);
        expect(detail?.attempts[1]?.reason).toBe('not yet');
        expect(await runs.find(saga.name, systemIds.next())).toBeUndefined();
      } finally {
        await runs.close();
      }
    });

    it('starts one run for one id, whatever is asked twice', async () => {
      const saga = defineSaga<{ who: string }>('suite.once', 1).step('note', {
        do: async ({ params }) => note(params.who),
        undo: nothing,
      });
      await sagas.serve([saga]);
      const id = systemIds.next();
      await Promise.all([1, 2, 3].map(() => sagas.start(saga, id, { who: 'first' }, origin)));
      await bench.ended(sagas, saga, id);
      await sagas.start(saga, id, { who: 'second' }, origin);
      expect(await bench.ended(sagas, saga, id)).toMatchObject({ state: 'done' });
      expect(notes).toEqual(['first']);
    });

    it('tries a failing step as often as it may, then undoes the others in reverse order', async () => {
      const saga = defineSaga<object>('suite.undo', 1)
        .step('one', { do: async () => 1, undo: async (_, out) => note(`undo one ${out}`) })
        .step('two', { do: async () => 2, undo: { none: 'there is nothing to take back' } })
        .step('three', { do: async () => 3, undo: async ({ done }, out) => note(`undo three ${out} ${done.one}`) })
        .step('four', {
          do: async () => {
            note('four');
            throw new Error('no capacity');
          },
          undo: async () => note('undo four'),
          retry: quick,
        });
      await sagas.serve([saga]);
      expect(await runOf(saga, {})).toMatchObject({ state: 'undone', step: 'four', reason: 'no capacity' });
      expect(notes).toEqual(['four', 'four', 'four', 'undo three 3 1', 'undo one 1']);
    });

    it('undoes at once when a step halts', async () => {
      const saga = defineSaga<object>('suite.halt', 1)
        .step('one', { do: async () => 1, undo: async () => note('undo one') })
        .step('two', {
          do: async () => {
            note('two');
            return new Halt('the card was declined');
          },
          undo: nothing,
          retry: quick,
        });
      await sagas.serve([saga]);
      expect(await runOf(saga, {})).toMatchObject({ state: 'undone', step: 'two', reason: 'the card was declined' });
      expect(notes).toEqual(['two', 'undo one']);
    });

    it('takes back what is said for the case of failure, also when the first step fails, and only then', async () => {
      const saga = defineSaga<{ fails: boolean }>('suite.on-failure', 1)
        .onFailure('ended', { undo: async ({ done }) => note(`ended after ${JSON.stringify(done)}`) })
        .step('first', { do: async ({ params }) => (params.fails ? new Halt('no') : 1), undo: nothing });
      await sagas.serve([saga]);
      expect(await runOf(saga, { fails: false })).toMatchObject({ state: 'done', step: 'first' });
      expect(notes).toEqual([]);
      expect(await runOf(saga, { fails: true })).toMatchObject({ state: 'undone', step: 'first', reason: 'no' });
      expect(notes).toEqual(['ended after {}']);
    });

    it('tries an undo again, and ends as stuck where one gives up', async () => {
      let failures = 1;
      const saga = defineSaga<object>('suite.stuck', 1)
        .step('base', { do: async () => 0, undo: async () => note('undo base') })
        .step('disk', {
          do: async () => 1,
          undo: async () => {
            note('undo disk');
            throw new Error('the disk is busy');
          },
          retry: quick,
        })
        .step('wires', {
          do: async () => 2,
          undo: async () => {
            note('undo wires');
            if (failures-- > 0) throw new Error('a flicker');
          },
          retry: quick,
        })
        .step('fail', { do: async () => new Halt('no power'), undo: nothing });
      await sagas.serve([saga]);
      const run = await runOf(saga, {});
      expect(run).toMatchObject({ state: 'stuck', step: 'disk' });
      expect(run.reason).toContain('the disk is busy');
      expect(run.reason).toContain('no power');
      expect(notes).toEqual(['undo wires', 'undo wires', 'undo disk', 'undo disk', 'undo disk']);
    });

    it('counts an attempt that takes too long as failed and tells it so', async () => {
      const saga = defineSaga<object>('suite.slow', 1).step('hang', {
        do: ({ signal }) =>
          new Promise((_, reject) => signal.addEventListener('abort', () => reject(note('told to stop')))),
        undo: nothing,
        retry: { ...quick, attempts: 2 },
        attemptMs: 50,
      });
      await sagas.serve([saga]);
      expect(await runOf(saga, {})).toMatchObject({ state: 'undone', reason: 'took longer than 50 ms' });
      expect(notes).toEqual(['told to stop', 'told to stop']);
    });

    it('carries params and results as JSON, and refuses what JSON would bend', async () => {
      const deep = { text: 'ä \u0001 "', list: [1, null, { a: false }], big: 2 ** 53 - 1, gone: undefined };
      const { gone, ...kept } = deep;
      const seen: unknown[] = [gone];
      const saga = defineSaga<typeof deep>('suite.json', 1)
        .step('echo', { do: async ({ params }) => ({ ...params, more: [] as string[] }), undo: nothing })
        .step('read', { do: async ({ params, done }) => void seen.push(params, done.echo), undo: nothing })
        .step('date', { do: async () => new Date(0), undo: nothing, retry: quick });
      await sagas.serve([saga]);
      const run = await runOf(saga, deep);
      expect(seen).toEqual([undefined, kept, { ...kept, more: [] }]);
      expect(run).toMatchObject({ state: 'undone', step: 'date' });
      expect(run.reason).toContain('is a Date');
      await expect(sagas.start(saga, systemIds.next(), { ...deep, big: 1n as never }, origin)).rejects.toThrow(
        'bigint',
      );
    });

    it('shows where a run is, and nothing of a run that is not', async () => {
      const gate = Promise.withResolvers<void>();
      const saga = defineSaga<object>('suite.look', 1)
        .step('one', { do: async () => 1, undo: nothing })
        .step('two', { do: () => gate.promise, undo: nothing })
        .step('three', { do: async () => 3, undo: nothing });
      await sagas.serve([saga]);
      const id = systemIds.next();
      expect(await sagas.look(saga, id)).toBeUndefined();
      await sagas.start(saga, id, {}, origin);
      await vi.waitUntil(async () => (await sagas.look(saga, id))?.step === 'two', { timeout: 15_000 });
      expect(await sagas.look(saga, id)).toEqual({ id, state: 'running', step: 'two', reason: undefined });
      gate.resolve();
      expect(await bench.ended(sagas, saga, id)).toEqual({ id, state: 'done', step: 'three', reason: undefined });
    });

    it('keeps two sagas with the same id apart, and fifty runs from each other', async () => {
      const count = (name: string) =>
        defineSaga<{ n: number }>(name, 1)
          .step('double', { do: async ({ params }) => params.n * 2, undo: nothing })
          .step('note', { do: async ({ done }) => note(`${name} ${done.double}`), undo: nothing });
      const [left, right] = [count('suite.left'), count('suite.right')];
      await sagas.serve([left, right]);
      const runs = Array.from({ length: 25 }, (_, n) => ({ n, id: systemIds.next() }));
      await Promise.all(runs.flatMap(({ n, id }) => [left, right].map((saga) => sagas.start(saga, id, { n }, origin))));
      for (const { id } of runs) {
        expect((await bench.ended(sagas, left, id)).state).toBe('done');
        expect((await bench.ended(sagas, right, id)).state).toBe('done');
      }
      expect(notes.sort()).toEqual(runs.flatMap(({ n }) => [`suite.left ${n * 2}`, `suite.right ${n * 2}`]).sort());
    });

    it('finishes a run on the version that it began with', async () => {
      const answer = Type.Object({});
      let token = '';
      const version = (number: number) =>
        defineSaga<object>('suite.versions', number)
          .wait('ready', {
            ask: async (_, asked) => {
              if (number === 1) token = asked;
              else await sagas.answer(asked, {});
            },
            answer,
            timeoutMs: 60_000,
            undo: nothing,
          })
          .step('note', { do: async () => note(`version ${number}`), undo: nothing });
      const [one, two] = [version(1), version(2)];
      await sagas.serve([two]);
      const [older, newer] = [systemIds.next(), systemIds.next()];
      await sagas.start(one, older, {}, origin);
      await sagas.start(two, newer, {}, origin);
      await bench.ended(sagas, two, newer);
      expect(notes).toEqual(['version 2']);
      expect(await sagas.look(one, older)).toMatchObject({ state: 'running' });
      await sagas.serve([one]);
      await vi.waitUntil(() => token, { timeout: 15_000 });
      expect(await sagas.answer(token, {})).toBe('accepted');
      await bench.ended(sagas, one, older);
      expect(notes).toEqual(['version 2', 'version 1']);
    });

    it('is opened by several parts of one process, and each gets the work of its own sagas', async () => {
      const named = (name: string) =>
        defineSaga<object>(name, 1).step('note', { do: async () => note(name), undo: nothing });
      const [left, right] = [named('suite.part-one'), named('suite.part-two')];
      const other = await bench.open('other part');
      await Promise.all([sagas.serve([left]), other.serve([right])]);
      await Promise.all([runOf(left, {}), runOf(right, {})]);
      expect(notes.sort()).toEqual(['suite.part-one', 'suite.part-two']);
      await bench.close(other);
      expect(await runOf(left, {})).toMatchObject({ state: 'done' });
    });

    describe('a wait', () => {
      const Answer = Type.Object({ proof: Type.String() });
      const waiting = (name: string, timeoutMs: number, ask: (token: string) => Promise<void>) =>
        defineSaga<object>(name, 1)
          .step('before', { do: async () => 0, undo: async () => note('undo before') })
          .wait('boot', {
            ask: (_, token) => ask(token),
            answer: Answer,
            timeoutMs,
            undo: async (_, out) => note(`undo boot ${out.proof}`),
            retry: quick,
          })
          .step('after', {
            do: async ({ done }) => (done.boot.proof === 'bad' ? new Halt('bad proof') : note(done.boot.proof)),
            undo: nothing,
          });
      const asked = async (saga: ReturnType<typeof waiting>, token: () => string | undefined) => {
        await sagas.serve([saga]);
        const id = systemIds.next();
        await sagas.start(saga, id, {}, origin);
        await vi.waitUntil(token, { timeout: 15_000 });
        return id;
      };

      it('sleeps until its token is answered; the first answer counts', async () => {
        let token = '';
        const saga = waiting('suite.answered', 60_000, async (given) => {
          token = given;
        });
        const id = await asked(saga, () => token);
        const answers = await Promise.all(['a', 'b', 'c'].map((proof) => sagas.answer(token, { proof })));
        expect(answers.sort()).toEqual(['accepted', 'already answered', 'already answered']);
        expect(await bench.ended(sagas, saga, id)).toMatchObject({ state: 'done' });
        expect(notes).toHaveLength(1);
        expect(await sagas.answer(token, { proof: 'd' })).toBe('already answered');
      });

      it('takes an answer that comes before the question was put', async () => {
        const said: string[] = [];
        const saga = waiting('suite.early', 60_000, async (token) => {
          said.push(await sagas.answer(token, { proof: 'early' }));
        });
        const id = await asked(saga, () => said[0]);
        expect(await bench.ended(sagas, saga, id)).toMatchObject({ state: 'done' });
        expect(said).toEqual(['accepted']);
        expect(notes).toEqual(['early']);
      });

      it('repeats a failed question with the same token, and another run has another', async () => {
        const tokens: string[] = [];
        const saga = waiting('suite.again', 60_000, async (token) => {
          tokens.push(token);
          if (tokens.length === 1) throw new Error('the line was busy');
          await sagas.answer(token, { proof: 'x' });
        });
        const id = await asked(saga, () => tokens[1]);
        expect(await bench.ended(sagas, saga, id)).toMatchObject({ state: 'done' });
        expect(tokens[1]).toBe(tokens[0]);
        await runOf(saga, {});
        expect(tokens[2]).not.toBe(tokens[0]);
      });

      it('refuses an invalid answer and goes on waiting', async () => {
        let token = '';
        const saga = waiting('suite.invalid', 60_000, async (given) => {
          token = given;
        });
        const id = await asked(saga, () => token);
        expect(await sagas.answer(token, { proof: 1 })).toBe('invalid');
        expect(await sagas.answer(token, undefined)).toBe('invalid');
        expect(await sagas.answer(token, { proof: 'good' })).toBe('accepted');
        expect(await bench.ended(sagas, saga, id)).toMatchObject({ state: 'done' });
        expect(notes).toEqual(['good']);
      });

      it('does not know a token that nobody was given', async () => {
        let token = '';
        const saga = waiting('suite.unknown', 60_000, async (given) => {
          token = given;
        });
        const id = await asked(saga, () => token);
        const [name, seal] = token.split('.');
        const other = Buffer.from(JSON.stringify([`suite.unknown/${systemIds.next()}`, 'boot'])).toString('base64url');
        for (const forged of ['', 'x', `${name}.${seal}x`, `${name}.${seal?.toLowerCase()}`, `${other}.${seal}`]) {
          expect(await sagas.answer(forged, { proof: 'forged' })).toBe('unknown');
        }
        await sagas.answer(token, { proof: 'real' });
        await bench.ended(sagas, saga, id);
        expect(notes).toEqual(['real']);
      });

      it('is a failure when nobody answers in time, and then it is too late', async () => {
        let token = '';
        const saga = waiting('suite.late', 100, async (given) => {
          token = given;
        });
        const id = await asked(saga, () => token);
        const run = await bench.ended(sagas, saga, id);
        expect(run).toMatchObject({ state: 'undone', step: 'boot', reason: 'no answer within 100 ms' });
        expect(notes).toEqual(['undo before']);
        expect(await sagas.answer(token, { proof: 'late' })).toBe('unknown');
      });

      it('takes no answer while the steps before it are being undone', async () => {
        let token = '';
        const gate = Promise.withResolvers<void>();
        const saga = defineSaga<object>('suite.closing', 1)
          .step('before', { do: async () => 0, undo: () => gate.promise })
          .wait('boot', {
            ask: async (_, given) => {
              token = given;
            },
            answer: Answer,
            timeoutMs: 50,
            undo: nothing,
          });
        await sagas.serve([saga]);
        const id = systemIds.next();
        await sagas.start(saga, id, {}, origin);
        const step = async () => token && (await sagas.look(saga, id))?.step === 'before';
        await vi.waitUntil(step, { timeout: 15_000 });
        expect(await sagas.answer(token, { proof: 'late' })).toBe('unknown');
        gate.resolve();
        expect(await bench.ended(sagas, saga, id)).toMatchObject({ state: 'undone', step: 'boot' });
      });

      it('is undone with its answer when a later step gives up', async () => {
        const saga = waiting('suite.bad', 60_000, async (token) => void (await sagas.answer(token, { proof: 'bad' })));
        await sagas.serve([saga]);
        expect(await runOf(saga, {})).toMatchObject({ state: 'undone', step: 'after', reason: 'bad proof' });
        expect(notes).toEqual(['undo boot bad', 'undo before']);
      });

      it('gives up when the question cannot be put, and wants no answer any more', async () => {
        let token = '';
        const saga = waiting('suite.mute', 60_000, async (given) => {
          token = given;
          throw new Error('no line');
        });
        await sagas.serve([saga]);
        expect(await runOf(saga, {})).toMatchObject({ state: 'undone', step: 'boot', reason: 'no line' });
        expect(await sagas.answer(token, { proof: 'x' })).toBe('unknown');
      });
    });

    describeCrashes(bench);
    describeOrders(bench);

    it('answers a check while the engine is there', async () => {
      await expect(sagas.check()).resolves.toBeUndefined();
    });
  });
}
