import { type Static, Type } from 'typebox';
import { Timestamp, Uuid } from '../../../ids.ts';
import { defineRoute } from '../../../route.ts';
import { oneAtATime, recentSignIn } from '../../../step-up.ts';

const strict = { additionalProperties: false } as const;
const Text = Type.Union([Type.String(), Type.Null()]);

export const SlotAction = Type.Object(
  {
    action: Type.Enum(['enable', 'disable', 'quarantine', 'clear', 'clear_unproven']),
    allowed: Type.Boolean(),
    why_not: Text,
  },
  { $id: 'SlotAction', ...strict },
);
export type SlotAction = Static<typeof SlotAction>;

export const WipeWaiver = Type.Object(
  { at: Timestamp, by: Uuid, reason: Type.String() },
  { $id: 'WipeWaiver', ...strict },
);

/** One GPU with its disk and fabric function. */
export const ResourceSlot = Type.Object(
  {
    id: Uuid,
    slot_index: Type.Integer(),
    state: Type.Enum(['disabled', 'available', 'reserved', 'in_use', 'cleaning', 'cleanup_blocked', 'quarantined']),
    state_reason: Text,
    health_state: Type.Enum(['healthy', 'degraded', 'failed', 'unknown']),
    health_detail: Text,
    version: Type.Integer(),
    generation: Type.Integer(),
    allocation_id: Type.Union([Uuid, Type.Null()]),
    gpu_uuid: Type.String(),
    gpu_model: Type.String(),
    gpu_memory_mib: Type.Integer(),
    pci_address: Type.String(),
    fabric_vf_pci_address: Text,
    nvme_device: Text,
    mac_address: Text,
    private_ip: Text,
    numa_node: Type.Integer(),
    wipe_owed_since: Type.Union([Timestamp, Type.Null()], {
      description:
        'Since when it has not been proven that the slot was wiped after its last use; it is not sold meanwhile.',
    }),
    wipe_proof_task_id: Type.Union([Uuid, Type.Null()], {
      description: 'The task whose result, signed by the node, proves the wipe that is owed.',
    }),
    wipe_waived: Type.Union([WipeWaiver, Type.Null()], {
      description:
        'An operator returned the slot to sale without proof of the wipe; shown until the next wipe is proven.',
    }),
    actions: Type.Array(SlotAction, { description: 'The actions that are possible now; for the others, why not.' }),
    updated_at: Timestamp,
  },
  { $id: 'ResourceSlot', ...strict },
);
export type ResourceSlot = Static<typeof ResourceSlot>;

const tag = 'AdminNodes';
const tenancy = { kind: 'none', why: 'Hosts belong to the platform.' } as const;
const writing = {
  tag,
  auth: { kind: 'admin', scope: 'fleet:admin' },
  tenancy,
  lane: 'admin',
  idempotency: 'key',
} as const;
const byNode = Type.Object({ node_id: Uuid }, strict);
const bySlot = Type.Object({ node_id: Uuid, slot_id: Uuid }, strict);
const reason = Type.String({
  minLength: 3,
  maxLength: 500,
  description: 'Why; kept with the slot and in the audit log.',
});
const because = Type.Object({ reason }, strict);
const moves = ['node_not_found', 'slot_not_found', 'slot_in_use', 'illegal_transition'] as const;

export const resourceSlotList = defineRoute({
  id: 'resource_slot_list',
  method: 'GET',
  path: '/api/v1/admin/nodes/{node_id}/resource-slots',
  tag,
  summary: 'The slots of a host and their allocations',
  auth: { kind: 'admin', scope: 'fleet:read' },
  tenancy,
  lane: 'admin',
  errors: ['node_not_found'],
  params: byNode,
  response: Type.Object({ data: Type.Array(ResourceSlot) }, strict),
});

export const slotsApprove = defineRoute({
  id: 'slots_approve',
  method: 'POST',
  path: '/api/v1/admin/nodes/{node_id}/slots/approve',
  summary: 'Approve slots from the last discovery; changed hardware is accepted where no allocation uses it',
  ...writing,
  audit: 'slot.approve',
  stepUp: oneAtATime,
  errors: ['node_not_found', 'topology_missing', 'slots_blocked', 'slot_in_use'],
  params: byNode,
  body: Type.Object(
    {
      slot_indexes: Type.Optional(
        Type.Array(Type.Integer({ minimum: 0, maximum: 255 }), {
          minItems: 1,
          maxItems: 64,
          uniqueItems: true,
          description: 'Only these, and disabled ones too. Default: all that are new or changed.',
        }),
      ),
    },
    strict,
  ),
  response: Type.Object(
    {
      created: Type.Integer(),
      changed: Type.Integer(),
      enabled: Type.Integer(),
      missing: Type.Array(Type.Integer(), { description: 'Slots that the last discovery no longer found.' }),
      slots: Type.Array(ResourceSlot),
    },
    strict,
  ),
});

export const slotDisable = defineRoute({
  id: 'slot_disable',
  method: 'POST',
  path: '/api/v1/admin/nodes/{node_id}/slots/{slot_id}/disable',
  summary: 'Disable a slot: it is no longer sold',
  ...writing,
  audit: 'slot.disable',
  stepUp: oneAtATime,
  errors: moves,
  params: bySlot,
  body: because,
  response: ResourceSlot,
});

export const slotEnable = defineRoute({
  id: 'slot_enable',
  method: 'POST',
  path: '/api/v1/admin/nodes/{node_id}/slots/{slot_id}/enable',
  summary: 'Enable a disabled slot',
  ...writing,
  audit: 'slot.enable',
  stepUp: oneAtATime,
  errors: moves,
  params: bySlot,
  body: because,
  response: ResourceSlot,
});

export const slotQuarantine = defineRoute({
  id: 'slot_quarantine',
  method: 'POST',
  path: '/api/v1/admin/nodes/{node_id}/slots/{slot_id}/quarantine',
  summary: 'Quarantine a slot: it is not sold until an operator clears it',
  ...writing,
  audit: 'slot.quarantine',
  stepUp: oneAtATime,
  errors: moves,
  params: bySlot,
  body: because,
  response: ResourceSlot,
});

export const slotClear = defineRoute({
  id: 'slot_clear',
  method: 'POST',
  path: '/api/v1/admin/nodes/{node_id}/slots/{slot_id}/clear',
  summary: 'Clear a blocked or quarantined slot, after a health probe has passed and the wipe it owes is proven',
  ...writing,
  audit: 'slot.clear',
  stepUp: oneAtATime,
  errors: [...moves, 'probe_required', 'wipe_unproven'],
  params: bySlot,
  body: because,
  response: ResourceSlot,
});

export const slotClearUnproven = defineRoute({
  id: 'slot_clear_unproven',
  method: 'POST',
  path: '/api/v1/admin/nodes/{node_id}/slots/{slot_id}/clear-unproven',
  summary: 'Return a slot to sale without proof of its wipe; the decision is shown on the slot',
  ...writing,
  audit: 'slot.clear_unproven',
  stepUp: recentSignIn,
  errors: [...moves, 'probe_required'],
  params: bySlot,
  body: because,
  response: ResourceSlot,
});
