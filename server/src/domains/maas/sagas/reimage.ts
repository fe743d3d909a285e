import { defineSaga } from '../../../kernel/saga.ts';
import { revokeNode } from '../../nodes/index.ts';
import { eraseMs } from '../facts.ts';
import { failJob, finish, type MaasSagaParts, type OfJob } from './parts.ts';
import {
  allocate,
  deploy,
  erase,
  releaseMachine,
  revokeHost,
  waitFor,
  waitForDeployment,
  waitForEnrolment,
} from './steps.ts';

/**
 * Erases a host and deploys it again. The host proves it by enrolling with the token of the new deployment; its old key and certificate
 * are revoked in the first step. After a failure the machine stays erased and released, its node stays revoked, and the run that asked
 * for the proof gets none: slots that wait for it are not sold.
 */
export const makeMaasReimage = (parts: MaasSagaParts) =>
  defineSaga<OfJob>('maas.reimage', 1)
    .onFailure('given_up', {
      undo: (context) =>
        failJob(parts, context, async (tx, job, problem) => {
          // Revokes the token of the deployment too, and a certificate that a host got with it.
          if (job.node_id !== null) await revokeNode(tx, job.node_id, `its reimage failed: ${problem}`);
        }),
    })
    .onFailure('given_back', { undo: (context) => releaseMachine(parts, context) })
    .step('cut_off', {
      do: revokeHost(parts),
      undo: { none: 'A host that was to be erased is not trusted again before it is imaged.' },
    })
    .step('erase', { do: erase(parts), undo: { none: 'What is erased stays erased.' } })
    .wait('ready', waitFor(parts, 'awaiting_ready', eraseMs, 'It only waits.'))
    .step('allocate', { do: allocate(parts), undo: { none: 'Another undo releases the machine.' } })
    .step('deploy', { do: deploy(parts), undo: { none: 'Another undo releases the machine, erased.' } })
    .wait('deployed', waitForDeployment(parts))
    .wait('enrolled', waitForEnrolment(parts))
    .step('finish', {
      do: (context) => finish(parts, context),
      undo: { none: 'The last step: nothing follows that could fail.' },
    });
