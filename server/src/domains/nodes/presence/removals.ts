import { type Database, systemViewer } from '../../../kernel/act.ts';
import type { Ids } from '../../../kernel/id.ts';
import type { Reconciler } from '../../../kernel/process/reconciler.ts';
import { sweepBatch } from '../facts.ts';
import type { Removal } from '../sagas/remove.ts';
import { removableSql } from './removals-store.ts';

/** Names a removal after what it found: a node that was refused has another version, and its next try is another run. */
export const removalRun = (nodeId: string, version: number | bigint): string => `${nodeId}.${version}`;

/**
 * Has nodes removed that hold nothing any more: those whose removal was refused while something was held, and those that
 * nobody heard of. For the rest it is the run that the request itself began.
 */
export const makeRemovals = (parts: {
  readonly db: Database;
  readonly ids: Ids;
  readonly begin: (run: string, removal: Removal) => Promise<void>;
}): Reconciler => ({
  name: 'node-removals',
  async round() {
    const viewer = systemViewer('nodes', { correlationId: parts.ids.next() });
    const nodes = await parts.db.read(viewer, (tx) =>
      tx.rows<{ id: string; version: bigint }>(removableSql, [sweepBatch]),
    );
    for (const { id, version } of nodes) await parts.begin(removalRun(id, version), { nodeId: id });
    return 'idle';
  },
});
