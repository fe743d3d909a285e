// reported as lint/style/noRestrictedGlobals: the global variable setInterval
export const tick = (work: () => void) => setInterval(work, 10);
