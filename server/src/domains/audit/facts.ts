/** As many rows as one export holds: the contract says so, and callers count on it to know when they have all. */
export const exportRows = 5_000;
/** One round of sealing holds the chain of an organization for this many rows. */
export const sealRows = 1_000;
/** Moments of one kind that the story of a request holds: a life of an allocation has some dozens. */
export const momentsShown = 1_000;
