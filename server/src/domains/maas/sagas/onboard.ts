import { defineSaga } from '../../../kernel/saga.ts';
import { withdrawHost } from '../../nodes/index.ts';
import { commissionMs } from '../facts.ts';
import { failJob, finish, type MaasSagaParts, type OfJob } from './parts.ts';
import {
  allocate,
  announce,
  commission,
  deploy,
  releaseMachine,
  waitFor,
  waitForDeployment,
  waitForEnrolment,
} from './steps.ts';
import { linkMachine } from './store.ts';

/**
 * Makes a node of a machine in MAAS: commissions it, allocates it, deploys it with the agent, and waits until it enrols with the token
 * of its deployment. The saga `node.onboard` then checks the hardware. After a failure the machine is released, erased if its disks may
 * hold data, and the new node is removed.
 */
export const makeMaasOnboard = (parts: MaasSagaParts) =>
  defineSaga<OfJob>('maas.onboard', 1)
    .onFailure('given_up', {
      undo: (context) =>
        failJob(parts, context, async (tx, job, problem) => {
          if (job.node_id === null) return;
          await withdrawHost(tx, job.node_id, `Its machine could not be made a node: ${problem}`);
          await linkMachine(tx, job, null);
        }),
    })
    .onFailure('given_back', { undo: (context) => releaseMachine(parts, context) })
    .step('commission', {
      do: commission(parts),
      undo: { none: 'A machine that MAAS has looked at is as free as before.' },
    })
    .wait('ready', waitFor(parts, 'awaiting_ready', commissionMs, 'It only waits.'))
    .step('announce', { do: announce(parts), undo: { none: 'The undo that fails the job withdraws the node.' } })
    .step('allocate', { do: allocate(parts), undo: { none: 'Another undo releases the machine.' } })
    .step('deploy', { do: deploy(parts), undo: { none: 'Another undo releases the machine, erased.' } })
    .wait('deployed', waitForDeployment(parts))
    .wait('enrolled', waitForEnrolment(parts))
    .step('finish', {
      do: (context) => finish(parts, context),
      undo: { none: 'The last step: nothing follows that could fail.' },
    });
