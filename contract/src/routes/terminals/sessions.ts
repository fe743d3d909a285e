import { type Static, Type } from 'typebox';
import { Timestamp, Uuid } from '../../ids.ts';
import { page, pageQuery } from '../../pages.ts';
import { defineRoute } from '../../route.ts';
import { recentSignIn } from '../../step-up.ts';
import { terminalEndReasonNames } from '../../terminal/close-codes.ts';
import { TerminalName, TerminalRecording, TerminalRole, TerminalSide } from '../../terminal/frames.ts';
import { TerminalKind, TerminalPort } from '../../terminal/kinds.ts';
import { terminalTokenPattern } from '../../terminal/limits.ts';

const strict = { additionalProperties: false } as const;
const orNull = <const S extends Parameters<typeof Type.Union>[0][number]>(schema: S) =>
  Type.Union([schema, Type.Null()]);
const Reason = Type.String({ minLength: 1, maxLength: 500, pattern: '^[^\\x00-\\x1f\\x7f-\\x9f]*$' });
const Bytes = orNull(Type.Integer({ minimum: 0, description: 'Null while no gateway has reported.' }));

export const TerminalSessionState = Type.Enum(['opening', 'open', 'ended']);
const sessionFields = {
  id: Uuid,
  organization_id: Uuid,
  project_id: Uuid,
  allocation_id: Uuid,
  user_id: Type.String({ ...Uuid, description: 'Whose session it is. Only this person types into it.' }),
  name: TerminalName,
  kind: TerminalKind,
  port: orNull(Type.Integer({ ...TerminalPort, description: 'Of the machine, for a session of kind forward.' })),
  ssh_key_id: orNull(
    Type.String({ ...Uuid, description: 'The key that opened it through the jump host; null for all others.' }),
  ),
  ssh_certificate_id: orNull(
    Type.String({ ...Uuid, description: 'The certificate that opened it through the jump host; null for all others.' }),
  ),
  state: TerminalSessionState,
  version: Type.Integer({ minimum: 1 }),
  has_writer: Type.Boolean({ description: 'A client is connected and types.' }),
  watchers: Type.Integer({ minimum: 0, description: 'Clients that only read.' }),
  recording: TerminalRecording,
  columns: TerminalSide,
  rows: TerminalSide,
  sent_bytes: Bytes,
  received_bytes: Bytes,
  simulated: Type.Boolean({ description: 'The GPUs of its machine are simulated.' }),
  created_at: Timestamp,
  opened_at: orNull(Timestamp),
  expires_at: Type.String({ format: 'date-time', description: 'The shell ends then, at the latest.' }),
  ended_at: orNull(Timestamp),
  end_reason: orNull(Type.Enum(terminalEndReasonNames)),
};
export const TerminalSession = Type.Object(sessionFields, { $id: 'TerminalSession', ...strict });
export type TerminalSession = Static<typeof TerminalSession>;

export const AdminTerminalSession = Type.Object(
  { ...sessionFields, node_id: Uuid, gateway_copy: orNull(Type.String()) },
  { $id: 'AdminTerminalSession', ...strict },
);
export type AdminTerminalSession = Static<typeof AdminTerminalSession>;

export const TerminalToken = Type.Object(
  {
    token: Type.String({
      pattern: terminalTokenPattern,
      description: 'Works once, within five minutes, as the second offer in Sec-WebSocket-Protocol.',
    }),
    session_id: Uuid,
    name: TerminalName,
    url: Type.String({ description: 'Where the WebSocket is opened, wss or ws. The token never goes into it.' }),
    expires_at: Timestamp,
    role: TerminalRole,
    recording: TerminalRecording,
  },
  { $id: 'TerminalToken', ...strict },
);
export type TerminalToken = Static<typeof TerminalToken>;

const tag = 'Terminals';
const reader = { kind: 'user', scope: 'allocations:read', serviceAccounts: 'allowed' } as const;
const person = { kind: 'user', scope: 'allocations:write', serviceAccounts: 'refused' } as const;
const liveOnly = Type.Optional(
  Type.Boolean({ description: 'true: those that have not ended; false: those that have; both when left out.' }),
);

export const terminalTokenMint = defineRoute({
  id: 'terminal_token_mint',
  method: 'POST',
  path: '/api/v1/allocations/{allocation_id}/terminal-token',
  tag,
  summary: 'Get a token for a terminal: a new shell, or a session that exists',
  auth: person,
  tenancy: { kind: 'owner-of', param: 'allocation_id' },
  lane: 'terminal',
  idempotency: 'key',
  audit: 'terminal_token.mint',
  errors: [
    'allocation_not_found',
    'allocation_not_active',
    'ownership_required',
    'terminal_session_not_found',
    'terminal_session_ended',
    'terminal_session_in_use',
    'terminal_session_limit',
    'terminal_recording_required',
    'terminal_unsupported',
    'terminal_port_refused',
    'validation_error',
  ],
  status: 201,
  params: Type.Object({ allocation_id: Uuid }, strict),
  body: Type.Object(
    {
      mode: Type.Enum(['open', 'join', 'take_over', 'watch'], {
        description:
          'open: a new shell. join: a session of yours without another writer. take_over: one with a writer, who is disconnected. watch: read only.',
      }),
      session_id: Type.Optional(Type.String({ ...Uuid, description: 'For every mode but open.' })),
      name: Type.Optional(Type.String({ ...TerminalName, description: 'Of a new session.' })),
      kind: Type.Optional(
        Type.Enum(['shell', 'ssh', 'forward'], {
          description:
            'Of a new session, shell when left out. ssh: bytes to and from the sshd of the machine. forward: connections to a port of it.',
        }),
      ),
      port: Type.Optional(Type.Integer({ ...TerminalPort, description: 'Of the machine, for kind forward.' })),
      columns: TerminalSide,
      rows: TerminalSide,
    },
    strict,
  ),
  response: TerminalToken,
  shownOnce: ['token'],
});

export const terminalSessionList = defineRoute({
  id: 'terminal_session_list',
  method: 'GET',
  path: '/api/v1/allocations/{allocation_id}/terminal-sessions',
  tag,
  summary: 'The terminal sessions of an allocation, latest first',
  auth: reader,
  tenancy: { kind: 'owner-of', param: 'allocation_id' },
  lane: 'default',
  errors: ['allocation_not_found', 'cursor_invalid'],
  params: Type.Object({ allocation_id: Uuid }, strict),
  query: Type.Object({ ...pageQuery, live: liveOnly }, strict),
  response: page(TerminalSession),
});

export const terminalSessionEnd = defineRoute({
  id: 'terminal_session_end',
  method: 'DELETE',
  path: '/api/v1/terminal-sessions/{terminal_session_id}',
  tag,
  summary: 'End a terminal session and its shell',
  auth: person,
  tenancy: { kind: 'owner-of', param: 'terminal_session_id' },
  lane: 'default',
  idempotency: 'key',
  audit: 'terminal_session.end',
  errors: ['terminal_session_not_found', 'terminal_session_ended', 'ownership_required'],
  params: Type.Object({ terminal_session_id: Uuid }, strict),
  response: TerminalSession,
});

const everybodys = { kind: 'none', why: 'Operators see and end the terminal sessions of all tenants.' } as const;

export const adminTerminalSessionList = defineRoute({
  id: 'admin_terminal_session_list',
  method: 'GET',
  path: '/api/v1/admin/terminal-sessions',
  tag: 'AdminTerminals',
  summary: 'Terminal sessions of all tenants, latest first',
  auth: { kind: 'admin', scope: 'fleet:read' },
  tenancy: everybodys,
  lane: 'admin',
  errors: ['cursor_invalid'],
  query: Type.Object(
    {
      ...pageQuery,
      live: liveOnly,
      organization: Type.Optional(Uuid),
      allocation: Type.Optional(Uuid),
      user: Type.Optional(Uuid),
      node: Type.Optional(Uuid),
    },
    strict,
  ),
  response: page(AdminTerminalSession),
});

export const adminTerminalSessionEnd = defineRoute({
  id: 'admin_terminal_session_end',
  method: 'POST',
  path: '/api/v1/admin/terminal-sessions/{terminal_session_id}/end',
  tag: 'AdminTerminals',
  summary: 'End a terminal session of any tenant, with a reason',
  auth: { kind: 'admin', scope: 'fleet:admin' },
  tenancy: everybodys,
  stepUp: recentSignIn,
  lane: 'admin',
  idempotency: 'key',
  audit: 'terminal_session.end_by_operator',
  errors: ['terminal_session_not_found', 'terminal_session_ended'],
  params: Type.Object({ terminal_session_id: Uuid }, strict),
  body: Type.Object({ reason: Reason }, strict),
  response: AdminTerminalSession,
});
