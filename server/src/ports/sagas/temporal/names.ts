/** The memo's note that a wait takes no more answers. Both sides of the sandbox use it. */
export const closedNote = (step: string): string => `closed ${step}`;
/** The notes that a run was cancelled, and that it is stuck. The latter is removed when an operator retries it. */
export const calledOffNote = 'calledOff';
export const stuckNote = 'stuck';
export interface StuckNote {
  readonly step: string;
  readonly reason: string;
}
