import { type Static, Type } from 'typebox';
import { Timestamp, Uuid } from '../ids.ts';
import { policyLevels } from '../policy.ts';
import { defineRoute } from '../route.ts';

const Value = Type.Union([Type.Integer(), Type.Boolean(), Type.String({ maxLength: 200 })], {
  description: 'A number, true or false, or one of the choices, as the policy says.',
});
const Level = Type.Enum([...policyLevels], { description: 'The most specific level that is set wins.' });

export const PolicyDefinition = Type.Object(
  {
    key: Type.String(),
    type: Type.Enum(['integer', 'boolean', 'choice']),
    default: Value,
    minimum: Type.Optional(Type.Integer()),
    maximum: Type.Optional(Type.Integer()),
    choices: Type.Optional(Type.Array(Type.String())),
    unit: Type.Optional(Type.String()),
    description: Type.String(),
    owner: Type.String(),
    levels: Type.Optional(
      Type.Array(Type.Enum([...policyLevels]), { description: 'Where it may be set; left out: at every level.' }),
    ),
  },
  { $id: 'PolicyDefinition', additionalProperties: false },
);
export type PolicyDefinition = Static<typeof PolicyDefinition>;

export const EffectivePolicy = Type.Object(
  {
    key: Type.String(),
    value: Value,
    /** The source of the value. */
    source: Type.Object(
      {
        level: Type.Enum([...policyLevels, 'default']),
        subject_id: Type.Union([Type.String(), Type.Null()]),
        hard: Type.Boolean({ description: 'Set for the whole platform, overrides every other level.' }),
      },
      { additionalProperties: false },
    ),
    definition: PolicyDefinition,
  },
  { $id: 'EffectivePolicy', additionalProperties: false },
);
export type EffectivePolicy = Static<typeof EffectivePolicy>;

/** How many GPUs an organization holds, and how many it may hold. */
export const GpuQuota = Type.Object(
  {
    held: Type.Integer({
      minimum: 0,
      description: 'GPUs of all allocations of the organization that are queued, requested, provisioning or active.',
    }),
    limit: Type.Integer({ minimum: 0, description: 'allocation.max_gpus_per_organization as it applies here.' }),
    level: Type.Enum([...policyLevels, 'default'], { description: 'Where the limit is set.' }),
  },
  { $id: 'GpuQuota', additionalProperties: false },
);
export type GpuQuota = Static<typeof GpuQuota>;

export const PolicySetting = Type.Object(
  {
    id: Uuid,
    key: Type.String(),
    level: Level,
    subject_id: Type.Union([Type.String(), Type.Null()]),
    value: Value,
    hard: Type.Boolean(),
    reason: Type.String(),
    updated_at: Timestamp,
  },
  { $id: 'PolicySetting', additionalProperties: false },
);
export type PolicySetting = Static<typeof PolicySetting>;

const operators = { kind: 'none', why: 'Settings of all tenants, for operators only.' } as const;
const params = Type.Object(
  { policy_key: Type.String({ pattern: '^[a-z_]+\\.[a-z_]+$', maxLength: 100 }) },
  { additionalProperties: false },
);
const reason = Type.String({ minLength: 3, maxLength: 500, description: 'Why; kept in the audit log.' });
const subject = Type.Optional(
  Type.String({
    minLength: 1,
    maxLength: 64,
    description: 'The subject: an id, or the name of a plan. Not for global.',
  }),
);

export const policyList = defineRoute({
  id: 'policy_list',
  method: 'GET',
  path: '/api/v1/policies',
  tag: 'Policies',
  summary: 'The policies that apply to the caller in this project, with the source of each value',
  auth: { kind: 'user', scope: 'policies:read', serviceAccounts: 'allowed' },
  tenancy: { kind: 'header' },
  lane: 'default',
  errors: [],
  response: Type.Object({ data: Type.Array(EffectivePolicy) }, { additionalProperties: false }),
});

export const policySettingList = defineRoute({
  id: 'policy_setting_list',
  method: 'GET',
  path: '/api/v1/admin/policies',
  tag: 'AdminPolicies',
  summary: 'Every policy with its definition and all its settings',
  auth: { kind: 'admin', scope: 'policies:admin' },
  tenancy: operators,
  lane: 'admin',
  errors: [],
  response: Type.Object(
    { definitions: Type.Array(PolicyDefinition), settings: Type.Array(PolicySetting) },
    { additionalProperties: false },
  ),
});

export const policySet = defineRoute({
  id: 'policy_set',
  method: 'PUT',
  path: '/api/v1/admin/policies/{policy_key}',
  tag: 'AdminPolicies',
  summary: 'Set a policy at one level',
  auth: { kind: 'admin', scope: 'policies:admin' },
  tenancy: operators,
  stepUp: { maxAge: 'auth.step_up_max_age_seconds' },
  lane: 'admin',
  idempotency: 'key',
  audit: 'policy.update',
  errors: [
    'policy_not_found',
    'policy_out_of_bounds',
    'policy_level_invalid',
    'second_factor_missing',
    'version_conflict',
  ],
  params,
  body: Type.Object(
    {
      level: Level,
      subject_id: subject,
      value: Value,
      hard: Type.Optional(Type.Boolean({ description: 'Overrides every other level; global only.' })),
      expected_value: Type.Optional(
        Type.Union([Value, Type.Null()], {
          description:
            'The value that you saw at this level, null for none. If it is another one by now, nothing is changed and the answer says who changed it.',
        }),
      ),
      reason,
    },
    { additionalProperties: false },
  ),
  response: PolicySetting,
});

export const policyUnset = defineRoute({
  id: 'policy_unset',
  method: 'DELETE',
  path: '/api/v1/admin/policies/{policy_key}',
  tag: 'AdminPolicies',
  summary: 'Remove a setting; the next level applies',
  auth: { kind: 'admin', scope: 'policies:admin' },
  tenancy: operators,
  stepUp: { maxAge: 'auth.step_up_max_age_seconds' },
  lane: 'admin',
  idempotency: 'key',
  audit: 'policy.unset',
  errors: ['policy_not_found', 'policy_level_invalid'],
  params,
  body: Type.Object({ level: Level, subject_id: subject, reason }, { additionalProperties: false }),
  response: PolicySetting,
});
