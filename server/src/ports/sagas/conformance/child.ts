import { Type } from 'typebox';
import { systemClock } from '../../../kernel/clock.ts';
import { systemIds } from '../../../kernel/id.ts';
import { defineSaga } from '../../../kernel/saga.ts';
import { silentLog } from '../../../kernel/telemetry/log.ts';
import { openSagas, type SagasConfig } from '../open.ts';

/**
 * A process that the suite may kill: it serves one saga and tells its parent which step it is in. In the step `holds`
 * it stays for ever. Called to `finish`, it closes the port and has then nothing left to live for.
 */
export interface ChildOrders {
  readonly config: SagasConfig;
  readonly holds?: string;
}

const patience = { attempts: 3, firstDelayMs: 10, maxDelayMs: 20 };

export const crashingSaga = (tell: (step: string) => void, holds?: string) => {
  const work = (step: string) => async () => {
    tell(step);
    if (step === holds) await new Promise(() => undefined);
    return { step };
  };
  const nothing = { none: 'the steps of this saga only talk' };
  return defineSaga<{ note: string }>('suite.crashing', 1)
    .step('first', { do: work('first'), undo: nothing, retry: patience })
    .step('second', { do: work('second'), undo: nothing, retry: patience })
    .step('third', { do: work('third'), undo: nothing, retry: patience });
};

const never = { attempts: 2, firstDelayMs: 60_000, maxDelayMs: 60_000 };
/** One that waits long for an answer, and one that pauses long before it tries again. */
export const sleepingSagas = (tell: (step: string) => void) => [
  defineSaga<object>('suite.waiting', 1).wait('long', {
    ask: async () => tell('waiting'),
    answer: Type.Object({}),
    timeoutMs: 60_000,
    undo: { none: 'nothing was done' },
  }),
  defineSaga<object>('suite.pausing', 1).step('long', {
    do: async () => {
      tell('pausing');
      throw new Error('not now');
    },
    undo: { none: 'nothing was done' },
    retry: never,
  }),
];

if (import.meta.main) {
  const tell = (word: string) => void process.send?.(word);
  const orders = JSON.parse(process.argv[2] ?? '{}') as ChildOrders;
  const sagas = await openSagas(orders.config, { clock: systemClock, ids: systemIds, log: silentLog });
  await sagas.serve([crashingSaga(tell, orders.holds), ...sleepingSagas(tell)]);
  process.once('message', () => {
    sagas.close().then(
      () => process.disconnect(),
      () => process.exit(1),
    );
  });
  tell('ready');
}
