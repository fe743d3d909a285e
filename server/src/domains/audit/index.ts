export { readActivity } from './activity-store.ts';
export { type Audit, makeAudit, makeSealing } from './routes.ts';
