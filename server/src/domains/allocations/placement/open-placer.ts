import type { Policies } from '../../policy/index.ts';
import { openCapacityIndex } from './open-capacity-index.ts';
import { makePlacer } from './placer.ts';

/** Placement at work: an index that learns of capacity as it comes and goes, and limits that policies set. */
export async function openPlacer(
  parts: Omit<Parameters<typeof openCapacityIndex>[0], 'lostAfterSeconds'> & {
    readonly policies: Policies;
  },
) {
  const { policies } = parts;
  const lostAfterSeconds = () => policies.number('node.lost_after_seconds');
  const index = await openCapacityIndex({ ...parts, lostAfterSeconds });
  const placer = makePlacer({
    index,
    lostAfterSeconds,
    candidates: () => policies.number('allocation.placement_candidates'),
    maxRepicks: () => policies.number('allocation.placement_max_repicks'),
  });
  return { placer, close: index.close };
}
