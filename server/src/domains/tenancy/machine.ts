import { projectMachine } from '@gpuaas/contract';
import { makeAdvance } from '../../kernel/machine.ts';
import { lockProject, moveProject } from './store.ts';

/** The only code that changes a project's state. */
export const advanceProject = makeAdvance(projectMachine, { lock: lockProject, move: moveProject });
