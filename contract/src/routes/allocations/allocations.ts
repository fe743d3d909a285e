import { type Static, Type } from 'typebox';
import { Name, Slug, Timestamp, Uuid } from '../../ids.ts';
import { Money } from '../../money.ts';
import { page, pageQuery } from '../../pages.ts';
import { defineRoute } from '../../route.ts';
import { AllocationConcern } from '../admin/alerts.ts';
import { attemptFields, FailedAttempts } from './attempts.ts';
import { AttestationReceipt, TimelineItem } from './history.ts';
import { PlacementDecision } from './placement.ts';

const strict = { additionalProperties: false } as const;
const orNull = <const S extends Parameters<typeof Type.Union>[0][number]>(schema: S) =>
  Type.Union([schema, Type.Null()]);
const slug = (what: string) =>
  Type.String({ pattern: '^[a-z0-9](?:[a-z0-9.-]{0,98}[a-z0-9])?$', minLength: 1, maxLength: 100, description: what });
export const SkuName = slug('A SKU of the catalog.');
const ImageName = slug('An image of the catalog; default: the first that suits the SKU.');

export const AllocationState = Type.Enum([
  'requested',
  'provisioning',
  'active',
  'releasing',
  'released',
  'failed',
  'release_failed',
]);
export const Tags = Type.Record(
  Type.String({ pattern: '^[a-zA-Z0-9][a-zA-Z0-9._/-]{0,62}$' }),
  Type.String({ maxLength: 200, pattern: '^[^\\x00-\\x1f\\x7f-\\x9f]*$' }),
  { maxProperties: 32, description: 'Your own labels, for search.' },
);
const IdleGuard = Type.Object(
  {
    minutes: Type.Integer({ minimum: 1, maximum: 100_000, description: 'All GPUs idle for this long.' }),
    action: Type.Enum(['warn', 'release']),
  },
  strict,
);
const SshKeyIds = Type.Array(Uuid, {
  maxItems: 100,
  uniqueItems: true,
  description: 'Your own SSH keys and those of the project.',
});

/** One allocation request. */
export const launchFields = {
  sku: SkuName,
  gpus: Type.Integer({ minimum: 1, maximum: 64 }),
  region: Slug,
  name: Type.Optional(Name),
  ssh_key_ids: Type.Optional(SshKeyIds),
  image: Type.Optional(ImageName),
  max_duration_seconds: Type.Optional(
    Type.Integer({ minimum: 60, maximum: 315_360_000, description: 'Released this long after it became active.' }),
  ),
  max_spend: Type.Optional(
    Type.Object(
      {
        amount_minor: Type.String({
          pattern: '^[1-9][0-9]{0,14}$',
          description: 'Whole minor units: 2500 is 25 dollars.',
        }),
        currency: Type.String({ pattern: '^[A-Z]{3}$' }),
      },
      { ...strict, description: 'Released before it costs more than this. Its host keeps the deadline, too.' },
    ),
  ),
  idle: Type.Optional(IdleGuard),
  tags: Type.Optional(Tags),
};
const createBody = Type.Object(
  {
    ...launchFields,
    quote_id: Type.Optional(
      Type.String({ ...Uuid, description: 'A quote of this project: the launch pays its price.' }),
    ),
    queue: Type.Optional(
      Type.Object(
        {
          max_wait_seconds: Type.Integer({
            minimum: 1,
            maximum: 31_536_000,
            description: 'When no capacity is free, wait this long in the queue instead of being refused.',
          }),
        },
        strict,
      ),
    ),
  },
  strict,
);

export const Price = Type.Object(
  {
    price_id: orNull(Uuid),
    unit: Type.Enum(['gpu_hour', 'node_hour']),
    unit_price: Money,
    per_hour: Money,
  },
  strict,
);
export const AllocationAction = Type.Object(
  {
    action: Type.Enum(['release', 'extend', 'restart', 'rename', 'set_ssh_keys', 'open_terminal']),
    allowed: Type.Boolean(),
    why_not: orNull(Type.String()),
  },
  { $id: 'AllocationAction', ...strict },
);
export type AllocationAction = Static<typeof AllocationAction>;

const allocationFields = {
  id: Uuid,
  resource_name: Type.String(),
  organization_id: Uuid,
  project_id: Uuid,
  group_id: orNull(Uuid),
  name: Name,
  tags: Tags,
  requested_by: Type.String(),
  state: AllocationState,
  version: Type.Integer(),
  placement_status: Type.Enum(['queued', 'reserved', 'leased', 'freed']),
  sku: Type.String(),
  capacity_shape: Type.Enum(['baremetal', 'gpu_slice']),
  gpu_count: Type.Integer(),
  region: Type.String(),
  profile: orNull(
    Type.Object(
      { name: Type.String(), vcpus: Type.Integer(), memory_mib: Type.Integer() },
      { description: 'The promised size of the machine.' },
    ),
  ),
  image: orNull(Type.String()),
  isolation_model: Type.Enum(['user-revoke', 'full-reimage']),
  price: Price,
  login: orNull(Type.Object({ username: Type.String(), uid: Type.Integer(), gid: Type.Integer() }, strict)),
  access: orNull(
    Type.Object({}, { description: 'Where it is reached, once it is active: ssh, with address, port and host key.' }),
  ),
  max_duration_seconds: orNull(Type.Integer()),
  max_spend: orNull(Type.Object(Money.properties, { ...strict, description: 'It is released before it costs more.' })),
  expires_at: orNull(Timestamp),
  idle: orNull(IdleGuard),
  failure: orNull(Type.Object({ code: Type.String(), reason: Type.String() }, strict)),
  release_reason: orNull(Type.String()),
  ...attemptFields,
  simulated: Type.Boolean({
    description: 'Its host is simulated: there is no such machine, and nothing to sign in to by SSH.',
  }),
  reachable: Type.Boolean({ description: 'Whether its host reports. A silent host ends nothing.' }),
  concerns: Type.Array(AllocationConcern, { description: 'What its owner should know about its host or its GPUs.' }),
  stop: orNull(
    Type.Object(
      {
        phase: Type.Enum(['stopping', 'stopped', 'starting']),
        reason: Type.Enum(['balance_depleted']),
        since: Timestamp,
        kept_until: orNull(
          Type.String({
            format: 'date-time',
            description: 'When it is released, if nothing is paid until then; null once the balance lasts again.',
          }),
        ),
      },
      {
        ...strict,
        description:
          'Set while its machine is stopped for lack of money, or on the way there or back. It keeps its place and its disk, and costs nothing while stopped.',
      },
    ),
  ),
  actions: Type.Array(AllocationAction, { description: 'The actions that are possible now; for the others, why not.' }),
  created_at: Timestamp,
  provisioning_started_at: orNull(Timestamp),
  active_at: orNull(Timestamp),
  releasing_at: orNull(Timestamp),
  over: Type.Boolean({
    description: 'It has ended for its owner. The state says how far its host has cleaned up.',
  }),
  ended_at: orNull(Timestamp),
  updated_at: Timestamp,
};
export const Allocation = Type.Object(allocationFields, { $id: 'Allocation', ...strict });
export type Allocation = Static<typeof Allocation>;

export const AllocationDetail = Type.Object(
  {
    ...allocationFields,
    ssh_keys: Type.Array(Type.Object({ ssh_key_id: Uuid, fingerprint: Type.String() }, strict)),
    queue: orNull(
      Type.Object(
        {
          position: Type.Integer({
            minimum: 1,
            description: 'The first in the queue may be placed next; the position can change.',
          }),
          deadline_at: Timestamp,
          reason: Type.String(),
          host_reserved: Type.Boolean({
            description:
              'It has waited so long that a host is reserved for it; other requests use that host only if they end before.',
          }),
          expected_start_at: orNull(
            Type.String({
              format: 'date-time',
              description: 'When its host should become free, if all allocations there have a declared end.',
            }),
          ),
        },
        strict,
      ),
    ),
    failed_attempts: FailedAttempts,
    failed_phase: orNull(
      Type.String({
        description: 'The phase in which its launch failed: placed, lease, or a phase of its timeline.',
      }),
    ),
    charged: orNull(
      Type.Object(
        {
          ...Money.properties,
          charged_to: Type.String({ format: 'date-time', description: 'Evidence is charged up to this time.' }),
        },
        { ...strict, description: 'The cost so far, charged from evidence of its host.' },
      ),
    ),
    receipt: orNull(
      Type.Object(
        {
          attestation_id: Uuid,
          taken_at: Timestamp,
          passed: Type.Boolean(),
          simulated: Type.Boolean({ description: 'The attested machine is simulated.' }),
          gpus: Type.Integer(),
          driver_version: Type.String(),
          cuda_version: Type.String(),
        },
        {
          ...strict,
          description:
            'The attestation that made it active, or the one that failed. All of them are under attestations.',
        },
      ),
    ),
    last_attestation: orNull(
      Type.Object(
        { attestation_id: Uuid, taken_at: Timestamp, passed: Type.Boolean() },
        { ...strict, description: 'The latest later attestation.' },
      ),
    ),
  },
  { $id: 'AllocationDetail', ...strict },
);
export type AllocationDetail = Static<typeof AllocationDetail>;

export const AllocationPlan = Type.Object(
  {
    feasible: Type.Boolean(),
    message: Type.String(),
    price: Price,
    projected: orNull(
      Type.Object(Money.properties, { ...strict, description: 'For the whole of max_duration_seconds.' }),
    ),
    profile: allocationFields.profile,
    decision: Type.Object(PlacementDecision.properties, strict),
  },
  { $id: 'AllocationPlan', ...strict },
);
export type AllocationPlan = Static<typeof AllocationPlan>;

const tag = 'Allocations';
const reader = { kind: 'user', scope: 'allocations:read', serviceAccounts: 'allowed' } as const;
const writer = { kind: 'user', scope: 'allocations:write', serviceAccounts: 'allowed' } as const;
const one = { kind: 'owner-of', param: 'allocation_id' } as const;
const ofOne = Type.Object({ allocation_id: Uuid }, strict);
const Reason = Type.String({ minLength: 1, maxLength: 500, pattern: '^[^\\x00-\\x1f\\x7f-\\x9f]*$' });
/** How a request may be refused before placement. */
export const launchErrors = [
  'project_not_found',
  'sku_not_found',
  'region_not_found',
  'os_image_not_found',
  'gpu_count_invalid',
  'duration_invalid',
  'ssh_key_not_found',
  'currency_mismatch',
  'max_spend_too_low',
] as const;
/** How a quote may be refused by a launch. */
const quoteErrors = ['quote_not_found', 'quote_expired', 'quote_used', 'quote_mismatch'] as const;
/** How a request may be refused by placement. */
export const placeErrors = [
  'sku_unavailable',
  'insufficient_balance',
  'invoice_past_due',
  'budget_exceeded',
  'allocation_concurrency_limit',
  'organization_gpu_limit',
] as const;

export const allocationPlan = defineRoute({
  id: 'allocation_plan',
  method: 'POST',
  path: '/api/v1/allocations/plan',
  tag,
  summary: 'Check capacity and price, with the reasons; reserves nothing',
  auth: writer,
  tenancy: { kind: 'header' },
  lane: 'default',
  idempotency: 'key',
  audit: 'allocation.plan',
  errors: [...launchErrors],
  body: Type.Object({ ...launchFields }, strict),
  response: AllocationPlan,
});

export const allocationCreate = defineRoute({
  id: 'allocation_create',
  method: 'POST',
  path: '/api/v1/allocations',
  tag,
  summary: 'Create an allocation: reserved at once, queued if requested, or refused with reasons',
  auth: writer,
  tenancy: { kind: 'header' },
  lane: 'default',
  idempotency: 'key',
  audit: 'allocation.create',
  errors: [...launchErrors, ...placeErrors, ...quoteErrors],
  status: 201,
  body: createBody,
  response: Allocation,
});

export const allocationGet = defineRoute({
  id: 'allocation_get',
  method: 'GET',
  path: '/api/v1/allocations/{allocation_id}',
  tag,
  summary: 'One allocation, with the report of its node and the possible actions',
  auth: reader,
  tenancy: one,
  lane: 'default',
  errors: ['allocation_not_found'],
  params: ofOne,
  response: AllocationDetail,
});

export const allocationTimeline = defineRoute({
  id: 'allocation_timeline',
  method: 'GET',
  path: '/api/v1/allocations/{allocation_id}/timeline',
  tag,
  summary: 'The timeline of an allocation, in order',
  auth: reader,
  tenancy: one,
  lane: 'default',
  errors: ['allocation_not_found', 'cursor_invalid'],
  params: ofOne,
  query: Type.Object(pageQuery, strict),
  response: page(TimelineItem),
});

export const allocationPlacement = defineRoute({
  id: 'allocation_placement',
  method: 'GET',
  path: '/api/v1/allocations/{allocation_id}/placement',
  tag,
  summary: 'Why an allocation was placed, or is not placed yet',
  auth: reader,
  tenancy: one,
  lane: 'default',
  errors: ['allocation_not_found'],
  params: ofOne,
  response: PlacementDecision,
});

export const allocationAttestations = defineRoute({
  id: 'allocation_attestations',
  method: 'GET',
  path: '/api/v1/allocations/{allocation_id}/attestations',
  tag,
  summary: 'The attestations of an allocation, with the signed results',
  auth: reader,
  tenancy: one,
  lane: 'default',
  errors: ['allocation_not_found', 'cursor_invalid'],
  params: ofOne,
  query: Type.Object(pageQuery, strict),
  response: page(AttestationReceipt),
});

export const allocationUpdate = defineRoute({
  id: 'allocation_update',
  method: 'PATCH',
  path: '/api/v1/allocations/{allocation_id}',
  tag,
  summary: 'Rename, tag, or change the idle guard',
  auth: writer,
  tenancy: one,
  lane: 'default',
  idempotency: 'key',
  audit: 'allocation.update',
  errors: ['allocation_not_found', 'version_conflict', 'illegal_transition', 'budget_tag_locked'],
  params: ofOne,
  body: Type.Object(
    {
      name: Type.Optional(Name),
      tags: Type.Optional(Tags),
      idle: Type.Optional(orNull(IdleGuard)),
      version: Type.Optional(Type.Integer({ minimum: 1, description: 'The version that you saw.' })),
    },
    { ...strict, minProperties: 1 },
  ),
  response: Allocation,
});

export const allocationRelease = defineRoute({
  id: 'allocation_release',
  method: 'POST',
  path: '/api/v1/allocations/{allocation_id}/release',
  tag,
  summary:
    'Release an allocation. What was not provisioned yet ends at once; the rest when its node has proven that nothing is left',
  auth: writer,
  tenancy: one,
  lane: 'default',
  idempotency: 'key',
  audit: 'allocation.release',
  errors: ['allocation_not_found', 'allocation_already_releasing', 'illegal_transition'],
  status: 202,
  params: ofOne,
  body: Type.Object({ reason: Type.Optional(Reason) }, strict),
  response: Allocation,
});

export const allocationExtend = defineRoute({
  id: 'allocation_extend',
  method: 'POST',
  path: '/api/v1/allocations/{allocation_id}/extend',
  tag,
  summary: 'Extend an allocation',
  auth: writer,
  tenancy: one,
  lane: 'default',
  idempotency: 'key',
  audit: 'allocation.extend',
  errors: ['allocation_not_found', 'allocation_not_active', 'duration_invalid', 'budget_exceeded'],
  params: ofOne,
  body: Type.Object({ seconds: Type.Integer({ minimum: 60, maximum: 315_360_000 }) }, strict),
  response: Allocation,
});

export const allocationRestart = defineRoute({
  id: 'allocation_restart',
  method: 'POST',
  path: '/api/v1/allocations/{allocation_id}/restart',
  tag,
  summary: 'Reboot the machine; it stays the same allocation',
  auth: writer,
  tenancy: one,
  lane: 'default',
  idempotency: 'key',
  audit: 'allocation.restart',
  errors: ['allocation_not_found', 'allocation_not_active'],
  status: 202,
  params: ofOne,
  response: Allocation,
});

export const allocationSetSshKeys = defineRoute({
  id: 'allocation_set_ssh_keys',
  method: 'PUT',
  path: '/api/v1/allocations/{allocation_id}/ssh-keys',
  tag,
  summary: 'Replace the SSH keys of an allocation',
  auth: writer,
  tenancy: one,
  lane: 'default',
  idempotency: 'key',
  audit: 'allocation.set_ssh_keys',
  errors: ['allocation_not_found', 'ssh_key_not_found', 'illegal_transition', 'insufficient_permissions'],
  params: ofOne,
  body: Type.Object({ ssh_key_ids: SshKeyIds }, strict),
  response: AllocationDetail,
});
