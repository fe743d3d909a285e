/** A number or choice that the business may want to change without a release. */
export type PolicyKind =
  | { readonly type: 'integer'; readonly default: number; readonly minimum: number; readonly maximum: number }
  | { readonly type: 'boolean'; readonly default: boolean }
  | { readonly type: 'choice'; readonly default: string; readonly choices: readonly string[] };

export type Policy = PolicyKind & {
  readonly key: `${string}.${string}`;
  readonly unit?: string;
  readonly description: string;
  /** Which domain reads it. */
  readonly owner: string;
  /** Where it may be set; left out: at every level. */
  readonly levels?: readonly PolicyLevel[];
};
export const definePolicy = <const P extends Policy>(policy: P): P => policy;
export const whole = <const K extends `${string}.${string}`>(
  key: K,
  range: { readonly default: number; readonly minimum: number; readonly maximum: number; readonly unit: string },
  owner: string,
  description: string,
) => definePolicy({ key, type: 'integer', ...range, owner, description });
export const onOff = <const K extends `${string}.${string}`>(
  key: K,
  fallback: boolean,
  owner: string,
  description: string,
) => definePolicy({ key, type: 'boolean', default: fallback, owner, description });

export type PolicyValue = number | boolean | string;

/** From the most specific to the least: the first one that is set wins. */
export const policyLevels = ['user', 'project', 'organization', 'plan', 'global'] as const;
export type PolicyLevel = (typeof policyLevels)[number];

/** Why a value is not acceptable, or undefined when it is. */
export function policyFault(policy: Policy, value: unknown): string | undefined {
  switch (policy.type) {
    case 'integer':
      if (typeof value !== 'number' || !Number.isInteger(value)) return 'must be a whole number';
      return value < policy.minimum || value > policy.maximum
        ? `must be between ${policy.minimum} and ${policy.maximum}`
        : undefined;
    case 'boolean':
      return typeof value === 'boolean' ? undefined : 'must be true or false';
    case 'choice':
      return typeof value === 'string' && policy.choices.includes(value)
        ? undefined
        : `must be one of ${policy.choices.join(', ')}`;
  }
}
