import { defineSaga } from '../../../kernel/saga.ts';
import { withdrawHost } from '../../nodes/index.ts';
import { commissionMs } from '../facts.ts';
import { finish, giveUp, type MaasSagaParts, type OfJob } from './parts.ts';
import { allocate, announce, commission, deploy, giveBack, until, untilDeployed, untilEnrolled } from './steps.ts';
import { linkMachine } from './store.ts';

/**
 * From a machine that MAAS found to a node: commissioned, taken, deployed with the agent, enrolled with the token of its deployment.
 * Whether the node is any good is decided afterwards, by `node.onboard`. When anything fails the machine is given back, erased if
 * something was written, and the node that was announced is gone.
 */
export const makeMaasOnboard = (parts: MaasSagaParts) =>
  defineSaga<OfJob>('maas.onboard', 1)
    .onFailure('given_up', {
      undo: (context) =>
        giveUp(parts, context, async (tx, job, problem) => {
          if (job.node_id === null) return;
          await withdrawHost(tx, job.node_id, `Its machine could not be made a node: ${problem}`);
          await linkMachine(tx, job, null);
        }),
    })
    .onFailure('given_back', { undo: (context) => giveBack(parts, context) })
    .step('commission', {
      do: commission(parts),
      undo: { none: 'A machine that MAAS has looked at is as free as before.' },
    })
    .wait('ready', until(parts, 'awaiting_ready', commissionMs, 'It only waits.'))
    .step('announce', { do: announce(parts), undo: { none: 'The end of the job withdraws the node.' } })
    .step('allocate', { do: allocate(parts), undo: { none: 'Another undo gives the machine back.' } })
    .step('deploy', { do: deploy(parts), undo: { none: 'Another undo gives the machine back, erased.' } })
    .wait('deployed', untilDeployed(parts))
    .wait('enrolled', untilEnrolled(parts))
    .step('finish', {
      do: (context) => finish(parts, context),
      undo: { none: 'The last step: nothing follows that could fail.' },
    });
