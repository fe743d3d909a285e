import { type Database, systemViewer } from '../../../kernel/act.ts';
import type { Clock } from '../../../kernel/clock.ts';
import type { Ids } from '../../../kernel/id.ts';
import { startReconciler } from '../../../kernel/process/reconciler.ts';
import type { Log } from '../../../kernel/telemetry/log.ts';
import { capacityChannel, indexPage, learnRestMs, relearnMs } from '../facts.ts';
import { listNodeIds, readCandidates } from './candidates-store.ts';
import { type CapacityIndex, makeCapacityIndex } from './capacity-index.ts';

/** An index that keeps itself up to date: it looks at hosts of which it hears, and at all of them now and then. */
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
  let heardOf = new Set<string>();
  let relearnAt = clock.now();

  const look = (nodeIds: readonly string[]) =>
    db.read(systemViewer('placement', { correlationId: parts.ids.next() }), (tx) =>
      readCandidates(tx, nodeIds, parts.lostAfterSeconds()),
    );
  const page = (after: string | undefined) =>
    db.read(systemViewer('placement', { correlationId: parts.ids.next() }), (tx) => listNodeIds(tx, after, indexPage));

  const round = async (signal: AbortSignal): Promise<'idle'> => {
    if (clock.now() < relearnAt) {
      const named = [...heardOf];
      heardOf = new Set();
      if (named.length > 0) index.learn(await look(named));
      return 'idle';
    }
    heardOf = new Set();
    for (let after: string | undefined; !signal.aborted; ) {
      const nodeIds = await page(after);
      if (nodeIds.length > 0) index.learn(await look(nodeIds));
      after = nodeIds.at(-1);
      if (nodeIds.length < indexPage) break;
    }
    relearnAt = new Date(clock.now().getTime() + relearnMs);
    return 'idle';
  };
  const reconciling = startReconciler(
    { name: 'capacity-index', round },
    { clock, log: parts.log, everyMs: relearnMs, restMs: learnRestMs },
  );
  const listening = await parts.listen(capacityChannel, (nodeId) => {
    if (nodeId) heardOf.add(nodeId);
    else relearnAt = clock.now();
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
