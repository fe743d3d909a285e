import { type Static, Type } from 'typebox';
import { Slug, Timestamp, Uuid } from '../../../ids.ts';
import { defineRoute } from '../../../route.ts';

const strict = { additionalProperties: false } as const;
const Counts = Type.Record(Type.String(), Type.Integer());

export const FleetHealth = Type.Object(
  {
    nodes: Counts,
    slots: Counts,
    sellable_slots: Type.Integer({ description: 'Free slots that may be sold now.' }),
    alerts: Type.Object(
      { blocks_sale: Type.Integer(), blocks_transition: Type.Integer(), informs: Type.Integer() },
      { ...strict, description: 'Number of alerts, by effect.' },
    ),
    schedulable_nodes: Type.Integer({ description: 'Active, and not cordoned.' }),
    lost_nodes: Type.Integer(),
    oldest_report_at: Type.Union([Timestamp, Type.Null()], {
      description: 'When the active node that has been silent the longest last reported.',
    }),
    silent_nodes: Type.Integer({ description: 'Active nodes that have never reported.' }),
    open_tasks: Type.Integer(),
    queued_allocations: Type.Integer(),
    stuck_allocations: Type.Integer(),
  },
  { $id: 'FleetHealth', ...strict },
);
export type FleetHealth = Static<typeof FleetHealth>;

export const StuckAllocation = Type.Object(
  {
    allocation_id: Uuid,
    organization_id: Uuid,
    state: Type.String(),
    phase: Type.String({ description: 'The latest timeline entry.' }),
    since: Timestamp,
    seconds: Type.Integer({ description: 'How long it has been in this phase.' }),
    usual_seconds: Type.Union([Type.Integer(), Type.Null()], {
      description: 'The 99th percentile of this phase; null without recent data.',
    }),
    limit_seconds: Type.Integer({ description: 'The phase whose usual duration it is compared with.' }),
    node_id: Type.Union([Uuid, Type.Null()]),
    region: Slug,
    sku: Type.String(),
  },
  { $id: 'StuckAllocation', ...strict },
);
export type StuckAllocation = Static<typeof StuckAllocation>;

const shared = {
  auth: { kind: 'admin', scope: 'fleet:read' },
  tenancy: { kind: 'none', why: 'The state of the whole fleet, for operators only.' },
  lane: 'admin',
} as const;

export const fleetHealth = defineRoute({
  id: 'fleet_health',
  method: 'GET',
  path: '/api/v1/admin/fleet/health',
  tag: 'AdminOps',
  summary: 'The state of the fleet in numbers',
  ...shared,
  errors: [],
  response: FleetHealth,
});

export const allocationStuckList = defineRoute({
  id: 'allocation_stuck_list',
  method: 'GET',
  path: '/api/v1/admin/allocations/stuck',
  tag: 'AdminAllocations',
  summary: 'Allocations that take longer in a phase than 99 of 100 recent ones, longest first; at most 200',
  ...shared,
  errors: [],
  response: Type.Object({ data: Type.Array(StuckAllocation) }, strict),
});
