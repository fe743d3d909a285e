import { departmentMachine, invitationMachine, projectMachine } from '@gpuaas/contract';
import { makeAdvance } from '../../kernel/machine.ts';
import { lockDepartment, moveDepartment } from './departments/departments-store.ts';
import { lockInvitation, moveInvitation } from './invitations/invitations-store.ts';
import { lockProject, moveProject } from './store.ts';

/** The only code that changes the state of a project, a department or an invitation. */
export const advanceProject = makeAdvance(projectMachine, { lock: lockProject, move: moveProject });
export const advanceDepartment = makeAdvance(departmentMachine, { lock: lockDepartment, move: moveDepartment });
export const advanceInvitation = makeAdvance(invitationMachine, { lock: lockInvitation, move: moveInvitation });
