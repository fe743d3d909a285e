type State = 'available' | 'in_use' | 'reserved';
export const words: Readonly<Record<State, string>> = { available: 'free', in_use: 'used', reserved: 'taken' };
