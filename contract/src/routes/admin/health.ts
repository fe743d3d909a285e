import { type Static, Type } from 'typebox';
import { Timestamp } from '../../ids.ts';
import { defineRoute } from '../../route.ts';

const strict = { additionalProperties: false } as const;

export const HealthFinding = Type.Object(
  {
    section: Type.Enum(['processes', 'database', 'events', 'fleet', 'audit']),
    name: Type.String({ description: 'Stable, for programs: `outbox_age`.' }),
    status: Type.Enum(['ok', 'warn', 'bad']),
    value: Type.Union([Type.Number(), Type.Null()]),
    unit: Type.Union([Type.Enum(['seconds', 'milliseconds', 'count', 'bytes']), Type.Null()]),
    message: Type.String({ description: 'What was found and what to do, in a sentence.' }),
    runbook: Type.Union([Type.String(), Type.Null()], {
      description: 'The runbook to follow, as GET /api/v1/admin/runbooks/{runbook_id} takes it; null while it is ok.',
    }),
  },
  { $id: 'HealthFinding', ...strict },
);
export type HealthFinding = Static<typeof HealthFinding>;

export const PlatformHealth = Type.Object(
  {
    status: Type.Enum(['ok', 'warn', 'bad'], { description: 'The worst of the findings.' }),
    version: Type.String(),
    checked_at: Timestamp,
    findings: Type.Array(HealthFinding),
  },
  { $id: 'PlatformHealth', ...strict },
);
export type PlatformHealth = Static<typeof PlatformHealth>;

export const platformHealthGet = defineRoute({
  id: 'platform_health_get',
  method: 'GET',
  path: '/api/v1/admin/health',
  tag: 'AdminOps',
  summary: 'The health of the platform: processes, database, events and fleet',
  auth: { kind: 'admin', scope: 'fleet:read' },
  tenancy: { kind: 'none', why: 'The state of the whole platform, for operators only.' },
  lane: 'admin',
  errors: [],
  response: PlatformHealth,
});
