import { type Database, systemViewer } from '../../../kernel/act.ts';
import type { Clock } from '../../../kernel/clock.ts';
import type { Ids } from '../../../kernel/id.ts';
import type { Metrics } from '../../../kernel/telemetry/metrics.ts';
import { secondMs } from '../../../kernel/units.ts';
import type { Policies } from '../../policy/index.ts';
import { countWaitingForGuest, readHealth, readStuck } from './fleet-routes.ts';

/** Metrics of the fleet, computed at each scrape. */
export function showFleet(parts: {
  readonly db: Database;
  readonly ids: Ids;
  readonly clock: Clock;
  readonly policies: Pick<Policies, 'number'>;
  readonly metrics: Metrics;
}): void {
  const { db, ids, clock, metrics } = parts;
  const nodes = metrics.gauge('gpuaas_nodes', 'Hosts, by state.', ['state']);
  const slots = metrics.gauge('gpuaas_slots', 'Slots of hosts, by state.', ['state']);
  const age = metrics.gauge(
    'gpuaas_nodes_oldest_report_age_seconds',
    'How long the quietest of the active hosts has said nothing.',
    [],
  );
  const stuck = metrics.gauge('gpuaas_allocations_stuck', 'Allocations that are longer in a phase than is usual.', []);
  const waiting = metrics.gauge(
    'gpuaas_releases_waiting_for_guest',
    'Releases of slices whose machine has not ended although its time to shut down has passed.',
    [],
  );
  metrics.onScrape(async () => {
    const viewer = systemViewer('fleet-metrics', { correlationId: ids.next() });
    const [health, late, hung] = await db.read(viewer, async (tx) => [
      await readHealth(tx),
      await readStuck(tx, parts),
      await countWaitingForGuest(tx, parts),
    ]);
    nodes.reset();
    slots.reset();
    for (const [state, many] of Object.entries(health.nodes)) nodes.set({ state }, many);
    for (const [state, many] of Object.entries(health.slots)) slots.set({ state }, many);
    const heardAt = health.oldest_report_at ?? clock.now();
    age.set(Math.max(0, clock.now().getTime() - heardAt.getTime()) / secondMs);
    stuck.set(late.length);
    waiting.set(hung);
  });
}
