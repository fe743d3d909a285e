import { defineSaga, Halt } from '../../../kernel/saga.ts';
import { holdings } from '../../nodes/index.ts';
import { commissionMs, powerMs } from '../facts.ts';
import { whyNotNow } from '../rules.ts';
import { answerOf, atWork, finish, giveUp, intend, type MaasSagaParts, type OfJob } from './parts.ts';
import { commission, until } from './steps.ts';

const last = (parts: MaasSagaParts) => ({
  do: (context: Parameters<typeof finish>[1]) => finish(parts, context),
  undo: { none: 'The last step: nothing follows that could fail.' },
});

/** MAAS looks at the hardware of a machine once more. */
export const makeMaasCommission = (parts: MaasSagaParts) =>
  defineSaga<OfJob>('maas.commission', 1)
    .onFailure('given_up', { undo: (context) => giveUp(parts, context) })
    .step('commission', {
      do: commission(parts, true),
      undo: { none: 'A machine that MAAS has looked at is as free as before.' },
    })
    .wait('ready', until(parts, 'awaiting_ready', commissionMs, 'It only waits.'))
    .step('finish', last(parts));

/** The power of a machine is switched, and seen to be. */
export const makeMaasPower = (parts: MaasSagaParts, to: 'on' | 'off') =>
  defineSaga<OfJob>(`maas.power_${to}`, 1)
    .onFailure('given_up', { undo: (context) => giveUp(parts, context) })
    .step('switch', {
      do: async (context) => {
        const found = await atWork(parts, context);
        if (found instanceof Halt) return found;
        const { job, site } = found;
        let why: string | undefined;
        await intend(parts, context.act, job, `switching_${to}`, async (tx) => {
          why = await whyNotNow(tx, job, holdings);
          return why === undefined ? {} : { refused: why };
        });
        if (why !== undefined) return { problem: why };
        return answerOf(`MAAS does not switch it ${to}`, await site.power(job.system_id, to, job.reason));
      },
      undo: { none: 'A person asked for it, and a person switches it back.' },
    })
    .wait('switched', until(parts, to === 'on' ? 'awaiting_on' : 'awaiting_off', powerMs, 'It only waits.'))
    .step('finish', last(parts));
