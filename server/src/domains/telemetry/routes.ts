import {
  allocationMetrics,
  fleetMetrics,
  fleetMetricsExport,
  metricsExport,
  metricsNow,
  mostMetricPoints,
  nodeMetrics,
} from '@gpuaas/contract';
import { type Database, handlers, type Mounted } from '../../kernel/act.ts';
import type { Clock } from '../../kernel/clock.ts';
import { Fault } from '../../kernel/fault.ts';
import { readPage } from '../../kernel/page.ts';
import { hourMs } from '../../kernel/units.ts';
import type { Policies } from '../policy/index.ts';
import { exposition } from './exposition.ts';
import { exportedAtMost, nowMs } from './facts.ts';
import { readRange } from './range.ts';
import { checkSource, showAllocationNow, showNodeNow, showPoint, whyNoNode } from './show.ts';
import {
  findAllocation,
  findNode,
  listAllocationsNow,
  listNodesNow,
  listOfAllocation,
  listOfNode,
  type PointRow,
  type Range,
} from './store.ts';

export interface TelemetryParts {
  readonly db: Database;
  readonly clock: Clock;
  readonly policies: Pick<Policies, 'number'>;
}
const on = handlers<TelemetryParts>();

const rangeOf = ({ clock, policies }: TelemetryParts, query: Parameters<typeof readRange>[0]) => {
  const now = clock.now();
  return readRange(query, now, new Date(now.getTime() - policies.number('telemetry.fine_hours') * hourMs));
};
const recent = ({ clock }: TelemetryParts) => new Date(clock.now().getTime() - nowMs);
const series = ({ from, to, resolution }: Omit<Range, 'limit'>, rows: readonly PointRow[]) => ({
  resolution_seconds: resolution,
  from: from.toISOString(),
  to: to.toISOString(),
  data: rows.map(showPoint),
});

const ofAllocation = on(allocationMetrics, async (parts, who, { params, query }) => {
  const range = rangeOf(parts, query);
  if (range instanceof Fault) return range;
  return parts.db.read(who, async (tx) => {
    const [found, rows] = await Promise.all([
      findAllocation(tx, params.allocation_id),
      listOfAllocation(tx, params.allocation_id, { ...range, limit: mostMetricPoints }),
    ]);
    if (!found) return new Fault('allocation_not_found', 'There is no such allocation.');
    const source = checkSource(found, rows.length > 0);
    return { allocation_id: found.id, ...source, simulated: found.simulated, ...series(range, rows) };
  });
});

const now = on(metricsNow, (parts, who, { query }) =>
  readPage({
    name: 'metrics-now',
    query,
    read: (before, limit) =>
      parts.db.read(who, (tx) => listAllocationsNow(tx, who.projectId, recent(parts), before, limit)),
    keyOf: ({ id }) => id,
    show: showAllocationNow,
  }),
);

const exported = on(metricsExport, async (parts, who) => {
  const rows = await parts.db.read(who, (tx) =>
    listAllocationsNow(tx, who.projectId, recent(parts), undefined, exportedAtMost),
  );
  return exposition(
    'gpuaas_allocation',
    rows.map(showAllocationNow).map(({ allocation_id, name, sku, latest }) => ({
      labels: { allocation_id, name, sku },
      point: latest,
    })),
  );
});

const ofNode = on(nodeMetrics, async (parts, who, { params, query }) => {
  const range = rangeOf(parts, query);
  if (range instanceof Fault) return range;
  return parts.db.read(who, async (tx) => {
    const [found, rows] = await Promise.all([
      findNode(tx, params.node_id),
      listOfNode(tx, params.node_id, { ...range, limit: mostMetricPoints }),
    ]);
    if (!found) return new Fault('node_not_found', 'There is no such node.');
    const isMeasured = rows.length > 0;
    return {
      node_id: found.id,
      source: isMeasured ? ('host_local_probe' as const) : ('unavailable' as const),
      unavailable: isMeasured ? null : whyNoNode(found),
      simulated: found.simulated,
      ...series(range, rows),
    };
  });
});

const fleet = on(fleetMetrics, (parts, who, { query }) =>
  readPage({
    name: 'fleet-metrics',
    query,
    read: (after, limit) => parts.db.read(who, (tx) => listNodesNow(tx, recent(parts), after, limit)),
    keyOf: ({ id }) => id,
    show: showNodeNow,
  }),
);

const fleetExported = on(fleetMetricsExport, async (parts, who) => {
  const rows = await parts.db.read(who, (tx) => listNodesNow(tx, recent(parts), undefined, exportedAtMost));
  return exposition(
    'gpuaas_node',
    rows.map(showNodeNow).map(({ node_id, name, region, sku, latest }) => ({
      labels: { node_id, name, region, sku },
      point: latest,
    })),
  );
});

export const telemetryRoutes = (parts: TelemetryParts): Mounted[] =>
  [ofAllocation, now, exported, ofNode, fleet, fleetExported].map((bind) => bind(parts));
