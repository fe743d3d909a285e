import type { Clock } from '../../kernel/clock.ts';
import type { Ids } from '../../kernel/id.ts';
import type { Metrics } from '../../kernel/telemetry/metrics.ts';
import type { Refusals } from '../http/admission/refusals.ts';
import { nodeViewer } from './viewer.ts';

/** What a node was refused for. Strangers have no node: they are counted, and an address alone is no actor to audit. */
export type NodeLimit = 'calls' | 'connections' | 'strangers';
interface RefusedNode {
  readonly nodeId: string;
  readonly address: string | undefined;
}
/** Counts every refusal by a limit, and audits the first of a node in a window. */
export type NoteNodeRefusal = (limit: NodeLimit, of?: RefusedNode) => void;

/** A node that keeps asking too often costs one row a minute. */
const windowMs = 60_000;
/** As many as have a budget. */
const mostNodes = 100_000;

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
    writtenUntilMs.set(key, nowMs + windowMs);
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
