import type { MachineTable } from '../machine.ts';
import { deadLetter } from './dead-letter.ts';
import { project } from './project.ts';

export const machines: readonly MachineTable[] = [deadLetter, project];
export { deadLetter as deadLetterMachine, project as projectMachine };
