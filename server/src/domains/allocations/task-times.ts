import type { Policies } from '../policy/index.ts';
import type { LifeParts } from './life/parts.ts';

const policyOf = {
  provision: 'allocation.provision_timeout_seconds',
  release: 'allocation.release_timeout_seconds',
  short: 'node.task_ttl_seconds',
} as const;

/** The times and limits of `LifeParts`, from the policies. */
export const taskTimes = (
  policies: Pick<Policies, 'number' | 'value'>,
): Pick<LifeParts, 'taskSeconds' | 'graceSeconds' | 'failureMemoryMinutes' | 'gpuTimeSpeed' | 'placing'> => ({
  taskSeconds: (kind) => policies.number(policyOf[kind]),
  gpuTimeSpeed: () => policies.number('node.simulated_gpu_time_speed'),
  graceSeconds: (organizationId) => policies.number('allocation.release_grace_seconds', { organizationId }),
  failureMemoryMinutes: () => policies.number('allocation.placement_failure_memory_minutes'),
  placing: () => ({
    lostAfterSeconds: policies.number('node.lost_after_seconds'),
    candidates: policies.number('allocation.placement_candidates'),
    imageRequired: policies.value('allocation.image_cache_required'),
  }),
});
