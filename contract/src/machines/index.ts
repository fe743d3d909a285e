import type { Machine } from '../machine.ts';
import { deadLetter } from './dead-letter.ts';
import { project } from './project.ts';

export const machines: readonly Machine[] = [deadLetter, project];
export { deadLetter as deadLetterMachine, project as projectMachine };
