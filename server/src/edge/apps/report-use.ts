import { AppUseCounts, appIngressRoutes, mostUses } from '@gpuaas/contract/ingress';
import { Compile } from 'typebox/compile';
import type { Ids } from '../../kernel/id.ts';
import type { Reconciler } from '../../kernel/process/reconciler.ts';
import type { Metrics } from '../../kernel/telemetry/metrics.ts';
import type { InternalClient } from '../internal/client.ts';
import type { UseCounts } from './use-counts.ts';

const isUse = Compile(AppUseCounts);

/**
 * Hands in what this copy has counted. One report holds the numbers of many tenants and is taken whole or not at all, so numbers that
 * would be refused are left out and counted. Numbers are sums since the copy began, so a report whose answer was lost is handed in again and counts
 * once. What a copy that was killed had not handed in is lost: at most the time between two reports.
 */
export function makeReportUse(parts: {
  readonly counts: UseCounts;
  readonly client: Pick<InternalClient, 'ask'>;
  readonly ids: Ids;
  readonly metrics: Metrics;
  readonly withinMs: number;
}): Reconciler {
  const copyId = parts.ids.next();
  const waiting = parts.metrics.gauge(
    'gpuaas_app_proxy_uses_waiting',
    'Hours of routes whose numbers this copy has not handed in yet, after the last try.',
    [],
  );
  const dropped = parts.metrics.counter(
    'gpuaas_app_proxy_uses_dropped_total',
    'Hours of routes whose numbers were no counts and were not handed in.',
    [],
  );
  return {
    name: 'app-use',
    async round() {
      const changed = parts.counts.changed(mostUses);
      const uses = changed.filter((use) => isUse.Check(use));
      if (uses.length < changed.length) {
        dropped.inc(changed.length - uses.length);
        parts.counts.stored(changed.filter((use) => !isUse.Check(use)));
      }
      waiting.set(uses.length);
      if (uses.length === 0) return 'idle';
      const body = { copy_id: copyId, uses: [...uses] };
      const said = await parts.client.ask(appIngressRoutes.reportUse, body, { withinMs: parts.withinMs });
      if (!said.ok) throw new Error(`the api took no use of apps: ${said.code}`);
      parts.counts.stored(uses);
      waiting.set(0);
      return changed.length < mostUses ? 'idle' : 'more';
    },
  };
}
