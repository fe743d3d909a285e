import type { Act } from '../../../kernel/act.ts';
import type { Clock } from '../../../kernel/clock.ts';
import { secondMs } from '../../../kernel/units.ts';
import type { Policies } from '../../policy/index.ts';
import { taskTimes } from '../task-times.ts';
import type { LaunchLimits } from './launch-request.ts';

/** The policies that bound a launch of this caller. */
export function launchLimits(
  { policies, clock }: { readonly policies: Policies; readonly clock: Clock },
  act: Act,
): LaunchLimits {
  const provisionSeconds = taskTimes(policies).taskSeconds('provision');
  return {
    maxDurationHours: policies.number('allocation.max_duration_max_hours', act),
    imageCacheRequired: policies.value('allocation.image_cache_required', act),
    windowSeconds: policies.number('billing.window_seconds'),
    provisionSeconds,
    endsAt: (seconds: number) => new Date(clock.now().getTime() + (provisionSeconds + seconds) * secondMs),
  };
}
