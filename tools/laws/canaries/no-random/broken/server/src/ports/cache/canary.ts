// reported as no-random: can be neither foreseen nor trusted
export const jitter = () => Math.random();
