import { type Database, systemViewer } from '../../kernel/act.ts';
import type { Ids } from '../../kernel/id.ts';
import type { Metrics } from '../../kernel/metrics.ts';
import { countAlerts } from './store.ts';

/** Counts the alerts whenever somebody asks. */
export function showAlerts(parts: { readonly db: Database; readonly ids: Ids; readonly metrics: Metrics }): void {
  const { db, ids, metrics } = parts;
  const alerts = metrics.gauge('gpuaas_alerts', 'Open alerts, by source and effect.', ['source', 'effect']);
  metrics.onScrape(async () => {
    const rows = await db.read(systemViewer('attention', { correlationId: ids.next() }), countAlerts);
    alerts.reset();
    for (const { source, effect, n } of rows) alerts.set({ source, effect }, n);
  });
}
