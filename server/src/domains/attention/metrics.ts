import { type Database, systemViewer } from '../../kernel/act.ts';
import type { Ids } from '../../kernel/id.ts';
import type { Metrics } from '../../kernel/telemetry/metrics.ts';
import { countTripped } from './breaker-store.ts';
import { countAlerts } from './store.ts';

/** Counts the alerts and the tripped breakers at each scrape. */
export function showAlerts(parts: { readonly db: Database; readonly ids: Ids; readonly metrics: Metrics }): void {
  const { db, ids, metrics } = parts;
  const tripped = metrics.gauge(
    'gpuaas_breakers_tripped',
    'Breakers of automation that wait for a person, by kind, region and SKU.',
    ['kind', 'region', 'sku'],
  );
  const heldBack = metrics.gauge(
    'gpuaas_breaker_held_back_hosts',
    'Hosts that automation would have taken, and that breakers hold back.',
    [],
  );
  const alerts = metrics.gauge('gpuaas_alerts', 'Open alerts, by source and effect.', ['source', 'effect']);
  metrics.onScrape(async () => {
    const viewer = systemViewer('attention', { correlationId: ids.next() });
    const [rows, breakers] = await db.read(viewer, async (tx) => [await countAlerts(tx), await countTripped(tx)]);
    alerts.reset();
    tripped.reset();
    heldBack.set(breakers.reduce((sum, { held }) => sum + held, 0));
    for (const { kind, region, sku } of breakers) tripped.set({ kind, region, sku }, 1);
    for (const { source, effect, n } of rows) alerts.set({ source, effect }, n);
  });
}
