import { AsyncLocalStorage } from 'node:async_hooks';
import type { Metrics } from '../telemetry/metrics.ts';

/**
 * A lease gives one kind of background work to one process at a time. The fence is a number that grows with each change of
 * the holder. What a leased round writes is committed only under the fence that is current, so a holder that stalled and
 * comes back after another process took over cannot change anything.
 */
export interface Lease {
  readonly name: string;
  /** The fence under which this process may work; undefined while another process holds the lease. */
  current(): Fence | undefined;
  /** Calls back each time this process gets the lease from now on. */
  onHeld(listener: () => void): void;
  close(): Promise<void>;
}
export interface Fence {
  readonly lease: string;
  readonly number: string;
  /** Aborts when the lease is lost. */
  readonly signal: AbortSignal;
}

const working = new AsyncLocalStorage<Fence>();

/** Runs work under a fence: everything that it writes, however deep, is checked against it. */
export const underFence = <T>(fence: Fence, work: () => Promise<T>): Promise<T> => working.run(fence, work);
/** The fence of the running work; undefined outside of leased work. */
export const currentFence = (): Fence | undefined => working.getStore();

/** Shows whether this process holds the lease. */
export function showLease(lease: Lease, metrics: Metrics): void {
  const held = metrics.gauge('gpuaas_lease_held', 'Whether this process holds a lease, by lease: 1 or 0.', ['lease']);
  const taken = metrics.counter('gpuaas_lease_taken_total', 'How often this process took a lease.', ['lease']);
  const count = () => taken.inc({ lease: lease.name });
  if (lease.current()) count();
  lease.onHeld(count);
  metrics.onScrape(async () => held.set({ lease: lease.name }, lease.current() ? 1 : 0));
}
