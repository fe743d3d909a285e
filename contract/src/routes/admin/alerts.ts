import { type Static, Type } from 'typebox';
import { Timestamp, Uuid } from '../../ids.ts';
import { page, pageQuery } from '../../pages.ts';
import { defineRoute } from '../../route.ts';
import { oneAtATime } from '../../step-up.ts';

const strict = { additionalProperties: false } as const;
const orNull = <const S extends Parameters<typeof Type.Union>[0][number]>(schema: S) =>
  Type.Union([schema, Type.Null()]);

export const alertSources = ['health', 'presence', 'drift', 'attestation', 'operator', 'breaker'] as const;
export const AlertSource = Type.Enum([...alertSources], {
  description: 'The source of the alert. Each source replaces its own alerts at its next check.',
});
export const AlertEffect = Type.Enum(['blocks_sale', 'blocks_transition', 'informs'], {
  description:
    'What follows: nothing is placed there; operators cannot change the state of the host; or it is only shown.',
});

const alertFields = {
  id: Uuid,
  source: AlertSource,
  kind: Type.String({ description: 'Stable, for programs: `gpus_healthy`, `silent`, `orphan`.' }),
  effect: AlertEffect,
  message: Type.String(),
  tenant_message: orNull(Type.String({ description: 'The text that tenants of the host see.' })),
  slot_id: orNull(Uuid),
  slot_index: orNull(Type.Integer()),
  allocation_id: orNull(Uuid),
  raised_by: orNull(Type.String()),
  since: Timestamp,
};
/** An alert inside the node that it is about. */
export const NodeAlert = Type.Object(alertFields, { $id: 'NodeAlert', ...strict });
export type NodeAlert = Static<typeof NodeAlert>;

export const Alert = Type.Object(
  { ...alertFields, node_id: orNull(Uuid), node_name: orNull(Type.String()) },
  { $id: 'Alert', ...strict },
);
export type Alert = Static<typeof Alert>;

/** What a tenant should know, in words that name no host. */
export const AllocationConcern = Type.Object(
  {
    kind: Type.String({ description: 'Stable, for programs: `unreachable`, `draining`, `gpu_fault`.' }),
    message: Type.String(),
    since: Timestamp,
    deadline_at: orNull(Timestamp),
  },
  { $id: 'AllocationConcern', ...strict },
);
export type AllocationConcern = Static<typeof AllocationConcern>;

const tag = 'AdminAlerts';
const tenancy = { kind: 'none', why: 'Alerts are about hosts, which belong to the platform.' } as const;
const writing = {
  tag,
  auth: { kind: 'admin', scope: 'fleet:admin' },
  tenancy,
  lane: 'admin',
  idempotency: 'key',
} as const;
const reason = Type.String({ minLength: 3, maxLength: 500, description: 'Why; kept in the audit log.' });

export const alertList = defineRoute({
  id: 'alert_list',
  method: 'GET',
  path: '/api/v1/admin/alerts',
  tag,
  summary: 'Alerts of every source and target, newest first',
  auth: { kind: 'admin', scope: 'fleet:read' },
  tenancy,
  lane: 'admin',
  errors: ['cursor_invalid'],
  query: Type.Object(
    {
      ...pageQuery,
      node: Type.Optional(Uuid),
      source: Type.Optional(AlertSource),
      effect: Type.Optional(AlertEffect),
    },
    strict,
  ),
  response: page(Alert),
});

export const alertRaise = defineRoute({
  id: 'alert_raise',
  method: 'POST',
  path: '/api/v1/admin/alerts',
  summary: 'Raise an alert about a host or a slot, with its effect; it stays until it is cleared',
  ...writing,
  audit: 'alert.raise',
  stepUp: oneAtATime,
  errors: ['node_not_found', 'slot_not_found'],
  status: 201,
  body: Type.Object(
    {
      node_id: Uuid,
      slot_id: Type.Optional(Uuid),
      effect: AlertEffect,
      message: reason,
      tenant_message: Type.Optional(
        Type.String({ minLength: 3, maxLength: 500, description: 'Shown to tenants of the host.' }),
      ),
    },
    strict,
  ),
  response: Alert,
});

export const alertClear = defineRoute({
  id: 'alert_clear',
  method: 'DELETE',
  path: '/api/v1/admin/alerts/{alert_id}',
  summary: 'Clear an alert that an operator raised; alerts of programs clear themselves',
  ...writing,
  audit: 'alert.clear',
  stepUp: oneAtATime,
  errors: ['alert_not_found', 'illegal_transition'],
  params: Type.Object({ alert_id: Uuid }, strict),
  body: Type.Object({ reason }, strict),
  response: Alert,
});
