import { expectationOf } from '../life/leased.ts';
import type { LifeParts } from '../life/parts.ts';
import type { TaskRequest } from './node-task.ts';

/** The task that has an active allocation attested again: by a restart, which takes as long as a launch, or by a look alone. */
export const attestTask = (
  parts: LifeParts,
  occasion: 'interval' | 'restart',
): TaskRequest<'allocation.restart' | 'allocation.attest'> => {
  const type = occasion === 'restart' ? 'allocation.restart' : 'allocation.attest';
  return {
    types: [type],
    type: () => type,
    params: (leased) => ({ allocation_id: leased.id, login: leased.login, expect: expectationOf(leased) }),
    allowed: ({ state }) => state === 'active',
    ttlSeconds: parts.taskSeconds(occasion === 'restart' ? 'provision' : 'short'),
  };
};
