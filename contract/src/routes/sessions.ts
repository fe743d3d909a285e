import { type Static, Type } from 'typebox';
import { Timestamp, Uuid } from '../ids.ts';
import { page, pageQuery } from '../pages.ts';
import { defineRoute } from '../route.ts';

const Text = Type.Union([Type.String(), Type.Null()]);

/** One sign-in of one person, on one device. */
export const AccountSession = Type.Object(
  {
    id: Uuid,
    provider: Type.Enum(['oidc', 'personal_token', 'service_account', 'password', 'unknown']),
    current: Type.Boolean({ description: 'Whether this request belongs to it.' }),
    device_label: Text,
    browser: Text,
    os: Text,
    user_agent: Text,
    ip_address: Text,
    signed_in_at: Timestamp,
    last_seen_at: Timestamp,
    expires_at: Timestamp,
    revoked_at: Type.Union([Timestamp, Type.Null()]),
    revoke_reason: Text,
  },
  { $id: 'AccountSession', additionalProperties: false },
);
export type AccountSession = Static<typeof AccountSession>;

const SessionsRevoked = Type.Object(
  { revoked: Type.Integer({ description: 'How many sessions were ended.' }) },
  { $id: 'SessionsRevoked', additionalProperties: false },
);
const stepUp = { maxAge: 'auth.step_up_max_age_seconds' } as const;
const operators = { kind: 'none', why: 'Sessions belong to people, not to tenants; operators only.' } as const;
const because = Type.Object(
  { reason: Type.Optional(Type.String({ minLength: 3, maxLength: 500, description: 'Why; kept in the audit log.' })) },
  { additionalProperties: false },
);
const ofUser = Type.Object({ user_id: Uuid }, { additionalProperties: false });
const SessionId = Type.String({
  pattern: '^(?:current|[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})$',
  description: 'An id, or current: the session of this request. Ending it signs you out.',
});

export const sessionList = defineRoute({
  id: 'session_list',
  method: 'GET',
  path: '/api/v1/me/sessions',
  tag: 'Sessions',
  summary: 'The sessions of the caller, newest first',
  auth: { kind: 'user', scope: 'sessions:read', serviceAccounts: 'refused' },
  tenancy: { kind: 'self' },
  lane: 'default',
  errors: ['cursor_invalid'],
  query: Type.Object(pageQuery, { additionalProperties: false }),
  response: page(AccountSession),
});

export const sessionRevoke = defineRoute({
  id: 'session_revoke',
  method: 'DELETE',
  path: '/api/v1/me/sessions/{session_id}',
  tag: 'Sessions',
  summary: 'End one session; its tokens are refused everywhere within five seconds',
  auth: { kind: 'user', scope: 'sessions:write', serviceAccounts: 'refused', personalTokens: 'refused' },
  tenancy: { kind: 'self' },
  lane: 'default',
  idempotency: 'key',
  audit: 'session.revoke',
  errors: ['session_not_found'],
  params: Type.Object({ session_id: SessionId }, { additionalProperties: false }),
  response: AccountSession,
});

export const sessionRevokeOthers = defineRoute({
  id: 'session_revoke_others',
  method: 'POST',
  path: '/api/v1/me/sessions/revoke-others',
  tag: 'Sessions',
  summary: 'End every other session of the caller, also those that were not used yet',
  auth: { kind: 'user', scope: 'sessions:write', serviceAccounts: 'refused', personalTokens: 'refused' },
  tenancy: { kind: 'self' },
  stepUp,
  lane: 'default',
  idempotency: 'key',
  audit: 'session.revoke_others',
  errors: [],
  body: because,
  response: SessionsRevoked,
});

export const userSessionList = defineRoute({
  id: 'user_session_list',
  method: 'GET',
  path: '/api/v1/admin/users/{user_id}/sessions',
  tag: 'AdminSessions',
  summary: 'The sessions of a person, newest first',
  auth: { kind: 'admin', scope: 'sessions:admin' },
  tenancy: operators,
  lane: 'admin',
  errors: ['user_not_found', 'cursor_invalid'],
  params: ofUser,
  query: Type.Object(pageQuery, { additionalProperties: false }),
  response: page(AccountSession),
});

export const userSessionRevoke = defineRoute({
  id: 'user_session_revoke',
  method: 'DELETE',
  path: '/api/v1/admin/users/{user_id}/sessions/{session_id}',
  tag: 'AdminSessions',
  summary: 'End one session of a person',
  auth: { kind: 'admin', scope: 'sessions:admin' },
  tenancy: operators,
  stepUp,
  lane: 'admin',
  idempotency: 'key',
  audit: 'session.revoke',
  errors: ['session_not_found', 'insufficient_permissions'],
  params: Type.Object({ user_id: Uuid, session_id: Uuid }, { additionalProperties: false }),
  body: because,
  response: AccountSession,
});

export const userSessionRevokeAll = defineRoute({
  id: 'user_session_revoke_all',
  method: 'POST',
  path: '/api/v1/admin/users/{user_id}/sessions/revoke-all',
  tag: 'AdminSessions',
  summary: 'End every session of a person, also those that were not used yet',
  auth: { kind: 'admin', scope: 'sessions:admin' },
  tenancy: operators,
  stepUp,
  lane: 'admin',
  idempotency: 'key',
  audit: 'session.revoke_all',
  errors: ['user_not_found', 'insufficient_permissions'],
  params: ofUser,
  body: because,
  response: SessionsRevoked,
});
