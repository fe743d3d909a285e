import type { AllocationMetrics, CallOptions, NodeMetrics } from '@gpuaas/sdk';
import { useState } from 'react';
import { useAsk } from '../../client/ask.ts';
import { SimulatedChip } from '../chip.tsx';
import { Panel } from '../page.tsx';
import { Empty, Loading, Problem } from '../states.tsx';
import { MetricsCharts } from './metrics-charts.tsx';

const [minuteMs, hourMs] = [60_000, 3_600_000];
/** How long each range is, and how often it is asked for again: a long one changes little, and its answer is large. */
const ranges = {
  '15 minutes': { lengthMs: 15 * minuteMs, everyMs: 10_000 },
  '1 hour': { lengthMs: hourMs, everyMs: 30_000 },
  '24 hours': { lengthMs: 24 * hourMs, everyMs: minuteMs },
  '7 days': { lengthMs: 7 * 24 * hourMs, everyMs: minuteMs },
} as const;
type RangeName = keyof typeof ranges;
const coarseSeconds = 300;

export type Series = Omit<AllocationMetrics, 'allocation_id'> | Omit<NodeMetrics, 'node_id'>;

/** What was measured in an allocation or on a node, in charts. Without values it says why. */
export function MetricsPanel({
  about,
  until,
  ask,
}: {
  about: string;
  /** When it ended: the ranges end then, and nothing new is asked for. */
  until?: string | null;
  ask(range: { readonly from: string; readonly to: string }, options: CallOptions): PromiseLike<Series>;
}) {
  const [name, setName] = useState<RangeName>('15 minutes');
  const { lengthMs, everyMs } = ranges[name];
  // A key of its own: events of the allocation say nothing about measurements. A page in the background asks for nothing.
  const series = useAsk(
    ['metrics', about, name, until ?? 'now'],
    (options) => {
      const toMs = until ? Date.parse(until) : Date.now();
      return ask({ from: new Date(toMs - lengthMs).toISOString(), to: new Date(toMs).toISOString() }, options);
    },
    { keep: true, ...(until ? {} : { everyMs }) },
  );
  return (
    <Panel
      title="Metrics"
      aside={
        <span className="flex flex-wrap items-center gap-2">
          <SimulatedChip of={series.data ?? null} />
          <select
            aria-label="Time that is shown"
            className="field w-auto py-1"
            value={name}
            onChange={(event) => setName(event.target.value as RangeName)}
          >
            {Object.keys(ranges).map((each) => (
              <option key={each} value={each}>
                last {each}
              </option>
            ))}
          </select>
        </span>
      }
    >
      {series.error && (
        <div className="mb-4">
          <Problem error={series.error} again={() => void series.refetch()} />
        </div>
      )}
      {series.data ? (
        <Measured series={series.data} hasEnded={Boolean(until)} />
      ) : (
        !series.error && <Loading rows={4} label="Loading the metrics" />
      )}
    </Panel>
  );
}

function Measured({ series, hasEnded }: { series: Series; hasEnded: boolean }) {
  if (series.data.length > 0) return <MetricsCharts series={series} />;
  const isWaiting = !hasEnded && series.resolution_seconds === coarseSeconds;
  return (
    <Empty icon="activity" title="No measurements">
      <p>
        {isWaiting
          ? 'This range shows averages of five minutes, and there are none yet. A shorter range shows the last samples, or why there are none.'
          : series.unavailable}
      </p>
    </Empty>
  );
}
