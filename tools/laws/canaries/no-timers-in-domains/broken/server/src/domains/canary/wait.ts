// reported as lint/style/noRestrictedGlobals: the global variable setTimeout
export const later = (work: () => void) => setTimeout(work, 1);
