import { systemIds } from '../../src/kernel/id.ts';
import { asSystem } from '../../src/testing/world.ts';
import type { MakeExample } from './examples.ts';

const nothing: MakeExample = async () => ({});
const newPlan = () => `plan-${systemIds.next().slice(-12)}`;

/** Good requests for the routes about policies. */
export const policyExamples = {
  policy_list: nothing,
  policy_setting_list: nothing,
  policy_set: async () => ({
    params: { policy_key: 'billing.window_seconds' },
    body: { level: 'plan', subject_id: newPlan(), value: 30, reason: 'an example' },
  }),
  policy_unset: async (world) => {
    const plan = newPlan();
    await asSystem(
      world.root,
      `insert into policy_values (id, key, level, subject_id, value, reason)
       values (gen_random_uuid(), 'billing.window_seconds', 'plan', $1, '30', 'an example')`,
      [plan],
    );
    return {
      params: { policy_key: 'billing.window_seconds' },
      body: { level: 'plan', subject_id: plan, reason: 'an example' },
    };
  },
} satisfies Record<string, MakeExample>;
