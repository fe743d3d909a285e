import { type Static, Type } from 'typebox';
import { Timestamp } from '../../ids.ts';

const strict = { additionalProperties: false } as const;
const orNull = <const S extends Parameters<typeof Type.Union>[0][number]>(schema: S) =>
  Type.Union([schema, Type.Null()]);

/** Why a request was placed or not, as its owner may see it. */
export const PlacementReason = Type.Object(
  {
    constraint: Type.String({
      description:
        'The first criterion that did not fit, in the order of the checks; or `launch_failed` for hosts that fit and come last, because a launch failed there recently.',
    }),
    nodes: Type.Integer({ minimum: 0, description: 'Number of hosts.' }),
    message: Type.String(),
  },
  { $id: 'PlacementReason', ...strict },
);
export const PlacementChange = Type.Object(
  {
    change: Type.Enum(['fewer_gpus', 'other_region', 'other_sku', 'wait']),
    gpus: Type.Optional(Type.Integer()),
    region: Type.Optional(Type.String()),
    sku: Type.Optional(Type.String()),
  },
  { $id: 'PlacementChange', ...strict },
);
export const PlacementDecision = Type.Object(
  {
    outcome: Type.Enum(['placed', 'queued', 'refused']),
    considered: Type.Integer({ minimum: 0 }),
    feasible: Type.Integer({ minimum: 0 }),
    reasons: Type.Array(PlacementReason),
    nearest_miss: orNull(Type.Object({ constraint: Type.String(), message: Type.String() }, strict)),
    would_fit: Type.Array(PlacementChange, { description: 'The smallest changes with which it would fit now.' }),
    chosen: orNull(
      Type.Object(
        {
          gpus: Type.Integer(),
          numa_groups: Type.Integer({ description: 'One, unless it is a whole host.' }),
          image_cached: Type.Boolean(),
        },
        strict,
      ),
    ),
    decided_at: Timestamp,
  },
  {
    $id: 'PlacementDecision',
    ...strict,
    description: 'Why it was placed, or not. Hosts and other tenants are counted, never named.',
  },
);
export type PlacementDecision = Static<typeof PlacementDecision>;
