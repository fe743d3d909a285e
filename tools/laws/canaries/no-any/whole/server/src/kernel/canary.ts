export const open = (value: unknown) => value;
