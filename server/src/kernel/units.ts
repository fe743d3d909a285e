// Names of units, so that no domain writes a number whose zeros a reader has to count.

export const secondMs = 1_000;
export const minuteMs = 60 * secondMs;
export const hourMs = 60 * minuteMs;
export const dayMs = 24 * hourMs;

/** Sizes that people set in MiB and GiB. */
export const mebibyte = 1_024 ** 2;
export const gibibyte = 1_024 ** 3;
