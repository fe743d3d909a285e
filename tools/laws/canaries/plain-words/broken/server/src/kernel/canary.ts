// reported as plain-words: name the caller
/** Whoever asks waits. */
export const one = 1;
