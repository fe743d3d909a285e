export { makeMayAfford } from './afford.ts';
export { readCharged } from './charged.ts';
export { openEvidenceDesk } from './evidence.ts';
export { grantRoutes } from './grants.ts';
export { type AccountRow, enter, findAccount, type NewEntry } from './ledger-store.ts';
export { money } from './money.ts';
export { proofRoutes } from './proof.ts';
export { readRoutes } from './read.ts';
export { openBilling } from './work.ts';
