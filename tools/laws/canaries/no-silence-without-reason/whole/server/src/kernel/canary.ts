// oxlint-disable-next-line no-debugger -- nothing is debugged here
export const one = 1;
