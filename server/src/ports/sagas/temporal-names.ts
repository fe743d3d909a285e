/** The memo's note that a wait takes no more answers. Both sides of the sandbox use it. */
export const closedNote = (step: string): string => `closed ${step}`;
