import { appIngressRoutes, mostUses } from '@gpuaas/contract/ingress';
import type { Ids } from '../../kernel/id.ts';
import type { Reconciler } from '../../kernel/process/reconciler.ts';
import type { Metrics } from '../../kernel/telemetry/metrics.ts';
import type { InternalClient } from '../internal/client.ts';
import type { UseCounts } from './use-counts.ts';

/**
 * Hands in what this copy has counted. Numbers are sums since the copy began, so a report whose answer was lost is handed in again and counts
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
  return {
    name: 'app-use',
    async round() {
      const uses = parts.counts.changed(mostUses);
      waiting.set(uses.length);
      if (uses.length === 0) return 'idle';
      const body = { copy_id: copyId, uses: [...uses] };
      const said = await parts.client.ask(appIngressRoutes.reportUse, body, { withinMs: parts.withinMs });
      if (!said.ok) throw new Error(`the api took no use of apps: ${said.code}`);
      parts.counts.stored(uses);
      waiting.set(0);
      return uses.length < mostUses ? 'idle' : 'more';
    },
  };
}
