import { type Static, Type } from 'typebox';
import { Timestamp, Uuid } from '../../ids.ts';
import { page, pageQuery } from '../../pages.ts';
import { defineRoute } from '../../route.ts';
import { recentSignIn } from '../../step-up.ts';
import { terminalEndReasonNames } from '../../terminal/close-codes.ts';
import { TerminalName, TerminalSide } from '../../terminal/frames.ts';

const strict = { additionalProperties: false } as const;
const orNull = <const S extends Parameters<typeof Type.Union>[0][number]>(schema: S) =>
  Type.Union([schema, Type.Null()]);
const Sha256 = Type.String({ pattern: '^[0-9a-f]{64}$' });
const Count = Type.Integer({ minimum: 0 });

export const TerminalRecordingInfo = Type.Object(
  {
    id: Type.String({ ...Uuid, description: 'The id of its session, too.' }),
    organization_id: Uuid,
    project_id: Uuid,
    allocation_id: Uuid,
    user_id: Type.String({ ...Uuid, description: 'Whose session it was.' }),
    name: TerminalName,
    kind: Type.Enum(['metadata', 'output'], { description: 'metadata: who, when and how much, without a word of it.' }),
    state: Type.Enum(['recording', 'complete', 'partial', 'removed'], {
      description:
        'recording: the session goes on. complete: it has its last chunk. partial: it ends with the last chunk that was stored. removed: its retention is over.',
    }),
    records_input: Type.Boolean(),
    columns: TerminalSide,
    rows: TerminalSide,
    created_at: Timestamp,
    began_at: orNull(Timestamp),
    ended_at: orNull(Timestamp),
    end_reason: orNull(Type.Enum(terminalEndReasonNames)),
    duration_ms: Count,
    output_bytes: Type.Integer({ minimum: 0, description: 'Output of the shell, without what the format adds.' }),
    stored_bytes: Count,
    chunks: Count,
    sha256: orNull(Type.String({ ...Sha256, description: 'Of the last chunk. It covers all chunks.' })),
  },
  { $id: 'TerminalRecordingInfo', ...strict },
);
export type TerminalRecordingInfo = Static<typeof TerminalRecordingInfo>;

export const RecordingView = Type.Object(
  {
    view_id: Type.String({ pattern: '^[0-9a-f]{32}$' }),
    expires_at: Timestamp,
    recording: TerminalRecordingInfo,
  },
  { $id: 'RecordingView', ...strict },
);
export type RecordingView = Static<typeof RecordingView>;

export const RecordingCast = Type.Object(
  {
    cast: Type.String({ description: 'Lines of asciicast. The first page begins with the header.' }),
    next: orNull(Type.String({ description: 'Where the next page begins; null after the last one.' })),
  },
  { $id: 'RecordingCast', ...strict },
);
export type RecordingCast = Static<typeof RecordingCast>;

export const RecordingVerdict = Type.Object(
  {
    recording_id: Uuid,
    intact: Type.Boolean(),
    chunks: Type.Integer({ minimum: 0, description: 'Chunks that were checked and are as they were stored.' }),
    broken: orNull(Type.Object({ sequence: Type.Integer({ minimum: 1 }), problem: Type.String() }, strict)),
  },
  { $id: 'RecordingVerdict', ...strict },
);
export type RecordingVerdict = Static<typeof RecordingVerdict>;

const tag = 'Recordings';
/** Those who may read the audit log may read what was printed. */
const auditor = { kind: 'user', scope: 'audit:read', serviceAccounts: 'refused' } as const;
const filters = {
  allocation: Type.Optional(Uuid),
  user: Type.Optional(Type.String({ ...Uuid, description: 'Whose sessions.' })),
  from: Type.Optional(Type.String({ format: 'date-time', description: 'Sessions from this moment on.' })),
  to: Type.Optional(Type.String({ format: 'date-time', description: 'Sessions before this moment.' })),
};
const one = Type.Object({ terminal_recording_id: Uuid }, strict);
const Purpose = Type.Enum(['watch', 'download'], { description: 'For the audit log.' });
const castQuery = Type.Object(
  {
    view: Type.String({ pattern: '^[0-9a-f]{32}$', description: 'What opening the recording answered.' }),
    at: Type.Optional(
      Type.String({
        pattern: '^[0-9]{1,8}(\\.[0-9]{1,15}(\\.[0-9a-f]{2,6})?)?$',
        description: '`next` of the page before.',
      }),
    ),
    format: Type.Optional(
      Type.Enum(['v2', 'v3'], {
        default: 'v2',
        description: 'The version of asciicast. v3 counts time from event to event.',
      }),
    ),
  },
  strict,
);

export const recordingList = defineRoute({
  id: 'recording_list',
  method: 'GET',
  path: '/api/v1/organizations/{organization_id}/terminal-recordings',
  tag,
  summary: 'Recorded terminal sessions of the organization, latest first',
  auth: auditor,
  tenancy: { kind: 'path', param: 'organization_id' },
  lane: 'default',
  errors: ['cursor_invalid'],
  params: Type.Object({ organization_id: Uuid }, strict),
  query: Type.Object({ ...pageQuery, ...filters }, strict),
  response: page(TerminalRecordingInfo),
});

const ofTenant = {
  tag,
  auth: auditor,
  tenancy: { kind: 'owner-of', param: 'terminal_recording_id' },
  lane: 'default',
  params: one,
} as const;

export const recordingGet = defineRoute({
  id: 'recording_get',
  method: 'GET',
  path: '/api/v1/terminal-recordings/{terminal_recording_id}',
  summary: 'One recording: whose, when, how long, and the digest that seals it',
  ...ofTenant,
  errors: ['terminal_recording_not_found'],
  response: TerminalRecordingInfo,
});

export const recordingOpen = defineRoute({
  id: 'recording_open',
  method: 'POST',
  path: '/api/v1/terminal-recordings/{terminal_recording_id}/views',
  summary: 'Open a recording to watch or download it; the audit log notes who did and why',
  ...ofTenant,
  idempotency: 'key',
  audit: 'terminal_recording.open',
  errors: ['terminal_recording_not_found', 'recording_removed'],
  status: 201,
  body: Type.Object({ purpose: Purpose }, strict),
  response: RecordingView,
});

export const recordingCast = defineRoute({
  id: 'recording_cast',
  method: 'GET',
  path: '/api/v1/terminal-recordings/{terminal_recording_id}/cast',
  summary: 'A page of an opened recording as asciicast',
  ...ofTenant,
  errors: ['terminal_recording_not_found', 'recording_removed', 'recording_damaged', 'recording_view_invalid'],
  query: castQuery,
  response: RecordingCast,
});

export const recordingVerify = defineRoute({
  id: 'recording_verify',
  method: 'GET',
  path: '/api/v1/terminal-recordings/{terminal_recording_id}/verify',
  summary: 'Recompute the digests of a recording and name the first chunk that was changed',
  ...ofTenant,
  // It reads the whole recording, so it has a small budget.
  lane: 'default',
  errors: ['terminal_recording_not_found', 'recording_removed'],
  response: RecordingVerdict,
});

const ofOperators = {
  tag: 'AdminRecordings',
  auth: { kind: 'admin', scope: 'audit:admin' },
  tenancy: { kind: 'none', why: 'Operators see the recordings of all tenants.' },
  lane: 'admin',
} as const;

export const adminRecordingList = defineRoute({
  id: 'admin_recording_list',
  method: 'GET',
  path: '/api/v1/admin/terminal-recordings',
  summary: 'Recorded terminal sessions of all tenants, latest first',
  ...ofOperators,
  errors: ['cursor_invalid'],
  query: Type.Object({ ...pageQuery, organization: Type.Optional(Uuid), ...filters }, strict),
  response: page(TerminalRecordingInfo),
});

export const adminRecordingGet = defineRoute({
  id: 'admin_recording_get',
  method: 'GET',
  path: '/api/v1/admin/terminal-recordings/{terminal_recording_id}',
  summary: 'One recording of any tenant',
  ...ofOperators,
  errors: ['terminal_recording_not_found'],
  params: one,
  response: TerminalRecordingInfo,
});

export const adminRecordingOpen = defineRoute({
  id: 'admin_recording_open',
  method: 'POST',
  path: '/api/v1/admin/terminal-recordings/{terminal_recording_id}/views',
  summary: 'Open a recording of any tenant, with a reason; the audit log of the tenant notes it',
  ...ofOperators,
  stepUp: recentSignIn,
  idempotency: 'key',
  audit: 'terminal_recording.open_by_operator',
  errors: ['terminal_recording_not_found', 'recording_removed'],
  status: 201,
  params: one,
  body: Type.Object(
    {
      purpose: Purpose,
      reason: Type.String({ minLength: 1, maxLength: 500, pattern: '^[^\\x00-\\x1f\\x7f-\\x9f]*$' }),
    },
    strict,
  ),
  response: RecordingView,
});

export const adminRecordingCast = defineRoute({
  id: 'admin_recording_cast',
  method: 'GET',
  path: '/api/v1/admin/terminal-recordings/{terminal_recording_id}/cast',
  summary: 'A page of an opened recording of any tenant as asciicast',
  ...ofOperators,
  errors: ['terminal_recording_not_found', 'recording_removed', 'recording_damaged', 'recording_view_invalid'],
  params: one,
  query: castQuery,
  response: RecordingCast,
});

export const adminRecordingVerify = defineRoute({
  id: 'admin_recording_verify',
  method: 'GET',
  path: '/api/v1/admin/terminal-recordings/{terminal_recording_id}/verify',
  summary: 'Recompute the digests of a recording of any tenant and name the first chunk that was changed',
  ...ofOperators,
  errors: ['terminal_recording_not_found', 'recording_removed'],
  params: one,
  response: RecordingVerdict,
});
