import type { Clock } from '../../kernel/clock.ts';
import { startReconciler } from '../../kernel/process/reconciler.ts';
import type { Log } from '../../kernel/telemetry/log.ts';
import { type AdmissionCache, type AdmissionQuery, type Admitted, cacheKey } from './admission-cache.ts';

/**
 * Streams and WebSockets that are open. Each is admitted again every few seconds, so a revoked right, a stopped instance or a moved
 * route ends it within seconds.
 */
export interface OpenExchanges {
  /** Returns a function to call when the exchange has ended. */
  add(query: AdmissionQuery, admitted: Admitted, close: () => void): () => void;
  readonly size: number;
  countOf(label: string): number;
  countOfOrganization(id: string): number;
  endAll(): void;
  close(): Promise<void>;
}
interface Group {
  readonly query: AdmissionQuery;
  readonly admitted: Admitted;
  readonly closers: Set<() => void>;
  sinceMs: number;
}

const atOnce = 32;

export function makeOpenExchanges(parts: {
  readonly cache: Pick<AdmissionCache, 'decideUncached'>;
  readonly clock: Clock;
  readonly log: Log;
  readonly everyMs: number;
  /** How long exchanges stay open while the api does not answer. */
  readonly outageMs: number;
}): OpenExchanges {
  const { clock } = parts;
  const groups = new Map<string, Group>();
  const [byLabel, byOrganization] = [new Map<string, number>(), new Map<string, number>()];
  let size = 0;
  const nowMs = () => clock.now().getTime();
  const change = (label: string, organizationId: string, by: number) => {
    size += by;
    for (const [counts, key] of [[byLabel, label] as const, [byOrganization, organizationId] as const]) {
      const next = (counts.get(key) ?? 0) + by;
      if (next === 0) counts.delete(key);
      else counts.set(key, next);
    }
  };
  const endGroup = (group: Group) => {
    for (const close of [...group.closers]) close();
  };
  const recheck = async (group: Group): Promise<void> => {
    const admission = await parts.cache.decideUncached(group.query);
    if (admission === undefined) {
      if (nowMs() - group.sinceMs > parts.outageMs) endGroup(group);
      return;
    }
    group.sinceMs = nowMs();
    if (admission.decision !== 'admitted' || !isSameTarget(admission, group.admitted)) endGroup(group);
  };
  const rechecking = startReconciler(
    {
      name: 'app-exchanges',
      async round() {
        const all = [...groups.values()];
        for (let at = 0; at < all.length; at += atOnce) await Promise.all(all.slice(at, at + atOnce).map(recheck));
        return 'idle';
      },
    },
    { clock, log: parts.log, everyMs: parts.everyMs },
  );
  return {
    add(query, admitted, close) {
      const key = `${cacheKey(query)} ${admitted.workload_id}`;
      const group = groups.get(key) ?? { query, admitted, closers: new Set(), sinceMs: nowMs() };
      groups.set(key, group);
      group.closers.add(close);
      change(query.label, admitted.organization_id, 1);
      let isOpen = true;
      return () => {
        if (!isOpen) return;
        isOpen = false;
        change(query.label, admitted.organization_id, -1);
        group.closers.delete(close);
        if (group.closers.size === 0 && groups.get(key) === group) groups.delete(key);
      };
    },
    get size() {
      return size;
    },
    countOf: (label) => byLabel.get(label) ?? 0,
    countOfOrganization: (id) => byOrganization.get(id) ?? 0,
    endAll() {
      for (const group of groups.values()) endGroup(group);
    },
    close: () => rechecking.close(),
  };
}

const isSameTarget = (one: Admitted, other: Admitted): boolean =>
  one.node_id === other.node_id &&
  one.allocation_id === other.allocation_id &&
  one.workload_id === other.workload_id &&
  one.port === other.port;
