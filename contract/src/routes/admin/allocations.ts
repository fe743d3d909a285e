import { type Static, Type } from 'typebox';
import { Timestamp, Uuid } from '../../ids.ts';
import { page, pageQuery } from '../../pages.ts';
import { defineRoute } from '../../route.ts';
import { recentSignIn } from '../../step-up.ts';
import { Allocation, AllocationState } from '../allocations/allocations.ts';

const strict = { additionalProperties: false } as const;
const orNull = <const S extends Parameters<typeof Type.Union>[0][number]>(schema: S) =>
  Type.Union([schema, Type.Null()]);

export const AdminAllocation = Type.Object(
  {
    ...Allocation.properties,
    node_id: orNull(Uuid),
    node_name: orNull(Type.String()),
    generation: Type.Integer(),
    release_attempts: Type.Integer(),
    slots: Type.Record(Type.String(), Type.Integer(), { description: 'How many of its slots are in which state.' }),
  },
  { $id: 'AdminAllocation', ...strict },
);
export type AdminAllocation = Static<typeof AdminAllocation>;

export const QueueEntry = Type.Object(
  {
    position: Type.Integer({ minimum: 1 }),
    allocation_id: Uuid,
    organization_id: Uuid,
    project_id: Uuid,
    sku: Type.String(),
    region: Type.String(),
    gpu_count: Type.Integer(),
    waiting_since: Timestamp,
    deadline_at: Timestamp,
    weight: Type.Number({ description: 'Priority in the queue: a lower number goes first.' }),
    host_reserved: Type.Boolean({ description: 'A host is reserved for it.' }),
    expected_start_at: orNull(Timestamp),
  },
  { $id: 'QueueEntry', ...strict },
);
export type QueueEntry = Static<typeof QueueEntry>;

export const FullDecision = Type.Object(
  {
    outcome: Type.Enum(['placed', 'queued', 'refused']),
    document: Type.Object({}, { description: 'The decision of the placement engine, with every host by name.' }),
    decided_at: Timestamp,
  },
  { $id: 'FullDecision', ...strict },
);

const tag = 'AdminAllocations';
const reader = { kind: 'admin', scope: 'fleet:read' } as const;
const writer = { kind: 'admin', scope: 'fleet:admin' } as const;
const everybodys = { kind: 'none', why: 'Operators manage the allocations of all tenants.' } as const;
const ofOne = Type.Object({ allocation_id: Uuid }, strict);
const Reason = Type.String({ minLength: 1, maxLength: 500, pattern: '^[^\\x00-\\x1f\\x7f-\\x9f]*$' });

export const adminAllocationList = defineRoute({
  id: 'admin_allocation_list',
  method: 'GET',
  path: '/api/v1/admin/allocations',
  tag,
  summary: 'Allocations of all tenants, latest first',
  auth: reader,
  tenancy: everybodys,
  lane: 'admin',
  errors: ['cursor_invalid'],
  query: Type.Object(
    {
      ...pageQuery,
      state: Type.Optional(AllocationState),
      node: Type.Optional(Uuid),
      organization: Type.Optional(Uuid),
      ended: Type.Optional(
        Type.Enum(['true', 'false'], {
          description: 'false: only those that are not `released` or `failed`; true: only those.',
        }),
      ),
    },
    strict,
  ),
  response: page(AdminAllocation),
});

export const adminAllocationQueue = defineRoute({
  id: 'admin_allocation_queue',
  method: 'GET',
  path: '/api/v1/admin/allocations/queue',
  tag,
  summary: 'The queue, in the order in which capacity would be given',
  auth: reader,
  tenancy: everybodys,
  lane: 'admin',
  errors: [],
  query: Type.Object(
    { sku: Type.Optional(Type.String({ maxLength: 100 })), region: Type.Optional(Type.String({ maxLength: 63 })) },
    strict,
  ),
  response: Type.Object({ data: Type.Array(QueueEntry) }, strict),
});

export const adminAllocationPlacement = defineRoute({
  id: 'admin_allocation_placement',
  method: 'GET',
  path: '/api/v1/admin/allocations/{allocation_id}/placement',
  tag,
  summary: 'Why an allocation was placed there, with hosts by name',
  auth: reader,
  tenancy: everybodys,
  lane: 'admin',
  errors: ['allocation_not_found'],
  params: ofOne,
  response: FullDecision,
});

export const adminAllocationForceRelease = defineRoute({
  id: 'admin_allocation_force_release',
  method: 'POST',
  path: '/api/v1/admin/allocations/{allocation_id}/force-release',
  tag,
  summary: 'Release an allocation without waiting for its guest; as often as the policy allows',
  auth: writer,
  tenancy: everybodys,
  lane: 'admin',
  idempotency: 'key',
  audit: 'allocation.force_release',
  stepUp: recentSignIn,
  errors: ['allocation_not_found', 'allocation_already_releasing', 'illegal_transition'],
  status: 202,
  params: ofOne,
  body: Type.Object({ reason: Reason }, strict),
  response: AdminAllocation,
});

export const adminAllocationForceCleanup = defineRoute({
  id: 'admin_allocation_force_cleanup',
  method: 'POST',
  path: '/api/v1/admin/allocations/{allocation_id}/force-cleanup',
  tag,
  summary:
    'Settle an allocation whose release failed: its slots come back only if an operator looked and a fresh probe passed',
  auth: writer,
  tenancy: everybodys,
  lane: 'admin',
  idempotency: 'key',
  audit: 'allocation.force_cleanup',
  stepUp: recentSignIn,
  errors: ['allocation_not_found', 'illegal_transition', 'probe_required'],
  params: ofOne,
  body: Type.Object(
    {
      runtime_verified_absent: Type.Boolean({
        description:
          'You checked the host: nothing of the allocation is left. Its slots come back if a health probe passed that was requested after they were blocked. With false they stay blocked.',
      }),
      reason: Reason,
    },
    strict,
  ),
  response: AdminAllocation,
});
