// reported as no-float-money: parseFloat guesses
export const price = (text: string) => Number.parseFloat(text);
