export { type LogBell, openLogBell } from './follow.ts';
export { makeStoreLogs, type StoreLogs } from './intake.ts';
export { makeLogLines } from './lines-store.ts';
export { type LogParts, logRoutes } from './routes.ts';
export { makeLogUpkeep } from './upkeep.ts';
