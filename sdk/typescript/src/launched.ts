import type { Api } from './generated/api.ts';
import type { Allocation, AllocationDetail, CatalogItem, TimelineItem } from './generated/types.ts';
import type { CallOptions } from './operation.ts';
import { wakeUps } from './wake-ups.ts';

/** An allocation to wait for, to look at and to give back. */

export type AllocationState = Allocation['state'];
type Sleep = (ms: number, signal?: AbortSignal) => Promise<void>;

/** Where nothing moves on from by itself. */
const ends: ReadonlySet<AllocationState> = new Set(['released', 'failed', 'release_failed']);
/** Events wake us; should one be lost, a look this often finds out anyway. */
const lookAgainMs = 2_000;
const defaultTimeoutMs = 15 * 60_000;

export interface Waiting {
  /** Called once for each new line of the timeline, in its order. */
  onPhase?(item: TimelineItem): void;
  /** Called after every look. */
  onLook?(allocation: AllocationDetail): void;
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
  readonly now?: () => number;
}

/** It is where nothing moves on from, and not where it should be. */
export class AllocationEnded extends Error {
  override readonly name = 'AllocationEnded';
  readonly allocation: AllocationDetail;
  readonly wanted: AllocationState;
  constructor(allocation: AllocationDetail, wanted: AllocationState) {
    const why = allocation.failure ? `: ${allocation.failure.reason} (${allocation.failure.code})` : '';
    super(`${allocation.id} is ${allocation.state} and will not be ${wanted}${why}`);
    this.allocation = allocation;
    this.wanted = wanted;
  }
}
/** The wait was over first; the allocation goes on. */
export class AllocationLate extends Error {
  override readonly name = 'AllocationLate';
  readonly allocation: AllocationDetail;
  readonly wanted: AllocationState;
  constructor(allocation: AllocationDetail, wanted: AllocationState) {
    super(`${allocation.id} is ${allocation.state}, not ${wanted} yet; it goes on without us`);
    this.allocation = allocation;
    this.wanted = wanted;
  }
}

/** Waits until an allocation is where it should be. It ends early when it can never get there. */
export async function waitUntil(
  api: Api,
  sleep: Sleep,
  allocation_id: string,
  state: AllocationState,
  { onPhase, onLook, timeoutMs = defaultTimeoutMs, signal, now = Date.now }: Waiting = {},
): Promise<AllocationDetail> {
  const over = new AbortController();
  const either = signal ? AbortSignal.any([signal, over.signal]) : over.signal;
  const deadline = now() + timeoutMs;
  const seen = new Set<string>();
  const wakes = wakeUps(api.events.stream({ about: allocation_id }, { signal: either }), sleep, signal);
  const options = signal ? { signal } : {};
  try {
    for (;;) {
      signal?.throwIfAborted();
      const allocation = await api.allocations.get({ allocation_id }, options);
      onLook?.(allocation);
      if (onPhase) for (const item of await newItems(api, allocation_id, seen, options)) onPhase(item);
      if (allocation.state === state) return allocation;
      if (ends.has(allocation.state)) throw new AllocationEnded(allocation, state);
      const left = deadline - now();
      if (left <= 0) throw new AllocationLate(allocation, state);
      await wakes.next(Math.min(lookAgainMs, left));
    }
  } finally {
    over.abort();
  }
}

async function newItems(api: Api, allocation_id: string, seen: Set<string>, options: CallOptions) {
  const fresh: TimelineItem[] = [];
  for await (const item of api.allocations.timeline({ allocation_id, limit: 200 }, options)) {
    if (seen.has(item.id)) continue;
    seen.add(item.id);
    fresh.push(item);
  }
  return fresh.sort((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : a.id < b.id ? -1 : 1));
}

/** What to start. Lengths of time are written `90s`, `30m`, `3h`, `2d`. */
export interface LaunchOptions {
  readonly sku: string;
  readonly count?: number;
  /** Where; without it, where most of it is free. */
  readonly region?: string;
  readonly name?: string;
  readonly image?: string;
  readonly sshKeyIds?: readonly string[];
  readonly tags?: Readonly<Record<string, string>>;
  readonly maxDuration?: string;
  readonly idleStop?: string;
  readonly queue?: string;
}

/** Released at the end of its block, whatever happens in it: `await using gpus = await gpuaas.launch(…)`. */
export interface Launched extends AsyncDisposable {
  readonly id: string;
  get(): Promise<AllocationDetail>;
  waitUntil(state: AllocationState, waiting?: Waiting): Promise<AllocationDetail>;
  release(): Promise<void>;
}

export function makeLaunch(api: Api, sleep: Sleep) {
  return async (launch: LaunchOptions, options: CallOptions = {}): Promise<Launched> => {
    const item = await api.catalog.get({ sku: launch.sku }, options);
    const { id } = await api.allocations.create(inputOf(item, launch), options);
    const release = async () => {
      try {
        await api.allocations.release({ allocation_id: id });
      } catch (error) {
        if ((error as { code?: unknown }).code !== 'allocation_already_releasing') throw error;
      }
    };
    return {
      id,
      get: () => api.allocations.get({ allocation_id: id }),
      waitUntil: (state, waiting) => waitUntil(api, sleep, id, state, waiting),
      release,
      [Symbol.asyncDispose]: release,
    };
  };
}

function inputOf(item: CatalogItem, launch: LaunchOptions): Parameters<Api['allocations']['create']>[0] {
  const { sku, count, region, name, image, sshKeyIds, tags, maxDuration, idleStop, queue } = launch;
  const gpus = count ?? item.allowed_gpu_counts[0] ?? 1;
  return {
    sku,
    gpus,
    region: region ?? regionFor(item, gpus),
    ...(name !== undefined && { name }),
    ...(image !== undefined && { image }),
    ...(sshKeyIds && { ssh_key_ids: sshKeyIds }),
    ...(tags && { tags }),
    ...(maxDuration !== undefined && { max_duration_seconds: secondsOf(maxDuration) }),
    ...(idleStop !== undefined && {
      idle: { action: 'release' as const, minutes: Math.ceil(secondsOf(idleStop) / 60) },
    }),
    ...(queue !== undefined && { queue: { max_wait_seconds: secondsOf(queue) } }),
  };
}

/** Where most of it is free; where nothing is, the first place that has any of it. */
export function regionFor({ sku, availability }: CatalogItem, gpus: number): string {
  const [best] = availability
    .filter(({ gpu_count }) => gpu_count === gpus)
    .sort((a, b) => b.available - a.available || (a.region < b.region ? -1 : 1));
  const region = best?.region ?? availability[0]?.region;
  if (region === undefined) throw new RangeError(`no host offers ${sku} now: name a region`);
  return region;
}

const units: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600, d: 86_400 };

export function secondsOf(text: string): number {
  if (!/^(?:\d+[smhd])+$/.test(text)) throw new RangeError(`${text} is no length of time: write 90s, 30m, 3h or 2d`);
  return [...text.matchAll(/(\d+)([smhd])/g)].reduce(
    (sum, [, count, unit]) => sum + Number(count) * (units[unit ?? ''] ?? 0),
    0,
  );
}
