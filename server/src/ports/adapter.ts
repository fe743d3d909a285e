import type { Metrics } from '../kernel/telemetry/metrics.ts';

/**
 * What stands behind a port. Each adapter says it of itself, so a process reports what it has really opened and not what
 * its settings ask for.
 *
 * - `embedded` lives in PostgreSQL, in this process or in a folder: made for `npm start`.
 * - `production` is a server of its own, or the way that production takes.
 * - `none` refuses every use, because nothing is configured.
 */
export interface AdapterName {
  readonly name: string;
  readonly kind: 'embedded' | 'production' | 'none';
}
export interface Adapted {
  readonly adapter: AdapterName;
}

/** One series for each port that the process has open, on its health port. */
export function reportAdapter(metrics: Metrics, port: string, { adapter }: Adapted): void {
  metrics
    .gauge(
      'gpuaas_port_adapter_info',
      'Constant 1, for each open port: which adapter stands behind it, and of what kind.',
      ['port', 'adapter', 'kind'],
    )
    .set({ port, adapter: adapter.name, kind: adapter.kind }, 1);
}
