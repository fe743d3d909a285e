// One is the first.
export const one = 1;
