import { type Database, systemViewer } from '../../kernel/act.ts';
import type { Ids } from '../../kernel/id.ts';
import type { Metrics } from '../../kernel/telemetry/metrics.ts';
import { driftOf } from './drift.ts';
import { machinesCounted } from './facts.ts';
import { countSites, listAllMachines } from './metrics-store.ts';

/** Metrics: sites that do not answer, jobs that failed within a day, and machines with contradictions. */
export function showMaas(parts: { readonly db: Database; readonly ids: Ids; readonly metrics: Metrics }): void {
  const away = parts.metrics.gauge('gpuaas_maas_sites_away', 'MAAS sites that do not answer, or refuse our key.', []);
  const failed = parts.metrics.gauge('gpuaas_maas_jobs_failed', 'Jobs at MAAS that failed within the last day.', []);
  const drift = parts.metrics.gauge(
    'gpuaas_maas_drift',
    'Machines for which MAAS, the node and the allocation contradict each other.',
    [],
  );
  parts.metrics.onScrape(async () => {
    const viewer = systemViewer('maas', { correlationId: parts.ids.next() });
    const [counts, machines] = await parts.db.read(viewer, async (tx) => [
      await countSites(tx),
      await listAllMachines(tx, machinesCounted),
    ]);
    away.set(counts.away);
    failed.set(counts.failed);
    drift.set(machines.filter((machine) => driftOf(machine).length > 0).length);
  });
}
