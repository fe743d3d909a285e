import type { BeginAct, Database } from '../../../kernel/act.ts';
import { Fault } from '../../../kernel/fault.ts';
import type { Ids } from '../../../kernel/id.ts';
import type { Reconciler } from '../../../kernel/process/reconciler.ts';
import { sampleMostMs, sampleStaleMs } from '../facts.ts';
import { sampleSql } from './sampling-store.ts';

/**
 * Notes for every active allocation whose host reports how busy its GPUs are whether all of them are idle now, and adds the time
 * since the last look. One statement for all of them.
 */
export const makeIdleSampling = (parts: {
  readonly db: Database;
  readonly begin: BeginAct;
  readonly ids: Ids;
  readonly idlePercent: () => number;
}): Reconciler => ({
  name: 'usage-sampling',
  async round() {
    await parts.db.write(parts.begin('usage.sample', { correlationId: parts.ids.next() }), async (tx) => {
      const [sampled] = await tx.rows<{ allocations: number }>(sampleSql, [
        ...[parts.idlePercent(), sampleMostMs, sampleStaleMs],
      ]);
      const allocations = sampled?.allocations ?? 0;
      if (allocations === 0) return tx.abandon(new Fault('resource_not_found', 'No host reports how busy it is.'));
      return tx.commit(allocations, {
        target: { type: 'usage', id: 'idle' },
        change: { allocations },
        events: 'none',
      });
    });
    return 'idle';
  },
});
