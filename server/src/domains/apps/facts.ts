/** As many instances as one answer of a revocation names, because an answer is read by a person; all of them are affected. */
export const mostAffected = 1_000;
