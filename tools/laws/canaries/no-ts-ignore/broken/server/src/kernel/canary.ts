// reported as no-silence: say what is wrong instead
// @ts-ignore it is fine
export const one: number = 'one';
