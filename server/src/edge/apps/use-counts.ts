import { type AppUseCounts, largestCount, mostUnits } from '@gpuaas/contract/ingress';
import type { Clock } from '../../kernel/clock.ts';
import { hourMs } from '../../kernel/units.ts';
import type { Admitted } from './admission-cache.ts';

/** What one exchange has moved and found since it was last added to its hour. */
export interface Tally {
  readonly admitted: Admitted;
  requests: number;
  failures: number;
  bytesIn: number;
  bytesOut: number;
  units: Readonly<Record<string, number>>;
}
/** Counts what goes through, by route and hour. It only grows, so what is handed in twice is the same. */
export interface UseCounts {
  /** Begins a tally. Add to its numbers; they are taken from there, also while the exchange is open. */
  begin(admitted: Admitted): Tally;
  end(tally: Tally): void;
  /** At most so many that have changed since they were last stored. */
  changed(limit: number): readonly AppUseCounts[];
  /** They need not be handed in again. Hours that are over are dropped. */
  stored(uses: readonly AppUseCounts[]): void;
}
interface Kept {
  use: AppUseCounts;
  isStored: boolean;
}
/** An hour is kept for so long after it began: what is counted late still finds its numbers. */
const keepMs = 2 * hourMs;

/** Apps are written by tenants and say numbers of their own: a sum stays one that a report may hold. */
const plus = (before: number | undefined, more: number): number => Math.min((before ?? 0) + more, largestCount);

export function makeUseCounts(clock: Clock): UseCounts {
  const all = new Map<string, Kept>();
  const open = new Set<Tally>();
  const keyOf = ({ route_id, hour }: Pick<AppUseCounts, 'route_id' | 'hour'>) => `${route_id} ${hour}`;
  const add = (tally: Tally) => {
    const { requests, failures, bytesIn, bytesOut, units } = tally;
    if (requests + failures + bytesIn + bytesOut === 0) return;
    Object.assign(tally, { requests: 0, failures: 0, bytesIn: 0, bytesOut: 0, units: {} });
    const nowMs = clock.now().getTime();
    const hour = new Date(nowMs - (nowMs % hourMs)).toISOString();
    const { route, instance_id } = tally.admitted;
    const key = keyOf({ route_id: route.route_id, hour });
    const before = all.get(key)?.use;
    const summed = { ...before?.units };
    for (const [name, count] of Object.entries(units)) {
      if (Object.hasOwn(summed, name)) summed[name] = plus(summed[name], count);
      // After an upgrade the next version may count others. What is beyond the bound waits for the next hour.
      else if (Object.keys(summed).length < mostUnits) summed[name] = count;
    }
    all.set(key, {
      use: {
        ...{ route_id: route.route_id, instance_id, hour, last_at: new Date(nowMs).toISOString(), units: summed },
        requests: plus(before?.requests, requests),
        failures: plus(before?.failures, failures),
        bytes_in: plus(before?.bytes_in, bytesIn),
        bytes_out: plus(before?.bytes_out, bytesOut),
      },
      isStored: false,
    });
  };
  return {
    begin(admitted) {
      const tally = { admitted, requests: 1, failures: 0, bytesIn: 0, bytesOut: 0, units: {} };
      open.add(tally);
      return tally;
    },
    end(tally) {
      open.delete(tally);
      add(tally);
    },
    changed(limit) {
      for (const tally of open) add(tally);
      return [...all.values()]
        .filter(({ isStored }) => !isStored)
        .slice(0, limit)
        .map(({ use }) => use);
    },
    stored(uses) {
      const nowMs = clock.now().getTime();
      for (const use of uses) {
        const kept = all.get(keyOf(use));
        // What was counted since the report was made is still to be handed in.
        if (kept?.use === use) kept.isStored = true;
      }
      for (const [key, { use, isStored }] of all)
        if (isStored && Date.parse(use.hour) + keepMs < nowMs) all.delete(key);
    },
  };
}
