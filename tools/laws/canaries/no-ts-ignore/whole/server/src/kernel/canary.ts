// @ts-expect-error a text is no number
export const one: number = 'one';
