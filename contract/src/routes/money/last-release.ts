import { type Static, Type } from 'typebox';
import { Timestamp, Uuid } from '../../ids.ts';
import { Money } from '../../money.ts';
import { defineRoute } from '../../route.ts';

const strict = { additionalProperties: false } as const;
const orNull = <const S extends Parameters<typeof Type.Union>[0][number]>(schema: S) =>
  Type.Union([schema, Type.Null()]);
const Amount = Type.Object(Money.properties, strict);

const ReleasedAllocation = Type.Object(
  {
    id: Uuid,
    name: Type.String(),
    project_id: Uuid,
    project_name: Type.String(),
    sku: Type.String(),
    gpu_count: Type.Integer(),
    released_at: Timestamp,
    /** What it was charged from its first to its last second. */
    cost: Amount,
  },
  strict,
);

/** What was released because the balance was used up, and what it had cost. */
export const LastRelease = Type.Object(
  {
    organization_id: Uuid,
    release: orNull(
      Type.Object(
        {
          /** When the first and the last of them were released. */
          from: Timestamp,
          to: Timestamp,
          count: Type.Integer({ minimum: 1, description: 'How many allocations were released.' }),
          cost: Type.Object(Money.properties, { ...strict, description: 'What all of them had cost.' }),
          allocations: Type.Array(ReleasedAllocation, { description: 'The most expensive first; at most 20.' }),
        },
        { ...strict, description: 'The last such release of the past 30 days; null when there was none.' },
      ),
    ),
  },
  { $id: 'LastRelease', ...strict },
);
export type LastRelease = Static<typeof LastRelease>;

export const billingLastReleaseGet = defineRoute({
  id: 'billing_last_release_get',
  method: 'GET',
  path: '/api/v1/organizations/{organization_id}/billing/last-release',
  tag: 'Billing',
  summary: 'What was last released because the balance was used up, and what it had cost',
  auth: { kind: 'user', scope: 'billing:read', serviceAccounts: 'allowed' },
  tenancy: { kind: 'path', param: 'organization_id' },
  lane: 'financial',
  errors: ['organization_not_found'],
  params: Type.Object({ organization_id: Uuid }, strict),
  response: LastRelease,
});
