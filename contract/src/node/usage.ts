import { type Static, Type } from 'typebox';
import { Timestamp, Uuid } from '../ids.ts';

/** Records of one report. A node that comes back after a long outage sends several reports. */
export const mostUsageRecords = 64;

/**
 * What a host saw of one lease in one stretch of time. Records of a lease follow each other without overlap, numbered from one.
 * A charge stands on them: time without a record is never charged.
 */
export const NodeUsageRecord = Type.Object(
  {
    kind: Type.Literal('usage'),
    node_id: Uuid,
    allocation_id: Uuid,
    generation: Type.Integer({ minimum: 1 }),
    sequence: Type.Integer({ minimum: 1 }),
    from: Timestamp,
    to: Timestamp,
    gpus: Type.Array(Type.String({ pattern: '^GPU-[0-9a-f-]{36}$' }), {
      maxItems: 64,
      description: 'UUIDs of the GPUs of the lease that the host itself saw, whatever the machine inside says.',
    }),
    speed: Type.Optional(
      Type.Integer({
        minimum: 2,
        maximum: 100_000,
        description: 'How many times as fast GPU time passes on this host. Taken from simulated hosts alone.',
      }),
    ),
    final: Type.Boolean({ description: 'Whether the lease has ended on the node: no record follows.' }),
    signature: Type.String({
      pattern: '^[A-Za-z0-9_-]{86}$',
      description: 'Ed25519 in base64url with the key of the node, over the canonical JSON (RFC 8785) of the rest.',
    }),
  },
  { $id: 'NodeUsageRecord', additionalProperties: false },
);
export type NodeUsageRecord = Static<typeof NodeUsageRecord>;

/** Oldest first. A record without an answer is sent again. */
export const NodeUsageReport = Type.Object(
  { records: Type.Array(NodeUsageRecord, { minItems: 1, maxItems: mostUsageRecords }) },
  { $id: 'NodeUsageReport', additionalProperties: false },
);
export type NodeUsageReport = Static<typeof NodeUsageReport>;

export const NodeUsageAnswer = Type.Object(
  {
    outcomes: Type.Array(Type.Enum(['stored', 'refused', 'later']), {
      description:
        'One for each record, in their order. A refused record is refused for good; one for later is sent again, and so are those behind it.',
    }),
  },
  { $id: 'NodeUsageAnswer' },
);
export type NodeUsageAnswer = Static<typeof NodeUsageAnswer>;
