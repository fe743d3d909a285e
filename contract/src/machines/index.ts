import type { MachineTable } from '../machine.ts';
import { allocation } from './allocation.ts';
import { billingAccount } from './billing-account.ts';
import { deadLetter } from './dead-letter.ts';
import { department } from './department.ts';
import { invitation } from './invitation.ts';
import { invoice } from './invoice.ts';
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
  billingAccount,
  deadLetter,
  department,
  invitation,
  invoice,
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
  billingAccount as billingAccountMachine,
  deadLetter as deadLetterMachine,
  department as departmentMachine,
  invitation as invitationMachine,
  invoice as invoiceMachine,
  node as nodeMachine,
  nodeTask as nodeTaskMachine,
  payment as paymentMachine,
  project as projectMachine,
  serviceAccount as serviceAccountMachine,
  signer as signerMachine,
  slot as slotMachine,
  terminalSession as terminalSessionMachine,
};
