import { type Static, type TString, Type } from 'typebox';
import { Timestamp, Uuid } from '../../ids.ts';
import { LogCorrelationId, logLevels, logPushLimits, logStreams } from '../../logs/push.ts';
import { page, pageQuery } from '../../pages.ts';
import { defineRoute } from '../../route.ts';

const strict = { additionalProperties: false } as const;

const lineFields = {
  id: Type.String({ pattern: '^[0-9]{1,18}$', description: 'Grows with the order in which lines arrived.' }),
  at: Type.String({ format: 'date-time', description: 'When the host wrote it, in the time of the control plane.' }),
  line: Type.String({ maxLength: logPushLimits.line, description: 'Secrets were replaced before it was kept.' }),
};
const OrNull = (schema: TString) => Type.Union([schema, Type.Null()]);

export const LogLine = Type.Object(
  {
    ...lineFields,
    stream: Type.Enum([...logStreams], {
      description: 'agent: what the agent of the node says. console: what a machine wrote on its serial console.',
    }),
    level: Type.Enum([...logLevels]),
    node_id: Uuid,
    node_name: Type.String(),
    allocation_id: OrNull(Uuid),
    task_id: OrNull(Uuid),
    correlation_id: OrNull(LogCorrelationId),
  },
  { $id: 'LogLine', ...strict },
);
export type LogLine = Static<typeof LogLine>;

export const ConsoleLine = Type.Object(lineFields, { $id: 'ConsoleLine', ...strict });
export type ConsoleLine = Static<typeof ConsoleLine>;

const Since = Type.String({ format: 'date-time', description: 'Only lines from this time on.' });
const Until = Type.String({ format: 'date-time', description: 'Only lines before this time.' });
const Contains = Type.String({
  minLength: 1,
  maxLength: 200,
  description:
    'Only lines with this text in them, whatever the case. A page looks through a bounded number of lines: it may be empty and have a next one.',
});
const After = Type.String({
  pattern: '^[0-9]{1,18}$',
  description: 'The id of the last line that you received; Last-Event-ID does the same. Default: from now on.',
});
const Follow = Type.Boolean({
  default: true,
  description: 'Whether to wait for new lines, or end after the existing ones.',
});
const filters = {
  node_id: Type.Optional(Uuid),
  allocation_id: Type.Optional(Uuid),
  correlation_id: Type.Optional(LogCorrelationId),
  stream: Type.Optional(Type.Enum([...logStreams])),
  level: Type.Optional(Type.Enum([...logLevels], { description: 'This level and everything above it.' })),
  contains: Type.Optional(Contains),
};

/** One line of a stream, as clients of Server-Sent Events deliver it. */
const streamOf = (line: typeof LogLine | typeof ConsoleLine) =>
  Type.String({
    description:
      'Server-Sent Events. The first one is `ready`; then each `line` has the line as JSON in `data`, and its id in `id`.',
    contentMediaType: 'text/event-stream',
    contentSchema: Type.Object(
      {
        id: Type.String({ description: 'The id of the line: send it as Last-Event-ID or `after` to go on behind it.' }),
        event: Type.String({ description: '`ready` for the first one, with empty data; then `line`.' }),
        data: Type.String({ contentMediaType: 'application/json', contentSchema: Type.Object(line.properties) }),
      },
      strict,
    ),
  });

const operator = {
  auth: { kind: 'admin', scope: 'fleet:read' },
  tenancy: { kind: 'none', why: 'Hosts serve all tenants; operators read what their agents say.' },
  lane: 'admin',
  tag: 'AdminLogs',
} as const;
const tenant = {
  auth: { kind: 'user', scope: 'allocations:read', serviceAccounts: 'allowed' },
  tenancy: { kind: 'owner-of', param: 'allocation_id' },
  lane: 'default',
  tag: 'Logs',
  params: Type.Object({ allocation_id: Uuid }, strict),
} as const;

export const nodeLogList = defineRoute({
  id: 'node_log_list',
  method: 'GET',
  path: '/api/v1/admin/node-logs',
  summary: 'Lines of nodes and of consoles, newest first',
  ...operator,
  errors: ['cursor_invalid', 'log_range_invalid'],
  query: Type.Object({ ...pageQuery, ...filters, since: Type.Optional(Since), until: Type.Optional(Until) }, strict),
  response: page(LogLine),
});

export const nodeLogStream = defineRoute({
  id: 'node_log_stream',
  method: 'GET',
  path: '/api/v1/admin/node-logs/stream',
  summary: 'Follow lines of nodes and of consoles as they arrive',
  ...operator,
  errors: ['too_many_streams'],
  text: ['text/event-stream'],
  stream: true,
  query: Type.Object({ ...filters, after: Type.Optional(After), follow: Type.Optional(Follow) }, strict),
  response: streamOf(LogLine),
});

/** Why there is nothing to read, beside the page. */
export const ConsoleLog = Type.Object(
  {
    ...page(ConsoleLine).properties,
    allocation_id: Uuid,
    simulated: Type.Boolean({ description: 'The machine does not exist, and its console is made up.' }),
    unavailable: Type.Union([Type.String(), Type.Null()], {
      description: 'Why there are no lines, in a sentence; null where there are some.',
    }),
    kept_since: Timestamp,
  },
  { $id: 'ConsoleLog', ...strict },
);
export type ConsoleLog = Static<typeof ConsoleLog>;

export const allocationLogList = defineRoute({
  id: 'allocation_log_list',
  method: 'GET',
  path: '/api/v1/allocations/{allocation_id}/logs',
  summary: 'What the machine of an allocation wrote on its console, newest first',
  ...tenant,
  errors: ['allocation_not_found', 'cursor_invalid', 'log_range_invalid'],
  query: Type.Object(
    {
      ...pageQuery,
      contains: Type.Optional(Contains),
      since: Type.Optional(Since),
      until: Type.Optional(Until),
    },
    strict,
  ),
  response: ConsoleLog,
});

export const allocationLogStream = defineRoute({
  id: 'allocation_log_stream',
  method: 'GET',
  path: '/api/v1/allocations/{allocation_id}/logs/stream',
  summary: 'Follow the console of the machine of an allocation',
  ...tenant,
  errors: ['allocation_not_found', 'too_many_streams'],
  text: ['text/event-stream'],
  stream: true,
  query: Type.Object(
    { contains: Type.Optional(Contains), after: Type.Optional(After), follow: Type.Optional(Follow) },
    strict,
  ),
  response: streamOf(ConsoleLine),
});
