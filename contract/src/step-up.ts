/** What changes the fleet, the catalogue, people or keys is done by somebody who has just signed in. */
export const recentSignIn = { maxAge: 'auth.step_up_max_age_seconds' } as const;

/** For acts that automation has to do at night, on one thing at a time; each can be taken back by its opposite. */
export const oneAtATime = {
  unneeded: 'It touches one host, slot, message or run, can be taken back, and is done by automation with a token too.',
} as const;

/** For hosts that do not exist. */
export const onlySimulated = { unneeded: 'It changes hosts that do not exist.' } as const;
