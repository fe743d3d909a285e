export const jitter = (seed: number) => seed % 7;
