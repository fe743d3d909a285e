// reported as no-repeated-lists: a list of the contract is repeated here
const over = ['released', 'failed', 'release_failed'];
export const isOver = (state: string): boolean => over.includes(state);
