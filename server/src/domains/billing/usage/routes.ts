import type { Database, Mounted } from '../../../kernel/act.ts';
import type { Clock } from '../../../kernel/clock.ts';
import { ledgerExportRoutes } from '../export/ledger-export-routes.ts';
import { usageExportRoutes } from '../export/usage-export-routes.ts';
import { forecastRoutes } from './forecast-routes.ts';
import { idleRoutes } from './idle-routes.ts';
import { revenueRoutes } from './revenue-routes.ts';
import { seriesRoutes } from './series-routes.ts';

/** Usage over time, what it will cost, what of it was idle, and all of it as files. */
export const usageRoutes = (parts: { readonly db: Database; readonly clock: Clock }): Mounted[] =>
  [seriesRoutes, forecastRoutes, idleRoutes, revenueRoutes, usageExportRoutes, ledgerExportRoutes].flatMap((make) =>
    make(parts),
  );
