import type { MachineTable } from '../machine.ts';
import { allocation } from './allocation.ts';
import { appArtifact } from './app-artifact.ts';
import { appInstance } from './app-instance.ts';
import { appTrust } from './app-trust.ts';
import { billingAccount } from './billing-account.ts';
import { deadLetter } from './dead-letter.ts';
import { department } from './department.ts';
import { invitation } from './invitation.ts';
import { invoice } from './invoice.ts';
import { maasJob } from './maas-job.ts';
import { node } from './node.ts';
import { nodeTask } from './node-task.ts';
import { payment } from './payment.ts';
import { project } from './project.ts';
import { serviceAccount } from './service-account.ts';
import { signer } from './signer.ts';
import { slot } from './slot.ts';
import { terminalSession } from './terminal-session.ts';

export const machines: readonly MachineTable[] = [
  allocation,
  appArtifact,
  appInstance,
  appTrust,
  billingAccount,
  deadLetter,
  department,
  invitation,
  invoice,
  maasJob,
  node,
  nodeTask,
  payment,
  project,
  serviceAccount,
  signer,
  slot,
  terminalSession,
];
export { endedBy, type TimedState, type Wait, waits } from './waits.ts';
export {
  allocation as allocationMachine,
  appArtifact as appArtifactMachine,
  appInstance as appInstanceMachine,
  appTrust as appTrustMachine,
  billingAccount as billingAccountMachine,
  deadLetter as deadLetterMachine,
  department as departmentMachine,
  invitation as invitationMachine,
  invoice as invoiceMachine,
  maasJob as maasJobMachine,
  node as nodeMachine,
  nodeTask as nodeTaskMachine,
  payment as paymentMachine,
  project as projectMachine,
  serviceAccount as serviceAccountMachine,
  signer as signerMachine,
  slot as slotMachine,
  terminalSession as terminalSessionMachine,
};
