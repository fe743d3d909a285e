import { defineSaga } from '../../../kernel/saga.ts';
import { forgetHost } from '../../nodes/index.ts';
import { eraseMs } from '../facts.ts';
import { finish, giveUp, type MaasSagaParts, type OfJob } from './parts.ts';
import { cutOff, erase, until } from './steps.ts';
import { linkMachine } from './store.ts';

/** The end of a machine with us: cut off, erased, given back; then its node is removed. Without the erase nothing is forgotten. */
export const makeMaasDecommission = (parts: MaasSagaParts) =>
  defineSaga<OfJob>('maas.decommission', 1)
    .onFailure('given_up', { undo: (context) => giveUp(parts, context) })
    .step('cut_off', {
      do: cutOff(parts),
      undo: { none: 'A host that was to be erased is not trusted again before it is imaged.' },
    })
    .step('erase', { do: erase(parts), undo: { none: 'What is erased stays erased.' } })
    .wait('ready', until(parts, 'awaiting_ready', eraseMs, 'It only waits.'))
    .step('finish', {
      do: (context) =>
        finish(parts, context, async (tx, job) => {
          if (job.node_id !== null) await forgetHost(tx, job.node_id, `Its machine was given back: ${job.reason}`);
          await linkMachine(tx, job, null);
        }),
      undo: { none: 'The last step: nothing follows that could fail.' },
    });
