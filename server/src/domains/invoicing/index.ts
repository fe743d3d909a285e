export { documentRoutes } from './documents.ts';
export { invoiceRoutes } from './finance.ts';
export { dayOf } from './issue.ts';
export { partyRoutes, readParties } from './parties.ts';
export { decideTax, type Treated, taxOn } from './tax/decide.ts';
export { openInvoicing } from './work.ts';
