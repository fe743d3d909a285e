import { Type } from 'typebox';
import { describe, expect, it } from 'vitest';
import { defineSaga, type Undo } from '../kernel/saga.ts';
import { everyStepMayFail, everyStepMayRunTwice, everyUndoMayRunTwice, type SagaWorld } from './sagas.ts';

/** A warehouse with one mistake to choose, or none. */
type Mistake = 'none' | 'takes twice' | 'gives back twice' | 'forgets to give back' | 'leaves the question open';
interface Params {
  readonly order: string;
}

const makeWorld = (mistake: Mistake) => (): SagaWorld<Params> => {
  let stock = 10;
  const taken = new Set<string>();
  const questions = new Set<string>();
  const give = async (order: string) => {
    if (taken.delete(order) || mistake === 'gives back twice') stock += 1;
    if (mistake !== 'leaves the question open') questions.clear();
  };
  const giveBack: Undo<Params, unknown, unknown> =
    mistake === 'forgets to give back' ? { none: 'nobody thought of it' } : ({ params }) => give(params.order);
  const saga = defineSaga<Params>('warehouse.ship', 1)
    .step('take', {
      do: async ({ params }) => {
        if (!taken.has(params.order) || mistake === 'takes twice') stock -= 1;
        taken.add(params.order);
        return { stock };
      },
      undo: giveBack,
    })
    .wait('pay', {
      ask: async (_, token) => void questions.add(token),
      answer: Type.Object({ paid: Type.Boolean() }),
      timeoutMs: 1_000,
      undo: { none: 'money is returned by hand' },
    })
    .step('send', { do: async ({ done }) => done.pay.paid, undo: { none: 'it is the last step' } });
  return {
    params: { order: 'a' },
    saga,
    look: () => ({ stock, taken: [...taken], questions: questions.size }),
    answer: () => ({ paid: true }),
  };
};
const check = async (mistake: Mistake, test: typeof everyStepMayFail) => {
  const world = makeWorld(mistake);
  const { saga } = world();
  if (saga) await test(saga, world);
};

describe('the tests that every saga gets', () => {
  it('pass a saga that may be interrupted anywhere', async () => {
    await expect(check('none', everyStepMayFail)).resolves.toBeUndefined();
    await expect(check('none', everyStepMayRunTwice)).resolves.toBeUndefined();
    await expect(check('none', everyUndoMayRunTwice)).resolves.toBeUndefined();
  });

  it('find a step that does its work again when it runs again', async () => {
    await expect(check('takes twice', everyStepMayRunTwice)).rejects.toThrow(/when take runs twice: .*"stock":8/);
  });

  it('find an undo that gives back again when it runs again', async () => {
    await expect(check('gives back twice', everyStepMayFail)).resolves.toBeUndefined();
    await expect(check('gives back twice', everyUndoMayRunTwice)).rejects.toThrow(/pay fails and undos run twice/);
  });

  it('find what nobody undoes', async () => {
    await expect(check('forgets to give back', everyStepMayFail)).rejects.toThrow(/when pay fails: .*"stock":9/);
  });

  it('find what a question leaves behind when nobody answers it', async () => {
    await expect(check('leaves the question open', everyStepMayFail)).rejects.toThrow(/when pay is not answered/);
  });

  it('refuse a world whose answer does not fit the wait', async () => {
    const world = () => ({ ...makeWorld('none')(), answer: () => ({ paid: 'yes' }) });
    const { saga } = world();
    expect(saga).toBeDefined();
    if (saga) await expect(everyStepMayRunTwice(saga, world)).rejects.toThrow("the world's answer does not fit");
  });

  it('find a result that would not survive being written down', async () => {
    const saga = defineSaga<object>('bad.result', 1).step('now', {
      do: async () => new Date(0),
      undo: { none: 'time passes anyway' },
    });
    await expect(everyStepMayRunTwice(saga, () => ({ params: {}, look: () => 0 }))).rejects.toThrow('is a Date');
  });
});
