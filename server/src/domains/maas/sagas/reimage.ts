import { defineSaga } from '../../../kernel/saga.ts';
import { revokeNode } from '../../nodes/index.ts';
import { eraseMs } from '../facts.ts';
import { finish, giveUp, type MaasSagaParts, type OfJob } from './parts.ts';
import { allocate, cutOff, deploy, erase, giveBack, until, untilDeployed, untilEnrolled } from './steps.ts';

/**
 * A host is erased and deployed anew, and proves it by enrolling with the token of the new deployment. Its old key and certificate
 * open nothing from the first step on. When anything fails the machine stays erased and free, its node stays cut off, and the run
 * that asked for the proof learns that there is none: slots that wait for it are not sold.
 */
export const makeMaasReimage = (parts: MaasSagaParts) =>
  defineSaga<OfJob>('maas.reimage', 1)
    .onFailure('given_up', {
      undo: (context) =>
        giveUp(parts, context, async (tx, job, problem) => {
          // The token of the deployment is void as well, and so is what a host made of it meanwhile.
          if (job.node_id !== null) await revokeNode(tx, job.node_id, `its reimage failed: ${problem}`);
        }),
    })
    .onFailure('given_back', { undo: (context) => giveBack(parts, context) })
    .step('cut_off', {
      do: cutOff(parts),
      undo: { none: 'A host that was to be erased is not trusted again before it is imaged.' },
    })
    .step('erase', { do: erase(parts), undo: { none: 'What is erased stays erased.' } })
    .wait('ready', until(parts, 'awaiting_ready', eraseMs, 'It only waits.'))
    .step('allocate', { do: allocate(parts), undo: { none: 'Another undo gives the machine back.' } })
    .step('deploy', { do: deploy(parts), undo: { none: 'Another undo gives the machine back, erased.' } })
    .wait('deployed', untilDeployed(parts))
    .wait('enrolled', untilEnrolled(parts))
    .step('finish', {
      do: (context) => finish(parts, context),
      undo: { none: 'The last step: nothing follows that could fail.' },
    });
