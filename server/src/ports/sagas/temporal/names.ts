/** The memo's note that a wait takes no more answers. Both sides of the sandbox use it. */
export const closedNote = (step: string): string => `closed ${step}`;
/** The notes that a run was called off, and that it is stuck. The latter goes away when somebody has it tried again. */
export const calledOffNote = 'calledOff';
export const stuckNote = 'stuck';
export interface StuckNote {
  readonly step: string;
  readonly reason: string;
}
