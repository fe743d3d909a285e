import { type Static, Type } from 'typebox';
import { Timestamp, Uuid } from '../ids.ts';
import { defineInternalRoute } from '../internal/route.ts';
import { LogCorrelationId, logLevels, logPushLimits, logStreams } from './push.ts';

const strict = { additionalProperties: false } as const;

/** One line, as the gateway hands it to the api: labels and values of a push, joined and redacted. */
export const NodeLogLine = Type.Object(
  {
    at: Timestamp,
    stream: Type.Enum([...logStreams]),
    level: Type.Enum([...logLevels]),
    line: Type.String({ maxLength: logPushLimits.line }),
    task_id: Type.Optional(Uuid),
    allocation_id: Type.Optional(Uuid),
    correlation_id: Type.Optional(LogCorrelationId),
  },
  { $id: 'NodeLogLine', ...strict },
);
export type NodeLogLine = Static<typeof NodeLogLine>;

/** Keeps the lines of a node. The api checks that the certificate is still good, and whose each line is. */
export const nodeLogsStore = defineInternalRoute({
  path: '/internal/v1/node-logs/store',
  callers: ['node-log-gateway'],
  carries: Type.Object(
    {
      node_id: Uuid,
      certificate_serial: Type.String({ pattern: '^[0-9A-Fa-f]{1,64}$' }),
      lines: Type.Array(NodeLogLine, { minItems: 1, maxItems: logPushLimits.lines }),
    },
    strict,
  ),
  answers: Type.Object(
    {
      stored: Type.Integer({ minimum: 0 }),
      refused: Type.Integer({
        minimum: 0,
        description: 'Older than what is kept, in the future, or of a console that this node does not run.',
      }),
    },
    strict,
  ),
});
