import type { Reconciler } from '../../../kernel/process/reconciler.ts';
import { secondMs } from '../../../kernel/units.ts';
import { guardBatch } from '../facts.ts';
import { loseAllocation } from '../life/lose.ts';
import { ago, changeAllocation, eachOf, type GuardParts, look } from './guard.ts';
import { listLost } from './guards-store.ts';

/** Fails allocations whose node has been offline for longer than the policy allows. The policy is off by default. */
export const makeLostNodes = (parts: GuardParts): Reconciler => ({
  name: 'allocation-lost-nodes',
  async round() {
    const lostAfterSeconds = parts.policies.lostAfterSeconds();
    if (lostAfterSeconds === 0) return 'idle';
    const before = ago(parts, lostAfterSeconds * secondMs);
    return eachOf(
      parts,
      'allocation-lost-nodes',
      (after) => look(parts, (tx) => listLost(tx, before, after, guardBatch)),
      ({ id }) =>
        changeAllocation(parts, id, 'allocation.lose', (tx, correlationId) =>
          loseAllocation(tx, id, {
            ...{ ids: parts.ids, correlationId, code: 'node_lost' },
            reason: 'Its node has not been heard of for too long.',
          }),
        ),
    );
  },
});
