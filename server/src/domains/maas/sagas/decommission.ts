import { defineSaga } from '../../../kernel/saga.ts';
import { forgetHost } from '../../nodes/index.ts';
import { eraseMs } from '../facts.ts';
import { failJob, finish, type MaasSagaParts, type OfJob } from './parts.ts';
import { erase, revokeHost, waitFor } from './steps.ts';
import { linkMachine } from './store.ts';

/** Revokes a host, has MAAS erase and release its machine, and then removes the node. A machine that was not erased keeps its node. */
export const makeMaasDecommission = (parts: MaasSagaParts) =>
  defineSaga<OfJob>('maas.decommission', 1)
    .onFailure('given_up', { undo: (context) => failJob(parts, context) })
    .step('cut_off', {
      do: revokeHost(parts),
      undo: { none: 'A host that was to be erased is not trusted again before it is imaged.' },
    })
    .step('erase', { do: erase(parts), undo: { none: 'What is erased stays erased.' } })
    .wait('ready', waitFor(parts, 'awaiting_ready', eraseMs, 'It only waits.'))
    .step('finish', {
      do: (context) =>
        finish(parts, context, async (tx, job) => {
          if (job.node_id !== null) await forgetHost(tx, job.node_id, `Its machine was given back: ${job.reason}`);
          await linkMachine(tx, job, null);
        }),
      undo: { none: 'The last step: nothing follows that could fail.' },
    });
