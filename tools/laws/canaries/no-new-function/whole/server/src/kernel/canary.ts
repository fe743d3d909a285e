export const compile = (text: string) => text.length;
