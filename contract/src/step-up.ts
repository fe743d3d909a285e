/** Changes of the fleet, the catalog, people or keys need a recent sign-in. */
export const recentSignIn = { maxAge: 'auth.step_up_max_age_seconds' } as const;

/** For operations that automation needs at night, on one object at a time. Each has an opposite that reverts it. */
export const oneAtATime = {
  unneeded: 'It changes one host, slot, message or run, can be reverted, and automation calls it with a token.',
} as const;

/** For simulated hosts. */
export const onlySimulated = { unneeded: 'It changes simulated hosts only.' } as const;
