import type { MachineTable } from '../machine.ts';
import { deadLetter } from './dead-letter.ts';
import { department } from './department.ts';
import { invitation } from './invitation.ts';
import { project } from './project.ts';
import { serviceAccount } from './service-account.ts';

export const machines: readonly MachineTable[] = [deadLetter, department, invitation, project, serviceAccount];
export {
  deadLetter as deadLetterMachine,
  department as departmentMachine,
  invitation as invitationMachine,
  project as projectMachine,
  serviceAccount as serviceAccountMachine,
};
