import { type Static, Type } from 'typebox';
import { Timestamp, Uuid } from '../../ids.ts';
import { Money } from '../../money.ts';
import { page, pageQuery } from '../../pages.ts';
import { defineRoute } from '../../route.ts';

const strict = { additionalProperties: false } as const;
const tag = 'AppInstances';
const reader = { kind: 'user', scope: 'allocations:read', serviceAccounts: 'allowed' } as const;
const Count = Type.Integer({ minimum: 0 });
const counts = {
  requests: Count,
  failures: Type.Integer({
    minimum: 0,
    description: 'Requests that failed in the proxy, the node or the app, or that the app answered with 5xx.',
  }),
  bytes_in: Type.Integer({ minimum: 0, description: 'Bodies of requests, and bytes of WebSockets, towards the app.' }),
  bytes_out: Type.Integer({
    minimum: 0,
    description: 'Bodies of answers, and bytes of WebSockets, towards the caller.',
  }),
  units: Type.Record(Type.String(), Count, { description: 'What the meters of the manifest counted, by their names.' }),
  cost: Type.Union([Money, Type.Null()], {
    description:
      'What the units cost by the prices of the versions that counted them, rounded; null where none has a price. The ledger rounds the sum of all hours and not each hour, so it may differ by less than a minor unit.',
  }),
};

/** What one endpoint of an instance did in one hour. */
export const AppUseHour = Type.Object(
  {
    hour: Timestamp,
    endpoint: Type.String(),
    app_version: Type.String({ description: 'The version that the instance had when the hour was first reported.' }),
    operating_mode: Type.String(),
    ...counts,
    last_used_at: Timestamp,
    correlation_id: Type.String({ description: 'Of the last report of the app-proxy that is in these numbers.' }),
  },
  { $id: 'AppUseHour', ...strict },
);
export type AppUseHour = Static<typeof AppUseHour>;

export const appInstanceUse = defineRoute({
  id: 'app_instance_use',
  method: 'GET',
  path: '/api/v1/app-instances/{app_instance_id}/use',
  tag,
  summary:
    'What an app instance was used for, by hour and endpoint, newest first: requests, bytes, units and their cost',
  auth: reader,
  tenancy: { kind: 'owner-of', param: 'app_instance_id' },
  lane: 'default',
  errors: ['app_instance_not_found', 'cursor_invalid'],
  params: Type.Object({ app_instance_id: Uuid }, strict),
  query: Type.Object(pageQuery, strict),
  response: page(AppUseHour),
});

/** What one app did in a project. */
export const AppUse = Type.Object(
  {
    app_reference: Type.String(),
    instances: Type.Integer({ minimum: 0, description: 'Instances that were used.' }),
    ...counts,
    last_used_at: Timestamp,
  },
  { $id: 'AppUse', ...strict },
);
export type AppUse = Static<typeof AppUse>;

export const appUseList = defineRoute({
  id: 'app_use_list',
  method: 'GET',
  path: '/api/v1/app-use',
  tag,
  summary: 'What the apps of a project were used for in the last days, by app: requests, bytes, units and their cost',
  auth: reader,
  tenancy: { kind: 'header' },
  lane: 'default',
  errors: ['cursor_invalid'],
  query: Type.Object(
    { ...pageQuery, days: Type.Optional(Type.Integer({ minimum: 1, maximum: 366, default: 30 })) },
    strict,
  ),
  response: page(AppUse),
});
