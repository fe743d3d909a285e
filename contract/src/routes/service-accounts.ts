import { type Static, Type } from 'typebox';
import { Name, Slug, Timestamp, Uuid } from '../ids.ts';
import { page, pageQuery } from '../pages.ts';
import { defineRoute } from '../route.ts';
import { type Scope, scopes } from '../scopes.ts';

const ScopeName = Type.Enum(Object.keys(scopes) as [Scope, ...Scope[]]);
const Scopes = Type.Array(ScopeName, { minItems: 1, maxItems: 100, uniqueItems: true });
const When = Type.Union([Timestamp, Type.Null()]);
const Coordinate = Type.String({ pattern: '^[A-Za-z0-9_-]{43}$', description: '32 bytes in base64url.' });

export const ServiceAccount = Type.Object(
  {
    id: Uuid,
    resource_name: Type.String(),
    organization_id: Uuid,
    scope: Type.Enum(['project', 'organization'], {
      description: 'Pinned to one project, or bounded by an organization and a list of its projects.',
    }),
    project_ids: Type.Array(Uuid, { description: 'The projects where it may act. It sees nothing else.' }),
    name: Name,
    slug: Slug,
    description: Type.Union([Type.String(), Type.Null()]),
    scopes: Type.Array(ScopeName),
    state: Type.Enum(['active', 'disabled', 'deleted']),
    version: Type.Integer(),
    created_at: Timestamp,
    updated_at: Timestamp,
  },
  { $id: 'ServiceAccount', additionalProperties: false },
);
export type ServiceAccount = Static<typeof ServiceAccount>;

/** Public halves of the two key types that are accepted. A private member is an unknown field, and refused. */
export const PublicKey = Type.Union(
  [
    Type.Object(
      { kty: Type.Literal('OKP'), crv: Type.Literal('Ed25519'), x: Coordinate },
      { additionalProperties: false },
    ),
    Type.Object(
      { kty: Type.Literal('EC'), crv: Type.Literal('P-256'), x: Coordinate, y: Coordinate },
      { additionalProperties: false },
    ),
  ],
  { description: 'A public key as JSON Web Key: Ed25519 or P-256.' },
);
export type PublicKey = Static<typeof PublicKey>;

const keyFields = {
  id: Uuid,
  service_account_id: Uuid,
  name: Name,
  public_key: PublicKey,
  created_at: Timestamp,
  expires_at: Timestamp,
  last_used_at: When,
  revoked_at: When,
};
export const ServiceAccountKey = Type.Object(keyFields, { $id: 'ServiceAccountKey', additionalProperties: false });
export type ServiceAccountKey = Static<typeof ServiceAccountKey>;
export const NewServiceAccountKey = Type.Object(
  {
    ...keyFields,
    private_key: Type.Optional(
      Type.Record(Type.String(), Type.String(), {
        description: 'The private half as JSON Web Key, if the server generated it. It is shown here and never again.',
      }),
    ),
  },
  { $id: 'NewServiceAccountKey', additionalProperties: false },
);

const write = {
  kind: 'user',
  scope: 'service_accounts:write',
  serviceAccounts: 'refused',
  personalTokens: 'refused',
} as const;
const read = { kind: 'user', scope: 'service_accounts:read', serviceAccounts: 'refused' } as const;
const stepUp = { maxAge: 'auth.step_up_max_age_seconds' } as const;
const tag = 'ServiceAccounts';
const description = Type.Optional(Type.String({ maxLength: 1_000 }));
const ofAccount = { kind: 'owner-of', param: 'service_account_id' } as const;
const accountParams = Type.Object({ service_account_id: Uuid }, { additionalProperties: false });
const organizationParams = Type.Object({ organization_id: Uuid }, { additionalProperties: false });
const projectParams = Type.Object({ project_id: Uuid }, { additionalProperties: false });
const listQuery = Type.Object(pageQuery, { additionalProperties: false });

export const serviceAccountCreate = defineRoute({
  id: 'service_account_create',
  method: 'POST',
  path: '/api/v1/projects/{project_id}/service-accounts',
  tag,
  summary: 'Create a service account for one project',
  auth: write,
  tenancy: { kind: 'owner-of', param: 'project_id' },
  lane: 'default',
  idempotency: 'key',
  audit: 'service_account.create',
  errors: ['project_not_found', 'service_account_slug_taken', 'insufficient_permissions'],
  status: 201,
  params: projectParams,
  body: Type.Object({ name: Name, slug: Slug, description, scopes: Scopes }, { additionalProperties: false }),
  response: ServiceAccount,
});

export const serviceAccountList = defineRoute({
  id: 'service_account_list',
  method: 'GET',
  path: '/api/v1/projects/{project_id}/service-accounts',
  tag,
  summary: 'The service accounts that may act in a project',
  auth: read,
  tenancy: { kind: 'owner-of', param: 'project_id' },
  lane: 'default',
  errors: ['project_not_found', 'cursor_invalid'],
  params: projectParams,
  query: listQuery,
  response: page(ServiceAccount),
});

export const machineIdentityCreate = defineRoute({
  id: 'machine_identity_create',
  method: 'POST',
  path: '/api/v1/organizations/{organization_id}/service-accounts',
  tag,
  summary: 'Create a service account for some projects of an organization, for shared runtimes and outside workers',
  auth: write,
  tenancy: { kind: 'path', param: 'organization_id' },
  stepUp,
  lane: 'default',
  idempotency: 'key',
  audit: 'service_account.create',
  errors: ['service_account_slug_taken', 'project_not_found', 'insufficient_permissions'],
  status: 201,
  params: organizationParams,
  body: Type.Object(
    {
      name: Name,
      slug: Slug,
      description,
      scopes: Scopes,
      project_ids: Type.Array(Uuid, { minItems: 1, maxItems: 100, uniqueItems: true }),
    },
    { additionalProperties: false },
  ),
  response: ServiceAccount,
});

export const machineIdentityList = defineRoute({
  id: 'machine_identity_list',
  method: 'GET',
  path: '/api/v1/organizations/{organization_id}/service-accounts',
  tag,
  summary: 'All service accounts of an organization and of its projects',
  auth: read,
  tenancy: { kind: 'path', param: 'organization_id' },
  lane: 'default',
  errors: ['cursor_invalid'],
  params: organizationParams,
  query: listQuery,
  response: page(ServiceAccount),
});

export const serviceAccountGet = defineRoute({
  id: 'service_account_get',
  method: 'GET',
  path: '/api/v1/service-accounts/{service_account_id}',
  tag,
  summary: 'One service account',
  auth: read,
  tenancy: ofAccount,
  lane: 'default',
  errors: ['service_account_not_found'],
  params: accountParams,
  response: ServiceAccount,
});

export const serviceAccountUpdate = defineRoute({
  id: 'service_account_update',
  method: 'PATCH',
  path: '/api/v1/service-accounts/{service_account_id}',
  tag,
  summary: 'Rename a service account, change its scopes and projects, or disable and enable it',
  auth: write,
  tenancy: ofAccount,
  stepUp,
  lane: 'default',
  idempotency: 'key',
  audit: 'service_account.update',
  errors: [
    'service_account_not_found',
    'service_account_pinned',
    'project_not_found',
    'insufficient_permissions',
    'illegal_transition',
    'version_conflict',
  ],
  params: accountParams,
  body: Type.Object(
    {
      name: Type.Optional(Name),
      description: Type.Optional(Type.Union([Type.String({ maxLength: 1_000 }), Type.Null()])),
      scopes: Type.Optional(Scopes),
      project_ids: Type.Optional(
        Type.Array(Uuid, {
          minItems: 1,
          maxItems: 100,
          uniqueItems: true,
          description: 'All projects where it may act from now on; for accounts of an organization.',
        }),
      ),
      state: Type.Optional(Type.Enum(['active', 'disabled'])),
      version: Type.Optional(Type.Integer({ minimum: 1, description: 'Refuse if the account has changed since.' })),
    },
    { additionalProperties: false, minProperties: 1 },
  ),
  response: ServiceAccount,
});

const lifecycle = <const I extends `service_account_${string}`, const A extends `service_account.${string}`>(
  id: I,
  audit: A,
  verb: string,
  summary: string,
) =>
  defineRoute({
    id,
    method: 'POST',
    path: `/api/v1/service-accounts/{service_account_id}/${verb}`,
    tag,
    summary,
    auth: write,
    tenancy: ofAccount,
    lane: 'default',
    idempotency: 'key',
    audit,
    errors: ['service_account_not_found', 'illegal_transition', 'version_conflict', 'insufficient_permissions'],
    params: accountParams,
    body: Type.Object({ version: Type.Optional(Type.Integer({ minimum: 1 })) }, { additionalProperties: false }),
    response: ServiceAccount,
  });
export const serviceAccountDisable = lifecycle(
  'service_account_disable',
  'service_account.disable',
  'disable',
  'Disable a service account; its tokens are refused within five seconds',
);
export const serviceAccountEnable = lifecycle(
  'service_account_enable',
  'service_account.enable',
  'enable',
  'Enable a service account',
);

export const serviceAccountRemove = defineRoute({
  id: 'service_account_remove',
  method: 'DELETE',
  path: '/api/v1/service-accounts/{service_account_id}',
  tag,
  summary: 'Remove a service account for good',
  auth: write,
  tenancy: ofAccount,
  lane: 'default',
  idempotency: 'key',
  audit: 'service_account.delete',
  errors: ['service_account_not_found', 'illegal_transition'],
  params: accountParams,
  response: ServiceAccount,
});

export const serviceAccountKeyCreate = defineRoute({
  id: 'service_account_key_create',
  method: 'POST',
  path: '/api/v1/service-accounts/{service_account_id}/keys',
  tag,
  summary: 'Add a key to a service account: your own, or one that the server generates and shows once',
  auth: write,
  tenancy: ofAccount,
  stepUp,
  lane: 'default',
  idempotency: 'key',
  audit: 'service_account.key.create',
  errors: [
    'service_account_not_found',
    'service_account_key_invalid',
    'illegal_transition',
    'insufficient_permissions',
  ],
  status: 201,
  params: accountParams,
  body: Type.Object(
    {
      name: Name,
      public_key: Type.Optional(PublicKey),
      expires_in_days: Type.Integer({ minimum: 1, maximum: 3_650 }),
    },
    { additionalProperties: false },
  ),
  response: NewServiceAccountKey,
  shownOnce: ['private_key'],
});

export const serviceAccountKeyList = defineRoute({
  id: 'service_account_key_list',
  method: 'GET',
  path: '/api/v1/service-accounts/{service_account_id}/keys',
  tag,
  summary: 'The keys of a service account, newest first',
  auth: read,
  tenancy: ofAccount,
  lane: 'default',
  errors: ['service_account_not_found', 'cursor_invalid'],
  params: accountParams,
  query: listQuery,
  response: page(ServiceAccountKey),
});

export const serviceAccountKeyRevoke = defineRoute({
  id: 'service_account_key_revoke',
  method: 'DELETE',
  path: '/api/v1/service-accounts/{service_account_id}/keys/{key_id}',
  tag,
  summary: 'Revoke a key; tokens that it obtained are refused within five seconds',
  auth: write,
  tenancy: ofAccount,
  lane: 'default',
  idempotency: 'key',
  audit: 'service_account.key.revoke',
  errors: ['service_account_key_not_found', 'service_account_not_found'],
  params: Type.Object({ service_account_id: Uuid, key_id: Uuid }, { additionalProperties: false }),
  response: ServiceAccountKey,
});

export const serviceAccountToken = defineRoute({
  id: 'service_account_token',
  method: 'POST',
  path: '/api/v1/auth/service-accounts/token',
  tag,
  summary: 'Exchange a signed assertion for a short-lived token, as JSON; OAuth libraries send a form to /oauth/token',
  auth: {
    kind: 'public',
    why: 'The assertion in the body is the proof of identity; a caller with a token does not need this route.',
  },
  tenancy: { kind: 'none', why: 'The assertion names the account, and the account names its tenant.' },
  lane: 'credentials',
  idempotency: 'key',
  audit: 'service_account.token.issue',
  errors: ['assertion_invalid', 'assertion_replayed', 'insufficient_permissions'],
  body: Type.Object(
    {
      grant_type: Type.Literal('urn:ietf:params:oauth:grant-type:jwt-bearer'),
      assertion: Type.String({ minLength: 1, maxLength: 4_096 }),
      scope: Type.Optional(
        Type.String({ maxLength: 2_000, description: 'Fewer scopes than the account has, separated by blanks.' }),
      ),
    },
    { additionalProperties: false },
  ),
  response: Type.Object(
    {
      access_token: Type.String(),
      token_type: Type.Literal('Bearer'),
      expires_in: Type.Integer({ description: 'Seconds.' }),
      scope: Type.String(),
    },
    { additionalProperties: false },
  ),
  shownOnce: ['access_token'],
});

export const signingKeyList = defineRoute({
  id: 'signing_key_list',
  method: 'GET',
  path: '/api/v1/auth/keys',
  tag,
  summary: 'The public keys that tokens of service accounts are signed with, as JSON Web Key Set',
  auth: { kind: 'public', why: 'Anyone who receives a token must be able to verify it.' },
  tenancy: { kind: 'none', why: 'The same for everybody.' },
  lane: 'default',
  errors: [],
  response: Type.Object(
    { keys: Type.Array(Type.Record(Type.String(), Type.String())) },
    { additionalProperties: false },
  ),
});
