import { type Static, Type } from 'typebox';
import { Name, Timestamp, Uuid } from '../../ids.ts';
import { page, pageQuery } from '../../pages.ts';
import { defineRoute } from '../../route.ts';
import { AppVersion } from './objects.ts';

const strict = { additionalProperties: false } as const;
const read = { kind: 'user', scope: 'apps:read', serviceAccounts: 'allowed' } as const;
const publish = { kind: 'user', scope: 'apps:publish', serviceAccounts: 'allowed' } as const;
const tag = 'Apps';
const ofProject = { kind: 'owner-of', param: 'project_id' } as const;
const ofVersion = { kind: 'owner-of', param: 'app_version_id' } as const;
const projectParams = Type.Object({ project_id: Uuid }, strict);

export const appVersionVerify = defineRoute({
  id: 'app_version_verify',
  method: 'POST',
  path: '/api/v1/app-versions/{app_version_id}/verify',
  tag,
  summary: 'Have a version verified again now, for example after it was signed or its SBOM was added',
  auth: publish,
  tenancy: ofVersion,
  lane: 'default',
  idempotency: 'key',
  audit: 'app.version.verify',
  errors: ['app_version_not_found', 'illegal_transition'],
  params: Type.Object({ app_version_id: Uuid }, strict),
  response: AppVersion,
});

export const AppSigningKey = Type.Object(
  {
    id: Uuid,
    organization_id: Uuid,
    project_id: Uuid,
    name: Name,
    kind: Type.Enum(['ecdsa-p256', 'ed25519']),
    public_key: Type.String({ description: 'As PEM.' }),
    fingerprint: Type.String({ description: 'sha256 of the key in DER.' }),
    created_at: Timestamp,
  },
  { $id: 'AppSigningKey', ...strict },
);
export type AppSigningKey = Static<typeof AppSigningKey>;

export const appSigningKeyCreate = defineRoute({
  id: 'app_signing_key_create',
  method: 'POST',
  path: '/api/v1/projects/{project_id}/app-signing-keys',
  tag,
  summary: 'Pin a public key: images of this project are verified against the keys that it has pinned',
  auth: publish,
  tenancy: ofProject,
  lane: 'default',
  idempotency: 'key',
  audit: 'app.signing_key.create',
  errors: ['project_not_found', 'app_signing_key_invalid', 'app_signing_key_exists', 'app_limit_reached'],
  status: 201,
  params: projectParams,
  body: Type.Object(
    {
      name: Name,
      public_key: Type.String({
        minLength: 1,
        maxLength: 2_000,
        description: 'As PEM (BEGIN PUBLIC KEY): ECDSA on P-256, which cosign makes, or Ed25519.',
      }),
    },
    strict,
  ),
  response: AppSigningKey,
});

export const appSigningKeyList = defineRoute({
  id: 'app_signing_key_list',
  method: 'GET',
  path: '/api/v1/projects/{project_id}/app-signing-keys',
  tag,
  summary: 'The public keys that a project has pinned',
  auth: read,
  tenancy: ofProject,
  lane: 'default',
  errors: ['project_not_found', 'cursor_invalid'],
  params: projectParams,
  query: Type.Object(pageQuery, strict),
  response: page(AppSigningKey),
});

export const appSigningKeyDelete = defineRoute({
  id: 'app_signing_key_delete',
  method: 'DELETE',
  path: '/api/v1/projects/{project_id}/app-signing-keys/{app_signing_key_id}',
  tag,
  summary: 'Withdraw a public key: it verifies no more versions; those that it verified stay verified',
  auth: publish,
  tenancy: ofProject,
  lane: 'default',
  idempotency: 'key',
  audit: 'app.signing_key.delete',
  errors: ['project_not_found', 'app_signing_key_not_found'],
  params: Type.Object({ project_id: Uuid, app_signing_key_id: Uuid }, strict),
  response: AppSigningKey,
});

export const AppPushCredential = Type.Object(
  {
    registry: Type.String({ description: 'The name of the registry, as images carry it.' }),
    repository: Type.String({ description: 'The only repository that it opens: publisher/slug.' }),
    username: Type.String(),
    password: Type.String(),
    expires_at: Timestamp,
  },
  { $id: 'AppPushCredential', ...strict },
);
export type AppPushCredential = Static<typeof AppPushCredential>;

export const appPushCredentialCreate = defineRoute({
  id: 'app_push_credential_create',
  method: 'POST',
  path: '/api/v1/apps/{app_id}/push-credentials',
  tag,
  summary: 'A login that works for minutes, to push images of this app to the registry of the installation',
  auth: publish,
  tenancy: { kind: 'owner-of', param: 'app_id' },
  lane: 'default',
  idempotency: 'key',
  audit: 'app.push_credential.create',
  errors: ['app_not_found', 'app_registry_absent'],
  status: 201,
  params: Type.Object({ app_id: Uuid }, strict),
  response: AppPushCredential,
  shownOnce: ['password'],
});
