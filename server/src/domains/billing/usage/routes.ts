import type { Database, Mounted } from '../../../kernel/act.ts';
import type { Clock } from '../../../kernel/clock.ts';
import { ledgerExportRoutes } from '../export/ledger-export.ts';
import { usageExportRoutes } from '../export/usage-export.ts';
import { forecastRoutes } from './forecast.ts';
import { idleRoutes } from './idle.ts';
import { revenueRoutes } from './revenue.ts';
import { seriesRoutes } from './series.ts';

/** Usage over time, what it will cost, what of it was idle, and all of it as files. */
export const usageRoutes = (parts: { readonly db: Database; readonly clock: Clock }): Mounted[] =>
  [seriesRoutes, forecastRoutes, idleRoutes, revenueRoutes, usageExportRoutes, ledgerExportRoutes].flatMap((make) =>
    make(parts),
  );
