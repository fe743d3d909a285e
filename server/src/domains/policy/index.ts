import { type PolicyKey, policies } from '@gpuaas/contract';

/** Policy: the numbers and choices that may change without a release. Today each has its default, or one override. */
export interface Policies {
  number(key: PolicyKey): number;
}

export function makePolicies(overrides: Partial<Record<PolicyKey, number>> = {}): Policies {
  const values = new Map<PolicyKey, number>();
  for (const policy of policies) {
    const value = overrides[policy.key] ?? policy.default;
    if (value < policy.minimum || value > policy.maximum) {
      throw new Error(`${policy.key} must be between ${policy.minimum} and ${policy.maximum}, not ${value}.`);
    }
    values.set(policy.key, value);
  }
  return { number: (key) => values.get(key) as number };
}
