import { type Static, Type } from 'typebox';
import { Uuid } from '../ids.ts';

const strict = { additionalProperties: false } as const;

/** Where a line comes from: the agent of a node, or the console of a machine that it runs. */
export const logStreams = ['agent', 'console'] as const;
export type LogStream = (typeof logStreams)[number];
export const logLevels = ['debug', 'info', 'warn', 'error'] as const;
export type LogLevel = (typeof logLevels)[number];

/** Bounds of one push. An agent keeps to them, and the gateway refuses a push beyond them whole. */
export const logPushLimits = {
  bytes: 512 * 1_024,
  lines: 500,
  streams: 64,
  /** In characters. An agent cuts longer lines; the gateway refuses them. */
  line: 4_000,
} as const;

/** A correlation id, as the api makes and takes them. */
export const logCorrelationPattern = '^[A-Za-z0-9._:-]{1,128}$';
export const LogCorrelationId = Type.String({ pattern: logCorrelationPattern });

/** The labels of a stream. There are no others: each more would be a stream more in a Loki. */
export const NodeLogLabels = Type.Object(
  {
    stream: Type.Enum([...logStreams]),
    level: Type.Enum([...logLevels]),
    allocation_id: Type.Optional({ ...Uuid, description: 'Whose console it is; required for consoles.' }),
  },
  { $id: 'NodeLogLabels', ...strict },
);
export type NodeLogLabels = Static<typeof NodeLogLabels>;

export const NodeLogMetadata = Type.Object(
  {
    task_id: Type.Optional(Uuid),
    allocation_id: Type.Optional(Uuid),
    correlation_id: Type.Optional(LogCorrelationId),
  },
  { $id: 'NodeLogMetadata', ...strict },
);
export type NodeLogMetadata = Static<typeof NodeLogMetadata>;

/** When, as digits; the line; and metadata where there is some. JSON Schema has no form for this order that all its readers know. */
export const NodeLogValue = Type.Array(Type.Union([Type.String({ maxLength: logPushLimits.line }), NodeLogMetadata]), {
  $id: 'NodeLogValue',
  minItems: 2,
  maxItems: 3,
  description: 'Nanoseconds since 1970 as 16 to 19 digits, then the line, then its metadata or nothing.',
});
export type NodeLogValue = Static<typeof NodeLogValue>;

/** What Loki takes at its push address, with labels of a closed list. */
export const NodeLogPush = Type.Object(
  {
    streams: Type.Array(
      Type.Object(
        {
          stream: NodeLogLabels,
          values: Type.Array(NodeLogValue, { minItems: 1, maxItems: logPushLimits.lines }),
        },
        strict,
      ),
      { minItems: 1, maxItems: logPushLimits.streams },
    ),
  },
  { $id: 'NodeLogPush', ...strict, description: 'The push format of Loki (JSON). Answered with 204.' },
);
export type NodeLogPush = Static<typeof NodeLogPush>;

/** The time of a value. */
export const logTimePattern = /^[0-9]{16,19}$/;
/** Where agents push, on the address that heartbeats announce. */
export const logPushPath = '/internal/v1/node-logs/loki/api/v1/push';
/** How many lines an agent gave up since its last push that was answered, for want of room on its disk. */
export const droppedLinesHeader = 'gpuaas-dropped-lines';
/** The process that takes pushes. */
export const logGatewayName = 'node-log-gateway';
