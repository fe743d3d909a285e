// reported as lint/suspicious/noExplicitAny: any
export const open = (value: any) => value;
