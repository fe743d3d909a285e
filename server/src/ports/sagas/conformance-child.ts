import { systemClock } from '../../kernel/clock.ts';
import { systemIds } from '../../kernel/id.ts';
import { silentLog } from '../../kernel/log.ts';
import { defineSaga } from '../../kernel/saga.ts';
import { openSagas, type SagasConfig } from './open.ts';

/**
 * A process that the suite may kill: it serves one saga and tells its parent which step it is in. In the step `holds`
 * it stays for ever. Told to `finish`, it closes the port and has then nothing left to live for.
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

if (import.meta.main) {
  const tell = (word: string) => void process.send?.(word);
  const orders = JSON.parse(process.argv[2] ?? '{}') as ChildOrders;
  const sagas = await openSagas(orders.config, { clock: systemClock, ids: systemIds, log: silentLog });
  await sagas.serve([crashingSaga(tell, orders.holds)]);
  process.once('message', async () => {
    await sagas.close();
    process.disconnect();
  });
  tell('ready');
}
