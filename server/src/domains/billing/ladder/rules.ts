import type { Policies } from '../../policy/index.ts';
import type { LadderRules } from './decide.ts';

/** The policies of the ladder, as they are for one organization. */
export function rulesOf(policies: Policies, organizationId: string): LadderRules {
  const of = { organizationId };
  return {
    enforced: policies.value('billing.enforce_balance', of) === true,
    warnMinutes: [
      policies.number('billing.first_warning_minutes', of),
      policies.number('billing.second_warning_minutes', of),
      policies.number('billing.last_warning_minutes', of),
    ],
    thresholdMinor: BigInt(policies.number('billing.low_balance_threshold_minor', of)),
    noticeMinutes: policies.number('billing.release_notice_minutes', of),
    keepMinutes: policies.number('billing.stopped_keep_minutes', of),
    speed: policies.number('node.simulated_gpu_time_speed'),
  };
}
