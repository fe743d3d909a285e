import { defineSaga, Halt } from '../../../kernel/saga.ts';
import { holdings } from '../../nodes/index.ts';
import { commissionMs, powerMs } from '../facts.ts';
import { startProblem } from '../preconditions.ts';
import { failJob, finish, type MaasSagaParts, type OfJob, outcomeOf, readRunningJob, recordPhase } from './parts.ts';
import { commission, waitFor } from './steps.ts';

const last = (parts: MaasSagaParts) => ({
  do: (context: Parameters<typeof finish>[1]) => finish(parts, context),
  undo: { none: 'The last step: nothing follows that could fail.' },
});

/** Has MAAS inspect the hardware of a machine again. */
export const makeMaasCommission = (parts: MaasSagaParts) =>
  defineSaga<OfJob>('maas.commission', 1)
    .onFailure('given_up', { undo: (context) => failJob(parts, context) })
    .step('commission', {
      do: commission(parts, true),
      undo: { none: 'A machine that MAAS has looked at is as free as before.' },
    })
    .wait('ready', waitFor(parts, 'awaiting_ready', commissionMs, 'It only waits.'))
    .step('finish', last(parts));

/** Switches the power of a machine, and waits until MAAS reports it. */
export const makeMaasPower = (parts: MaasSagaParts, to: 'on' | 'off') =>
  defineSaga<OfJob>(`maas.power_${to}`, 1)
    .onFailure('given_up', { undo: (context) => failJob(parts, context) })
    .step('switch', {
      do: async (context) => {
        const found = await readRunningJob(parts, context);
        if (found instanceof Halt) return found;
        const { job, site } = found;
        let why: string | undefined;
        await recordPhase(parts, context.act, job, `switching_${to}`, async (tx) => {
          why = await startProblem(tx, job, holdings);
          return why === undefined ? {} : { refused: why };
        });
        if (why !== undefined) return { problem: why };
        return outcomeOf(`MAAS does not switch it ${to}`, await site.power(job.system_id, to, job.reason));
      },
      undo: { none: 'A person asked for it, and a person switches it back.' },
    })
    .wait('switched', waitFor(parts, to === 'on' ? 'awaiting_on' : 'awaiting_off', powerMs, 'It only waits.'))
    .step('finish', last(parts));
