import { type Static, Type } from 'typebox';
import { Uuid } from '../../ids.ts';
import { page, pageQuery } from '../../pages.ts';
import { defineRoute } from '../../route.ts';
import { Allocation, AllocationState, SkuName } from './allocations.ts';

const strict = { additionalProperties: false } as const;
const tag = 'Allocations';
const reader = { kind: 'user', scope: 'allocations:read', serviceAccounts: 'allowed' } as const;

/** How many allocations of a project are in each state. */
export const AllocationCounts = Type.Object(
  {
    requested: Type.Integer({ minimum: 0 }),
    provisioning: Type.Integer({ minimum: 0 }),
    active: Type.Integer({ minimum: 0 }),
    releasing: Type.Integer({ minimum: 0 }),
    released: Type.Integer({ minimum: 0 }),
    failed: Type.Integer({ minimum: 0 }),
    release_failed: Type.Integer({ minimum: 0 }),
  },
  { $id: 'AllocationCounts', ...strict },
);
export type AllocationCounts = Static<typeof AllocationCounts>;

const allocationFilters = {
  state: Type.Optional(AllocationState),
  sku: Type.Optional(SkuName),
  tag: Type.Optional(Type.String({ maxLength: 264, description: 'A key, or key=value.' })),
  group: Type.Optional(Uuid),
  q: Type.Optional(
    Type.String({ minLength: 1, maxLength: 200, description: 'Part of the name, the SKU, the region or the id.' }),
  ),
  requested_by: Type.Optional(Type.String({ maxLength: 64, description: 'The id of a person or a service account.' })),
};

export const allocationList = defineRoute({
  id: 'allocation_list',
  method: 'GET',
  path: '/api/v1/allocations',
  tag,
  summary: 'The allocations of a project, searched, filtered and ordered',
  auth: reader,
  tenancy: { kind: 'header' },
  lane: 'default',
  errors: ['cursor_invalid'],
  query: Type.Object(
    {
      ...pageQuery,
      ...allocationFilters,
      order: Type.Optional(
        Type.Enum(['newest', 'oldest'], { default: 'newest', description: 'By the time of the request.' }),
      ),
    },
    strict,
  ),
  response: page(Allocation),
});

export const allocationCounts = defineRoute({
  id: 'allocation_counts',
  method: 'GET',
  path: '/api/v1/allocations/counts',
  tag,
  summary: 'How many allocations of a project match, in all and by state',
  auth: reader,
  tenancy: { kind: 'header' },
  lane: 'default',
  errors: [],
  query: Type.Object({ ...allocationFilters }, strict),
  response: Type.Object(
    { total: Type.Integer({ minimum: 0 }), states: Type.Object(AllocationCounts.properties, strict) },
    { $id: 'AllocationCountsAnswer', ...strict },
  ),
});
