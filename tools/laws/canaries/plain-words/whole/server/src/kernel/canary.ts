/** Concurrent requests of one caller wait on the row lock. */
export const one = 1;
