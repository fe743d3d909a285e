import type { Clock } from '../../kernel/clock.ts';
import type { Ids } from '../../kernel/id.ts';
import type { Metrics } from '../../kernel/telemetry/metrics.ts';
import type { Refusals } from '../http/admission/refusals.ts';
import type { StrangerLimits } from './strangers.ts';
import { nodeViewer } from './viewer.ts';

/**
 * The budget of one node, counted in memory before any work. A broken agent, or an attacker with its key, costs no more
 * than this, and other nodes are not affected.
 */
export interface NodeLimits {
  readonly callsPerMinute: number;
  readonly connections: number;
  /** Connections without a certificate of a node. */
  readonly strangers: StrangerLimits;
}
/** Tasks, their phases and a report every few seconds stay far below; so does a node that comes back with many results. */
export const usualNodeLimits: NodeLimits = {
  ...{ callsPerMinute: 1_200, connections: 8 },
  // A rack that enrols from behind one address comes in turns: each connection is closed with its answer.
  strangers: { perAddress: 32, inTotal: 1_000 },
};

export interface NodeBudget {
  /**
   * Undefined when the call may be answered; else how many seconds to wait. A call that costs more than a whole minute is allowed
   * when the minute is whole.
   */
  take(nodeId: string, cost?: number): number | undefined;
}

const minuteMs = 60_000;
/** More nodes than any process serves. The oldest is dropped first and begins with a full budget again. */
const mostNodes = 100_000;

/** A bucket for each node: it holds what a minute may bring, and fills evenly. */
export function makeNodeBudget(parts: { readonly clock: Clock; readonly callsPerMinute: number }): NodeBudget {
  const { clock, callsPerMinute } = parts;
  const buckets = new Map<string, { left: number; atMs: number }>();
  return {
    take(nodeId, asked = 1) {
      const cost = Math.min(asked, callsPerMinute);
      const nowMs = clock.now().getTime();
      const before = buckets.get(nodeId) ?? { left: callsPerMinute, atMs: nowMs };
      const grown = (Math.max(0, nowMs - before.atMs) * callsPerMinute) / minuteMs;
      const left = Math.min(callsPerMinute, before.left + grown);
      const isAllowed = left >= cost;
      // Moved to the end, so that the first is the one that was silent the longest.
      buckets.delete(nodeId);
      buckets.set(nodeId, { left: isAllowed ? left - cost : left, atMs: nowMs });
      const oldest = buckets.size > mostNodes ? buckets.keys().next().value : undefined;
      if (oldest !== undefined) buckets.delete(oldest);
      return isAllowed ? undefined : Math.max(1, Math.ceil(((cost - left) * minuteMs) / callsPerMinute / 1_000));
    },
  };
}

/** What a node was refused for. Strangers have no node: they are counted, and an address alone is no actor to audit. */
type NodeLimit = 'calls' | 'connections' | 'strangers';
interface RefusedNode {
  readonly nodeId: string;
  readonly address: string | undefined;
}
/** Counts every refusal by a limit, and audits the first of a node in a minute: one that keeps asking costs no more rows. */
export type NoteNodeRefusal = (limit: NodeLimit, of?: RefusedNode) => void;

export function makeNoteNodeRefusal(parts: {
  readonly clock: Clock;
  readonly ids: Ids;
  readonly metrics: Metrics;
  readonly refusals: Pick<Refusals, 'note'>;
}): NoteNodeRefusal {
  const { clock, ids, refusals } = parts;
  const refused = parts.metrics.counter(
    'gpuaas_node_refusals_total',
    'Calls of nodes that were refused by a limit, by the limit.',
    ['limit'],
  );
  const writtenUntilMs = new Map<string, number>();
  const isFirst = (key: string) => {
    const nowMs = clock.now().getTime();
    if ((writtenUntilMs.get(key) ?? 0) > nowMs) return false;
    // Moved to the end, so that the first is the oldest.
    writtenUntilMs.delete(key);
    writtenUntilMs.set(key, nowMs + minuteMs);
    const oldest = writtenUntilMs.size > mostNodes ? writtenUntilMs.keys().next().value : undefined;
    if (oldest !== undefined) writtenUntilMs.delete(oldest);
    return true;
  };
  return (limit, of) => {
    refused.inc({ limit });
    if (!of || !isFirst(`${limit}:${of.nodeId}`)) return;
    refusals.note(nodeViewer(of, of.nodeId, ids), 'rate_limit.block', {
      target: { type: 'node', id: of.nodeId },
      change: { code: 'rate_limit_exceeded', limit },
    });
  };
}
