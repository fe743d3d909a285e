import type { Policies } from '../../policy/index.ts';
import type { SagaParts } from '../sagas/parts.ts';

const policyOf = {
  provision: 'allocation.provision_timeout_seconds',
  release: 'allocation.release_timeout_seconds',
  short: 'node.task_ttl_seconds',
} as const;

/** How long nodes and guests may take, and how long a failure is remembered, as the policies have it. */
export const taskTimes = (
  policies: Pick<Policies, 'number' | 'value'>,
): Pick<SagaParts, 'taskSeconds' | 'graceSeconds' | 'failureMemoryMinutes' | 'placing'> => ({
  taskSeconds: (kind) => policies.number(policyOf[kind]),
  graceSeconds: (organizationId) => policies.number('allocation.release_grace_seconds', { organizationId }),
  failureMemoryMinutes: () => policies.number('allocation.placement_failure_memory_minutes'),
  placing: () => ({
    lostAfterSeconds: policies.number('node.lost_after_seconds'),
    candidates: policies.number('allocation.placement_candidates'),
    imageRequired: policies.value('allocation.image_cache_required'),
  }),
});
