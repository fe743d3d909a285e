import { type Static, Type } from 'typebox';
import { Timestamp, Uuid } from '../ids.ts';
import { gpuMeasureNames, hostMeasureNames } from '../telemetry/metrics.ts';

/** Samples of one report: ten minutes of one host. A node that comes back after an outage sends several reports. */
export const mostSamples = 60;
const mostGpus = 64;
/** Beyond any counter of a host; a number that JSON, JavaScript and PostgreSQL read alike. */
const largest = 1e15;
const Amount = Type.Number({ minimum: 0, maximum: largest });
const OrUnknown = Type.Union([Amount, Type.Null()]);

export const HostValues = Type.Object(
  Object.fromEntries(hostMeasureNames.map((name) => [name, Type.Optional(Amount)])),
  {
    $id: 'HostValues',
    additionalProperties: false,
    description: 'By measure; one that the host cannot tell is left out.',
  },
);
export const GpuValues = Type.Object(
  Object.fromEntries(
    gpuMeasureNames.map((name) => [name, Type.Optional(Type.Array(OrUnknown, { maxItems: mostGpus }))]),
  ),
  {
    $id: 'GpuValues',
    additionalProperties: false,
    description: 'By measure, one value for each GPU in the order of `gpus`; null where this GPU cannot tell.',
  },
);
export type HostValues = Partial<Record<(typeof hostMeasureNames)[number], number>>;
export type GpuValues = Partial<Record<(typeof gpuMeasureNames)[number], (number | null)[]>>;

/**
 * One look at a machine. A `host` sample is about the whole host, and whose it is the control plane knows. A `guest` sample was
 * taken inside the machine of a slice and names its allocation; it is stored only while this node holds that allocation.
 */
export const NodeSample = Type.Object(
  {
    at: Timestamp,
    source: Type.Enum(['host', 'guest']),
    allocation_id: Type.Optional(Uuid),
    gpus: Type.Array(Type.String({ pattern: '^GPU-[0-9a-f-]{36}$' }), { maxItems: mostGpus }),
    host: HostValues,
    gpu: GpuValues,
    unavailable: Type.Optional(
      Type.String({
        maxLength: 200,
        description: 'Why there are no values of GPUs, in a sentence for the one who rents.',
      }),
    ),
  },
  { $id: 'NodeSample', additionalProperties: false },
);
export type NodeSample = Omit<Static<typeof NodeSample>, 'host' | 'gpu'> & {
  readonly host: HostValues;
  readonly gpu: GpuValues;
};

/** Oldest first. A report without an answer is sent again: a sample that came before is replaced by itself. */
export const NodeTelemetryReport = Type.Object(
  { samples: Type.Array(NodeSample, { minItems: 1, maxItems: mostSamples }) },
  { $id: 'NodeTelemetryReport', additionalProperties: false },
);
export type NodeTelemetryReport = { readonly samples: readonly NodeSample[] };

export const NodeTelemetryAnswer = Type.Object(
  {
    stored: Type.Integer({ minimum: 0 }),
    refused: Type.Integer({
      minimum: 0,
      description: 'Too old, in the future, or about an allocation that this node does not hold. Not sent again.',
    }),
  },
  { $id: 'NodeTelemetryAnswer' },
);
export type NodeTelemetryAnswer = Static<typeof NodeTelemetryAnswer>;
