// reported as no-silence: give the reason
// oxlint-disable-next-line no-debugger
export const one = 1;
