// reported as no-repeated-lists: this table repeats a list of the contract
export const words: Readonly<Record<string, string>> = { available: 'free', in_use: 'used', reserved: 'taken' };
