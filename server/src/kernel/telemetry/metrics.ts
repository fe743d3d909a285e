import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from '@prometheus-io/client';

/** The metrics of one process. Names start with `gpuaas_` and carry base units; labels are few and never name a tenant. */
export interface Metrics {
  counter<L extends string>(name: `gpuaas_${string}_total`, help: string, labels: readonly L[]): Counter<L>;
  gauge<L extends string>(name: `gpuaas_${string}`, help: string, labels: readonly L[]): Gauge<L>;
  histogram<L extends string>(
    name: `gpuaas_${string}_seconds`,
    help: string,
    labels: readonly L[],
    buckets: readonly number[],
  ): Histogram<L>;
  /** Runs before each scrape, for values that are looked up rather than counted. */
  onScrape(collect: () => Promise<void>): void;
  scrape(): Promise<string>;
  readonly contentType: string;
}

const collectWithinMs = 2_000;

export const latencyBuckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10] as const;

/** Metrics of the library whose names break the rules of Prometheus, so that `promtool check metrics` complains. */
const misnamed = [
  'nodejs_active_handles_total',
  'nodejs_active_requests_total',
  'nodejs_active_resources_total',
  'nodejs_eventloop_utilization_histogram',
  'nodejs_eventloop_utilization_summary',
];

export function makeMetrics(process: string, version: string): Metrics {
  const registry = new Registry();
  registry.setDefaultLabels({ process });
  collectDefaultMetrics({ register: registry });
  for (const name of misnamed) registry.removeSingleMetric(name);
  const collectors: (() => Promise<void>)[] = [];
  const registers = [registry];
  const made = new Map<string, unknown>();
  const once = <T>(name: string, make: () => T): T => {
    const known = made.get(name) as T | undefined;
    if (known) return known;
    const fresh = make();
    made.set(name, fresh);
    return fresh;
  };
  const metrics: Metrics = {
    counter: (name, help, labels) => once(name, () => new Counter({ name, help, labelNames: [...labels], registers })),
    gauge: (name, help, labels) => once(name, () => new Gauge({ name, help, labelNames: [...labels], registers })),
    histogram: (name, help, labels, buckets) =>
      once(name, () => new Histogram({ name, help, labelNames: [...labels], buckets: [...buckets], registers })),
    onScrape: (collect) => void collectors.push(collect),
    async scrape() {
      // One look-up that fails or hangs must not hide the other numbers.
      await withinMs(collectWithinMs, Promise.allSettled(collectors.map(async (collect) => collect())));
      return registry.metrics();
    },
    contentType: registry.contentType,
  };
  metrics.gauge('gpuaas_build_info', 'Constant 1, labelled with the release.', ['version']).set({ version }, 1);
  return metrics;
}

async function withinMs(ms: number, work: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise((resolve) => {
    timer = setTimeout(resolve, ms);
  });
  await Promise.race([work, late]);
  clearTimeout(timer);
}
