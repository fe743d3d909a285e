import {
  adjustmentRoutes,
  budgetRoutes,
  grantRoutes,
  priceBookRoutes,
  proofRoutes,
  quoteRoutes,
  readRoutes,
  storagePriceRoutes,
  usageRoutes,
} from '../../../domains/billing/index.ts';
import { documentRoutes, invoiceRoutes, partyRoutes } from '../../../domains/invoicing/index.ts';
import { autoTopUpRoutes, financeRoutes, methodRoutes, sessionRoutes } from '../../../domains/payments/index.ts';
import type { Mounted } from '../../../kernel/act.ts';
import type { RouteParts } from './parts.ts';

/** Balances, usage, budgets and prices; invoices; payments. */
export const moneyRoutes = ({ db, ids, clock, policies, payments, settings }: RouteParts): readonly Mounted[] => {
  const { publicUrl } = settings;
  return [
    ...readRoutes({ db, clock, policies }),
    ...proofRoutes({ db }),
    ...usageRoutes({ db, clock }),
    ...grantRoutes({ db, ids, policies }),
    ...adjustmentRoutes({ db, ids, policies }),
    ...priceBookRoutes({ db, ids }),
    ...storagePriceRoutes({ db, ids }),
    ...budgetRoutes({ db, ids, policies }),
    ...quoteRoutes({ db, ids, clock, policies }),
    ...partyRoutes({ db }),
    ...documentRoutes({ db, clock }),
    ...invoiceRoutes({ db, ids, clock, policies }),
    ...sessionRoutes({ db, ids, clock, policies, payments, publicUrl }),
    ...methodRoutes({ db, ids, clock, policies, payments, publicUrl }),
    ...autoTopUpRoutes({ db, clock, policies, payments, publicUrl }),
    ...financeRoutes({ db, ids, clock, policies }),
  ];
};
