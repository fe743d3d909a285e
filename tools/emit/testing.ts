import { defineEvent, defineMachine, defineRoute, errors, type Route } from '@gpuaas/contract';
import { type TSchema, Type } from 'typebox';
import type { Contract } from './contract.ts';

/** A contract of three routes, one event and one machine: small enough to see whole what comes out of it. */

export const Bird = Type.Object(
  { id: Type.String({ format: 'uuid' }), song: Type.Union([Type.String(), Type.Null()]) },
  { $id: 'Bird', additionalProperties: false },
);

export const birdBody: Record<string, TSchema> = {
  name: Type.String(),
  colour: Type.Enum(['blue', 'green', 'red']),
  nest: Type.Optional(Type.String()),
};

export const birdCreate = (body: Record<string, TSchema> = birdBody) =>
  defineRoute({
    id: 'bird_create',
    method: 'POST',
    path: '/api/v1/birds',
    tag: 'Birds',
    summary: 'Let a bird in',
    auth: { kind: 'user', scope: 'projects:write', serviceAccounts: 'refused' },
    tenancy: { kind: 'header' },
    lane: 'default',
    idempotency: 'key',
    audit: 'bird.create',
    errors: ['organization_not_empty'],
    status: 201,
    body: Type.Object(body, { additionalProperties: false }),
    response: Bird,
  });

export const birdGet = defineRoute({
  id: 'bird_get',
  method: 'GET',
  path: '/api/v1/birds/{bird_id}',
  tag: 'Birds',
  summary: 'One bird',
  auth: { kind: 'user', scope: 'projects:read', serviceAccounts: 'allowed' },
  tenancy: { kind: 'owner-of', param: 'bird_id' },
  lane: 'default',
  errors: [],
  params: Type.Object({ bird_id: Type.String({ format: 'uuid' }) }),
  query: Type.Object({ limit: Type.Optional(Type.Integer({ description: 'How much of it.' })) }),
  response: Bird,
});

export const seasonGet = defineRoute({
  id: 'season_get',
  method: 'GET',
  path: '/api/v1/season',
  tag: 'Air',
  summary: 'Which season it is',
  auth: { kind: 'public', why: 'Everybody can look out of the window.' },
  tenancy: { kind: 'none', why: 'The same for everybody.' },
  lane: 'default',
  errors: [],
  response: Type.Object({ season: Type.String() }),
});

export const birdSang = (
  payload: Record<string, TSchema> = { bird_id: Type.String(), loud: Type.Optional(Type.Boolean()) },
  version = '1.0',
) =>
  defineEvent({
    type: 'apps.bird.sang',
    version,
    summary: 'A bird sang.',
    producer: 'api',
    consumers: ['notification-relay', 'email-worker'],
    payload: Type.Object(payload, { additionalProperties: false }),
  });

export const egg = defineMachine({
  name: 'egg',
  initial: 'whole',
  terminal: ['hatched', 'broken'],
  states: { whole: { hatch: 'hatched', fall: 'broken', peck: 'broken' }, hatched: {}, broken: {} },
});

export const smallContract = (changes: Partial<Contract> = {}): Contract => ({
  version: '1.2.3',
  routes: [seasonGet, birdGet, birdCreate()] satisfies readonly Route[],
  events: [birdSang()],
  machines: [egg],
  errors,
  scopes: { 'projects:read': 'See projects', 'projects:write': 'Change projects' },
  lanes: { default: { policy: 'rate_limit.api_requests_per_minute', perMinute: 120 } },
  streams: { APPS: { subjects: 'apps.>', maxAgeDays: 7 } },
  ...changes,
});
