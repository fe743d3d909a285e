export { documentRoutes } from './documents-routes.ts';
export { skipNumbers } from './documents-store.ts';
export { invoiceRoutes } from './finance-routes.ts';
export { dayOf } from './issue.ts';
export { partyRoutes, readParties } from './parties-routes.ts';
export { decideTax, type Treated, taxOn } from './tax/decide.ts';
export { openInvoicing } from './work.ts';
