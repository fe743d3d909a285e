import { type Static, Type } from 'typebox';
import { Name, Timestamp, Uuid } from '../../ids.ts';
import { Money } from '../../money.ts';
import { page, pageQuery } from '../../pages.ts';
import { defineRoute } from '../../route.ts';
import { Allocation, launchErrors, launchFields, placeErrors } from './allocations.ts';

const strict = { additionalProperties: false } as const;

export const GroupStatus = Type.Enum(
  ['requested', 'provisioning', 'active', 'degraded', 'releasing', 'released', 'release_failed', 'failed'],
  { description: 'Follows from the members and from whether the group is being released.' },
);
const groupFields = {
  id: Uuid,
  resource_name: Type.String(),
  organization_id: Uuid,
  project_id: Uuid,
  name: Name,
  status: GroupStatus,
  members: Type.Record(Type.String(), Type.Integer(), { description: 'Number of members in each state.' }),
  release_requested_at: Type.Union([Timestamp, Type.Null()]),
  created_at: Timestamp,
};
export const AllocationGroup = Type.Object(groupFields, { $id: 'AllocationGroup', ...strict });
export type AllocationGroup = Static<typeof AllocationGroup>;
export const AllocationGroupDetail = Type.Object(
  {
    ...groupFields,
    per_hour: Type.Array(Type.Object(Money.properties, strict), {
      description: 'The sum of the hourly prices of its active members, one amount for each currency.',
    }),
    allocations: Type.Array(Type.Object(Allocation.properties, strict)),
  },
  { $id: 'AllocationGroupDetail', ...strict },
);
export type AllocationGroupDetail = Static<typeof AllocationGroupDetail>;

const tag = 'AllocationGroups';
const reader = { kind: 'user', scope: 'allocations:read', serviceAccounts: 'allowed' } as const;
const writer = { kind: 'user', scope: 'allocations:write', serviceAccounts: 'allowed' } as const;
const one = { kind: 'owner-of', param: 'allocation_group_id' } as const;
const ofOne = Type.Object({ allocation_group_id: Uuid }, strict);

export const allocationGroupCreate = defineRoute({
  id: 'allocation_group_create',
  method: 'POST',
  path: '/api/v1/allocation-groups',
  tag,
  summary: 'Create several allocations at once: all of them are reserved, or none',
  auth: writer,
  tenancy: { kind: 'header' },
  lane: 'default',
  idempotency: 'key',
  audit: 'allocation_group.create',
  errors: [...launchErrors, ...placeErrors],
  status: 201,
  body: Type.Object(
    {
      name: Name,
      members: Type.Array(Type.Object({ ...launchFields }, strict), { minItems: 1, maxItems: 64 }),
    },
    strict,
  ),
  response: AllocationGroupDetail,
});

export const allocationGroupList = defineRoute({
  id: 'allocation_group_list',
  method: 'GET',
  path: '/api/v1/allocation-groups',
  tag,
  summary: 'The groups of a project, latest first',
  auth: reader,
  tenancy: { kind: 'header' },
  lane: 'default',
  errors: ['cursor_invalid'],
  query: Type.Object(pageQuery, strict),
  response: page(AllocationGroup),
});

export const allocationGroupGet = defineRoute({
  id: 'allocation_group_get',
  method: 'GET',
  path: '/api/v1/allocation-groups/{allocation_group_id}',
  tag,
  summary: 'One group with its allocations',
  auth: reader,
  tenancy: one,
  lane: 'default',
  errors: ['allocation_group_not_found'],
  params: ofOne,
  response: AllocationGroupDetail,
});

export const allocationGroupRelease = defineRoute({
  id: 'allocation_group_release',
  method: 'POST',
  path: '/api/v1/allocation-groups/{allocation_group_id}/release',
  tag,
  summary: 'Release the whole group; repeated, it releases what is still held',
  auth: writer,
  tenancy: one,
  lane: 'default',
  idempotency: 'key',
  audit: 'allocation_group.release',
  errors: ['allocation_group_not_found'],
  status: 202,
  params: ofOne,
  response: AllocationGroupDetail,
});
