import type { Clock } from '../../kernel/clock.ts';
import { startReconciler } from '../../kernel/process/reconciler.ts';
import type { Log } from '../../kernel/telemetry/log.ts';
import { type Admissions, type Admitted, keyOf, type Question } from './admissions.ts';

/**
 * What is open for longer than a moment: streams and WebSockets. Their right is asked for again and again, so that one that was taken away,
 * an instance that was stopped and a route that was moved end what is open within seconds.
 */
export interface OpenExchanges {
  /** Answers a function to call when it is over. */
  add(question: Question, admitted: Admitted, end: () => void): () => void;
  readonly size: number;
  countOf(label: string): number;
  countOfOrganization(id: string): number;
  endAll(): void;
  close(): Promise<void>;
}
interface Group {
  readonly question: Question;
  readonly admitted: Admitted;
  readonly ends: Set<() => void>;
  sinceMs: number;
}

const atOnce = 32;

export function makeOpenExchanges(parts: {
  readonly admissions: Pick<Admissions, 'decideAnew'>;
  readonly clock: Clock;
  readonly log: Log;
  readonly everyMs: number;
  /** How long what is open goes on while the api does not answer. */
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
    for (const end of [...group.ends]) end();
  };
  const look = async (group: Group): Promise<void> => {
    const said = await parts.admissions.decideAnew(group.question);
    if (said === undefined) {
      if (nowMs() - group.sinceMs > parts.outageMs) endGroup(group);
      return;
    }
    group.sinceMs = nowMs();
    if (said.decision !== 'admitted' || !isSameTarget(said, group.admitted)) endGroup(group);
  };
  const looking = startReconciler(
    {
      name: 'app-exchanges',
      async round() {
        const all = [...groups.values()];
        for (let at = 0; at < all.length; at += atOnce) await Promise.all(all.slice(at, at + atOnce).map(look));
        return 'idle';
      },
    },
    { clock, log: parts.log, everyMs: parts.everyMs },
  );
  return {
    add(question, admitted, end) {
      const key = `${keyOf(question)} ${admitted.workload_id}`;
      const group = groups.get(key) ?? { question, admitted, ends: new Set(), sinceMs: nowMs() };
      groups.set(key, group);
      group.ends.add(end);
      change(question.label, admitted.organization_id, 1);
      let isOpen = true;
      return () => {
        if (!isOpen) return;
        isOpen = false;
        change(question.label, admitted.organization_id, -1);
        group.ends.delete(end);
        if (group.ends.size === 0 && groups.get(key) === group) groups.delete(key);
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
    close: () => looking.close(),
  };
}

const isSameTarget = (one: Admitted, other: Admitted): boolean =>
  one.node_id === other.node_id &&
  one.allocation_id === other.allocation_id &&
  one.workload_id === other.workload_id &&
  one.port === other.port;
