// reported as no-bare-numbers: a number in a domain is a policy
export const isTooMany = (rentals: readonly string[]): boolean => rentals.length > 50;
