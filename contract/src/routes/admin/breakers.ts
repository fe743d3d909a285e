import { type Static, Type } from 'typebox';
import { Timestamp, Uuid } from '../../ids.ts';
import { page, pageQuery } from '../../pages.ts';
import { defineRoute } from '../../route.ts';
import { recentSignIn } from '../../step-up.ts';
import { AlertSource } from './alerts.ts';

const strict = { additionalProperties: false } as const;

export const AutomationKind = Type.Enum(['quarantine'], {
  description: 'What automation does with hosts: it quarantines slots. Each kind is counted separately.',
});
export type AutomationKind = Static<typeof AutomationKind>;

export const Breaker = Type.Object(
  {
    id: Uuid,
    kind: AutomationKind,
    region: Type.String(),
    sku: Type.String({ description: 'SKU and region form the pool: hosts that can replace each other.' }),
    tripped_at: Type.Union([Timestamp, Type.Null()], {
      description: 'Since when automation of this kind is stopped in this pool; null while it works.',
    }),
    hosts: Type.Integer({ description: 'Hosts of the pool that are in service.' }),
    allowed: Type.Integer({ description: 'Hosts that automation may take within the window.' }),
    taken: Type.Integer({ description: 'Hosts that automation has taken within the current window.' }),
    window_minutes: Type.Integer(),
    resumes_at: Type.Union([Timestamp, Type.Null()], {
      description: 'When the first of the taken hosts leaves the window; null while there is room.',
    }),
    held_back: Type.Array(
      Type.Object(
        { node_id: Uuid, node_name: Type.String(), source: AlertSource, reason: Type.String(), since: Timestamp },
        strict,
      ),
      { maxItems: 100, description: 'Hosts that automation would have taken, the oldest first.' },
    ),
  },
  { $id: 'Breaker', ...strict },
);
export type Breaker = Static<typeof Breaker>;

const tag = 'AdminAlerts';
const tenancy = { kind: 'none', why: 'Breakers are about pools of hosts, which belong to the platform.' } as const;

export const breakerList = defineRoute({
  id: 'breaker_list',
  method: 'GET',
  path: '/api/v1/admin/breakers',
  tag,
  summary: 'Breakers of automation: for each pool how much was taken in the window, and what is held back',
  auth: { kind: 'admin', scope: 'fleet:read' },
  tenancy,
  lane: 'admin',
  errors: ['cursor_invalid'],
  query: Type.Object({ ...pageQuery, tripped: Type.Optional(Type.Enum(['true', 'false'])) }, strict),
  response: page(Breaker),
});

export const breakerReset = defineRoute({
  id: 'breaker_reset',
  method: 'POST',
  path: '/api/v1/admin/breakers/{breaker_id}/reset',
  tag,
  summary: 'Reset the breaker of a pool; hosts that were taken within the window still count',
  auth: { kind: 'admin', scope: 'fleet:admin' },
  tenancy,
  lane: 'admin',
  idempotency: 'key',
  audit: 'breaker.reset',
  stepUp: recentSignIn,
  errors: ['breaker_not_found', 'illegal_transition'],
  params: Type.Object({ breaker_id: Uuid }, strict),
  body: Type.Object(
    { reason: Type.String({ minLength: 3, maxLength: 500, description: 'Why; kept in the audit log.' }) },
    strict,
  ),
  response: Breaker,
});
