import { type Database, systemViewer } from '../../../kernel/act.ts';
import type { Clock } from '../../../kernel/clock.ts';
import type { Ids } from '../../../kernel/id.ts';
import { startReconciler } from '../../../kernel/process/reconciler.ts';
import type { Log } from '../../../kernel/telemetry/log.ts';
import { capacityChannel, indexPage, indexRefreshMs, indexRestMs } from '../facts.ts';
import { listNodeIds, readCandidates } from './candidates-store.ts';
import { type CapacityIndex, makeCapacityIndex } from './capacity-index.ts';

/** An index that keeps itself up to date: it reads hosts that changed, and all of them from time to time. */
export async function openCapacityIndex(parts: {
  readonly db: Database;
  readonly ids: Ids;
  readonly clock: Clock;
  readonly log: Log;
  readonly lostAfterSeconds: () => number;
  readonly listen: (channel: string, listener: (payload: string) => void) => Promise<{ close(): Promise<void> }>;
}): Promise<CapacityIndex & { close(): Promise<void> }> {
  const { db, clock } = parts;
  const index = makeCapacityIndex();
  let changedNodes = new Set<string>();
  let refreshAt = clock.now();

  const readNodes = (nodeIds: readonly string[]) =>
    db.read(systemViewer('placement', { correlationId: parts.ids.next() }), (tx) =>
      readCandidates(tx, nodeIds, parts.lostAfterSeconds()),
    );
  const listPage = (after: string | undefined) =>
    db.read(systemViewer('placement', { correlationId: parts.ids.next() }), (tx) => listNodeIds(tx, after, indexPage));

  const round = async (signal: AbortSignal): Promise<'idle'> => {
    if (clock.now() < refreshAt) {
      const named = [...changedNodes];
      changedNodes = new Set();
      if (named.length > 0) index.update(await readNodes(named));
      return 'idle';
    }
    changedNodes = new Set();
    for (let after: string | undefined; !signal.aborted; ) {
      const nodeIds = await listPage(after);
      if (nodeIds.length > 0) index.update(await readNodes(nodeIds));
      after = nodeIds.at(-1);
      if (nodeIds.length < indexPage) break;
    }
    refreshAt = new Date(clock.now().getTime() + indexRefreshMs);
    return 'idle';
  };
  const reconciling = startReconciler(
    { name: 'capacity-index', round },
    { clock, log: parts.log, everyMs: indexRefreshMs, restMs: indexRestMs },
  );
  const listening = await parts.listen(capacityChannel, (nodeId) => {
    if (nodeId) changedNodes.add(nodeId);
    else refreshAt = clock.now();
    reconciling.wake();
  });
  return {
    ...index,
    async close() {
      await listening.close();
      await reconciling.close();
    },
  };
}
