import { type Static, Type } from 'typebox';
import { Money } from '../money.ts';
import { defineRoute } from '../route.ts';
import { Activity } from './activity.ts';
import { Allocation } from './allocations/allocations.ts';
import { AllocationCounts } from './allocations/lists.ts';
import { GpuQuota } from './policies.ts';

const strict = { additionalProperties: false } as const;
const Count = Type.Integer({ minimum: 0 });

export const Overview = Type.Object(
  {
    running: Type.Object(
      {
        allocations: Count,
        gpus: Count,
        per_hour: Type.Array(Type.Object(Money.properties, strict), {
          description: 'The sum of the hourly prices of all active allocations, one amount for each currency.',
        }),
      },
      { ...strict, description: 'All active allocations of the project.' },
    ),
    states: AllocationCounts,
    queued: Type.Integer({ minimum: 0, description: 'Requested allocations that wait in the queue.' }),
    gpu_quota: Type.Object(GpuQuota.properties, {
      ...strict,
      description: 'GPUs of the whole organization, in all of its projects.',
    }),
    current: Type.Array(Allocation, { description: 'The latest allocations that have not ended.' }),
    launch_again: Type.Array(Type.Object({ sku: Type.String(), gpus: Type.Integer(), region: Type.String() }, strict), {
      description: 'What the caller launched last in this project, each SKU once.',
    }),
    activity: Type.Union([Type.Array(Activity), Type.Null()], {
      description: 'Recent changes by people; null for a credential that may not read activity.',
    }),
    unread_notices: Type.Union([Type.Integer({ minimum: 0, maximum: 100 }), Type.Null()], {
      description: 'Unread notices of the caller, counted up to 100; null where activity is null.',
    }),
    getting_started: Type.Object(
      {
        has_ssh_key: Type.Boolean(),
        has_launched: Type.Boolean(),
        has_teammates: Type.Boolean(),
        has_token: Type.Boolean(),
      },
      { ...strict, description: 'First steps that the caller has done.' },
    ),
  },
  { $id: 'Overview', ...strict },
);
export type Overview = Static<typeof Overview>;

export const overviewGet = defineRoute({
  id: 'overview_get',
  method: 'GET',
  path: '/api/v1/overview',
  tag: 'Overview',
  summary: 'Overview of a project: allocations, hourly cost, queue and recent activity',
  auth: { kind: 'user', scope: 'allocations:read', serviceAccounts: 'allowed' },
  tenancy: { kind: 'header' },
  lane: 'default',
  errors: [],
  response: Overview,
});
