import { type Static, Type } from 'typebox';
import { Name, Timestamp, Uuid } from '../ids.ts';
import { page, pageQuery } from '../pages.ts';
import { defineRoute } from '../route.ts';
import { type Scope, scopes } from '../scopes.ts';

const ScopeName = Type.Enum(Object.keys(scopes) as [Scope, ...Scope[]]);

const fields = {
  id: Uuid,
  name: Name,
  prefix: Type.String({ description: 'The first characters of the token, to recognise it.' }),
  scopes: Type.Array(ScopeName),
  created_at: Timestamp,
  expires_at: Timestamp,
  last_used_at: Type.Union([Timestamp, Type.Null()]),
  revoked_at: Type.Union([Timestamp, Type.Null()]),
};
export const PersonalToken = Type.Object(fields, { $id: 'PersonalToken', additionalProperties: false });
export type PersonalToken = Static<typeof PersonalToken>;

export const NewPersonalToken = Type.Object(
  { ...fields, token: Type.String({ description: 'The token. It is shown here and never again.' }) },
  { $id: 'NewPersonalToken', additionalProperties: false },
);

export const personalTokenCreate = defineRoute({
  id: 'personal_token_create',
  method: 'POST',
  path: '/api/v1/me/tokens',
  tag: 'PersonalTokens',
  summary: 'Create a personal access token; it may do what both its scopes and its owner may do',
  auth: { kind: 'user', scope: 'tokens:write', serviceAccounts: 'refused', personalTokens: 'refused' },
  tenancy: { kind: 'self' },
  stepUp: { maxAge: 'auth.step_up_max_age_seconds' },
  lane: 'default',
  idempotency: 'key',
  audit: 'personal_token.create',
  errors: ['insufficient_permissions', 'personal_token_expiry_invalid'],
  status: 201,
  body: Type.Object(
    {
      name: Name,
      scopes: Type.Array(ScopeName, { minItems: 1, maxItems: 100, uniqueItems: true }),
      expires_in_days: Type.Integer({ minimum: 1, maximum: 3_650 }),
    },
    { additionalProperties: false },
  ),
  response: NewPersonalToken,
  shownOnce: ['token'],
});

export const personalTokenList = defineRoute({
  id: 'personal_token_list',
  method: 'GET',
  path: '/api/v1/me/tokens',
  tag: 'PersonalTokens',
  summary: "The caller's personal access tokens, newest first",
  auth: { kind: 'user', scope: 'tokens:read', serviceAccounts: 'refused' },
  tenancy: { kind: 'self' },
  lane: 'default',
  errors: ['cursor_invalid'],
  query: Type.Object(pageQuery, { additionalProperties: false }),
  response: page(PersonalToken),
});

export const personalTokenRevoke = defineRoute({
  id: 'personal_token_revoke',
  method: 'DELETE',
  path: '/api/v1/me/tokens/{token_id}',
  tag: 'PersonalTokens',
  summary: 'Revoke a personal access token; it is refused everywhere within five seconds',
  auth: { kind: 'user', scope: 'tokens:write', serviceAccounts: 'refused', personalTokens: 'refused' },
  tenancy: { kind: 'self' },
  lane: 'default',
  idempotency: 'key',
  audit: 'personal_token.revoke',
  errors: ['personal_token_not_found'],
  params: Type.Object({ token_id: Uuid }, { additionalProperties: false }),
  response: PersonalToken,
});
