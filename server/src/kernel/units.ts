/** Lengths of time, so that no domain writes a number whose meaning has to be counted out in zeros. */
export const secondMs = 1_000;
export const minuteMs = 60 * secondMs;
export const hourMs = 60 * minuteMs;
export const dayMs = 24 * hourMs;
