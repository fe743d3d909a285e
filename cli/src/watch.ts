import type { AllocationDetail, Gpuaas, TimelineItem } from '@gpuaas/sdk';
import type { Session } from './command.ts';
import { exitCodes, Failure, usageFailure } from './failure.ts';
import { readDuration } from './show/value.ts';

export type AllocationState = AllocationDetail['state'];
/** Where nothing moves on from by itself. */
const ends: ReadonlySet<AllocationState> = new Set(['released', 'failed', 'release_failed']);
/** Events wake us; should one be lost, a look this often finds out anyway. */
const lookAgainMs = 2_000;
const defaultPatience = '15m';

export interface Watching {
  readonly until: AllocationState;
  readonly timeoutMs: number;
  /** Called once for each new line of the timeline, in its order. */
  onItem?(item: TimelineItem): void;
  onLook?(allocation: AllocationDetail): void;
}

export function readTimeout(session: Session): number {
  const text = session.text('timeout') ?? defaultPatience;
  const seconds = readDuration(text);
  if (seconds === undefined || seconds === 0) throw usageFailure('--timeout is a length of time, such as 90s or 15m.');
  return seconds * 1_000;
}

/** Waits until an allocation is where it should be. It ends early when it can never get there, and says why. */
export async function watchAllocation(session: Session, id: string, watching: Watching): Promise<AllocationDetail> {
  const api = await session.api();
  const over = new AbortController();
  const deadline = session.now() + watching.timeoutMs;
  const seen = new Set<string>();
  const wakes = wakeUps(api, { about: id }, over.signal);
  try {
    for (;;) {
      const allocation = await api.allocations.get({ allocation_id: id });
      watching.onLook?.(allocation);
      for (const item of await newItems(api, id, seen)) watching.onItem?.(item);
      if (allocation.state === watching.until) return allocation;
      if (ends.has(allocation.state)) throw neverThere(allocation, watching.until);
      const left = deadline - session.now();
      if (left <= 0) throw stillGoing(allocation, watching.until);
      await wakes.next(Math.min(lookAgainMs, left), session);
    }
  } finally {
    over.abort();
  }
}

async function newItems(api: Gpuaas, id: string, seen: Set<string>): Promise<TimelineItem[]> {
  const fresh: TimelineItem[] = [];
  for await (const item of api.allocations.timeline({ allocation_id: id, limit: 200 })) {
    if (seen.has(item.id)) continue;
    seen.add(item.id);
    fresh.push(item);
  }
  return fresh.sort((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : a.id < b.id ? -1 : 1));
}

/** Follows what happens. Somebody who may not hear events is woken by the clock alone. */
export function wakeUps(api: Gpuaas, about: { readonly about?: string }, signal: AbortSignal) {
  const events = api.events.stream(about, { signal })[Symbol.asyncIterator]();
  const hear = () =>
    events.next().then(
      ({ done }) => (done ? never : undefined),
      () => never,
    );
  const never = new Promise<undefined>(() => undefined);
  let heard = hear();
  return {
    async next(ms: number, session: Session): Promise<void> {
      const timer = new AbortController();
      const sleep = session.around.parts?.sleep ?? sleepFor;
      const woken = heard.then(() => true as const);
      const isEvent = await Promise.race([woken, sleep(ms, timer.signal).then(() => false)]);
      timer.abort();
      if (isEvent) heard = hear();
    },
  };
}

const sleepFor = (ms: number, signal?: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal?.addEventListener('abort', () => {
      clearTimeout(timer);
      resolve();
    });
  });

const neverThere = ({ id, state, failure }: AllocationDetail, wanted: AllocationState): Failure =>
  new Failure(
    exitCodes.failed,
    failure ? `It is ${state}: ${failure.reason} (${failure.code})` : `It is ${state} and will not be ${wanted}.`,
    { next: `gpuaas why ${id} shows the evidence.` },
  );
const stillGoing = ({ id, state }: AllocationDetail, wanted: AllocationState): Failure =>
  new Failure(exitCodes.late, `It is ${state}, not ${wanted} yet. It goes on without us.`, {
    next: `gpuaas alloc wait ${id} waits again.`,
  });
