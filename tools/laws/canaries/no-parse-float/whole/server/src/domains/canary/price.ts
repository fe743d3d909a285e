export const price = (text: string) => BigInt(text);
