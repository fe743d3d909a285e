// reported as plugin: Time comes from the Clock
export const guess = () => Math.random();
