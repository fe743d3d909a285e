import { type Static, Type } from 'typebox';
import { Timestamp, Uuid } from '../../ids.ts';
import { ReadinessAttestation } from '../../node/attestation.ts';

const strict = { additionalProperties: false } as const;
const orNull = <const S extends Parameters<typeof Type.Union>[0][number]>(schema: S) =>
  Type.Union([schema, Type.Null()]);

/** The timeline and the attestations of an allocation. Both only grow. */
export const TimelineItem = Type.Object(
  {
    id: Uuid,
    at: Timestamp,
    kind: Type.Enum(['transition', 'phase', 'task', 'note']),
    name: Type.String(),
    from_state: orNull(Type.String()),
    to_state: orNull(Type.String()),
    version: orNull(Type.Integer()),
    detail: Type.Object({}),
    correlation_id: orNull(Type.String()),
  },
  { $id: 'TimelineItem', ...strict },
);
export type TimelineItem = Static<typeof TimelineItem>;

export const AttestationReceipt = Type.Object(
  {
    id: Uuid,
    task_id: Uuid,
    generation: Type.Integer(),
    passed: Type.Boolean(),
    simulated: Type.Boolean({ description: 'The attested machine is simulated.' }),
    problems: Type.Array(Type.String()),
    attestation: Type.Object(ReadinessAttestation.properties),
    signed_result: Type.Object({}, { description: 'As the node signed it; anyone with its public key can verify it.' }),
    taken_at: Timestamp,
  },
  { $id: 'AttestationReceipt', ...strict },
);
export type AttestationReceipt = Static<typeof AttestationReceipt>;
