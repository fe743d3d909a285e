import { type Static, Type } from 'typebox';
import { AppVersionNumber } from '../../apps/manifest.ts';
import { Name, Timestamp, Uuid } from '../../ids.ts';
import { clientAuthModes, routeFamilies, routeLabelPattern } from '../../ingress/internal.ts';
import { ociMost } from '../../node/oci.ts';
import { page, pageQuery } from '../../pages.ts';
import { defineRoute } from '../../route.ts';
import { launchErrors, launchFields, placeErrors } from '../allocations/allocations.ts';

const strict = { additionalProperties: false } as const;
const orNull = <const S extends Parameters<typeof Type.Union>[0][number]>(schema: S) =>
  Type.Union([schema, Type.Null()]);
const tag = 'AppInstances';
const reader = { kind: 'user', scope: 'allocations:read', serviceAccounts: 'allowed' } as const;
const writer = { kind: 'user', scope: 'allocations:write', serviceAccounts: 'allowed' } as const;
const one = { kind: 'owner-of', param: 'app_instance_id' } as const;
const params = Type.Object({ app_instance_id: Uuid }, strict);

export const AppInstanceState = Type.Enum([
  'requested',
  'launching',
  'running',
  'stopping',
  'stopped',
  'failed',
  'releasing',
  'released',
]);
export const AppRoute = Type.Object(
  {
    id: Uuid,
    endpoint: Type.String(),
    family: Type.Enum([...routeFamilies], { description: 'Who calls: people with a browser, or programs.' }),
    auth: Type.Enum([...clientAuthModes]),
    url: orNull(Type.String({ description: 'Where it is; null where this installation runs no app-proxy.' })),
  },
  { $id: 'AppRoute', ...strict },
);
export const AppInstance = Type.Object(
  {
    id: Uuid,
    organization_id: Uuid,
    project_id: Uuid,
    allocation_id: Uuid,
    owns_allocation: Type.Boolean({ description: 'Launched together with its allocation, and released with it.' }),
    app_version_id: Uuid,
    app_reference: Type.String(),
    app_version: Type.String(),
    version_change: orNull(
      Type.Enum(['upgrading', 'trying', 'returning'], {
        description:
          'upgrading: the container of the old version ends; trying: the new version is launched, and the old one comes back if it does not become ready; returning: it goes back to its version of before.',
      }),
    ),
    previous_version: orNull(Type.String({ description: 'The version that a rollback leads to.' })),
    name: Name,
    requested_by: Type.String(),
    state: AppInstanceState,
    version: Type.Integer(),
    phase: orNull(Type.String({ description: 'What its launch is at.' })),
    attempts: Type.Integer({ description: 'Containers that were ordered for the current start.' }),
    parameters: Type.Record(Type.String(), Type.Union([Type.String(), Type.Number(), Type.Boolean()])),
    simulated: Type.Boolean(),
    routes: Type.Array(AppRoute),
    failure_code: orNull(Type.String()),
    failure_reason: orNull(Type.String()),
    end_reason: orNull(Type.String()),
    created_at: Timestamp,
    ready_at: orNull(Timestamp),
    ended_at: orNull(Timestamp),
  },
  { $id: 'AppInstance', ...strict },
);
export type AppInstance = Static<typeof AppInstance>;

export const AppInstanceMoment = Type.Object(
  {
    id: Uuid,
    at: Timestamp,
    name: Type.String(),
    from_state: orNull(Type.String()),
    to_state: orNull(Type.String()),
    detail: Type.Object({}),
    correlation_id: orNull(Type.String()),
  },
  { $id: 'AppInstanceMoment', ...strict },
);
export type AppInstanceMoment = Static<typeof AppInstanceMoment>;

export const AppInstanceLogs = Type.Object(
  {
    asked_at: orNull(Timestamp),
    fetched_at: orNull(Type.String({ format: 'date-time', description: 'When the host last answered; null: never.' })),
    simulated: Type.Boolean(),
    truncated: Type.Boolean({ description: 'There was more than fits into this answer or than the host keeps.' }),
    lines: Type.Array(
      Type.Object(
        { at: orNull(Timestamp), stream: Type.Enum(['stdout', 'stderr']), text: Type.String() },
        { ...strict, $id: 'AppInstanceLogLine' },
      ),
    ),
  },
  { $id: 'AppInstanceLogs', ...strict },
);
export type AppInstanceLogs = Static<typeof AppInstanceLogs>;

const Parameters = Type.Record(
  Type.String({ pattern: '^[a-z][a-z0-9_]{0,39}$' }),
  Type.Union([Type.String({ maxLength: 4_096 }), Type.Number(), Type.Boolean()]),
  { maxProperties: 40, description: 'Values for the parameters of the manifest.' },
);
const changeErrors = ['app_instance_not_found', 'illegal_transition'] as const;
const instanceErrors = [
  'app_not_launchable',
  'app_parameters_invalid',
  'app_not_supported',
  'allocation_not_active',
] as const;

export const appInstanceCreate = defineRoute({
  id: 'app_instance_create',
  method: 'POST',
  path: '/api/v1/app-instances',
  tag,
  summary: 'Launch an app, on an allocation of the project or together with a new one',
  auth: writer,
  tenancy: { kind: 'header' },
  lane: 'default',
  idempotency: 'key',
  audit: 'app_instance.create',
  errors: [
    ...launchErrors,
    ...placeErrors,
    ...instanceErrors,
    ...(['app_version_not_found', 'allocation_not_found', 'ownership_required'] as const),
    ...(['app_instance_limit', 'validation_error'] as const),
  ],
  status: 201,
  body: Type.Object(
    {
      app: Type.String({
        pattern: '^[a-z0-9-]{1,63}/[a-z0-9-]{1,63}$',
        description: 'publisher/slug of the app.',
      }),
      version: Type.Optional(
        Type.String({ maxLength: 120, description: 'Its version; the newest that may be launched when left out.' }),
      ),
      name: Type.Optional(Name),
      parameters: Type.Optional(Parameters),
      allocation_id: Type.Optional(
        Type.String({ ...Uuid, description: 'An active allocation of a whole node, of this project.' }),
      ),
      allocation: Type.Optional(
        Type.Object(launchFields, { ...strict, description: 'A new allocation, released together with the app.' }),
      ),
    },
    strict,
  ),
  response: AppInstance,
});

export const appInstanceList = defineRoute({
  id: 'app_instance_list',
  method: 'GET',
  path: '/api/v1/app-instances',
  tag,
  summary: 'The app instances of a project, newest first',
  auth: reader,
  tenancy: { kind: 'header' },
  lane: 'default',
  errors: ['cursor_invalid'],
  query: Type.Object({ ...pageQuery, state: Type.Optional(AppInstanceState), allocation: Type.Optional(Uuid) }, strict),
  response: page(AppInstance),
});

export const appInstanceGet = defineRoute({
  id: 'app_instance_get',
  method: 'GET',
  path: '/api/v1/app-instances/{app_instance_id}',
  tag,
  summary: 'One app instance, with its routes',
  auth: reader,
  tenancy: one,
  lane: 'default',
  errors: ['app_instance_not_found'],
  params,
  response: AppInstance,
});

export const appInstanceTimeline = defineRoute({
  id: 'app_instance_timeline',
  method: 'GET',
  path: '/api/v1/app-instances/{app_instance_id}/timeline',
  tag,
  summary: 'What happened to an app instance, oldest first',
  auth: reader,
  tenancy: one,
  lane: 'default',
  errors: ['app_instance_not_found', 'cursor_invalid'],
  params,
  query: Type.Object(pageQuery, strict),
  response: page(AppInstanceMoment),
});

const change = { tag, auth: writer, tenancy: one, lane: 'default', idempotency: 'key', params } as const;

export const appInstanceStop = defineRoute({
  ...change,
  id: 'app_instance_stop',
  method: 'POST',
  path: '/api/v1/app-instances/{app_instance_id}/stop',
  summary: 'Stop an app instance; its volumes and its allocation stay',
  audit: 'app_instance.stop',
  errors: [...changeErrors],
  response: AppInstance,
});

export const appInstanceStart = defineRoute({
  ...change,
  id: 'app_instance_start',
  method: 'POST',
  path: '/api/v1/app-instances/{app_instance_id}/start',
  summary: 'Start an app instance again that was stopped or has failed',
  audit: 'app_instance.start',
  errors: [...changeErrors, ...instanceErrors],
  response: AppInstance,
});

export const appInstanceUpgrade = defineRoute({
  ...change,
  id: 'app_instance_upgrade',
  method: 'POST',
  path: '/api/v1/app-instances/{app_instance_id}/upgrade',
  summary: 'Move an app instance to another version of its app; the old one comes back if that does not become ready',
  audit: 'app_instance.upgrade',
  errors: [...changeErrors, ...instanceErrors, 'ownership_required', 'app_version_not_found', 'app_instance_changing'],
  body: Type.Object(
    {
      version: Type.String({
        ...AppVersionNumber,
        description: 'The number of the version. Its image is the one of its digest; a tag is refused.',
      }),
      parameters: Type.Optional({
        ...Parameters,
        description: 'Values that change. The others stay, as far as the new version knows them.',
      }),
    },
    strict,
  ),
  response: AppInstance,
});

export const appInstanceRollback = defineRoute({
  ...change,
  id: 'app_instance_rollback',
  method: 'POST',
  path: '/api/v1/app-instances/{app_instance_id}/rollback',
  summary:
    'Move an app instance back to the version that it had before its last upgrade, with the parameters that it had then',
  audit: 'app_instance.rollback',
  errors: [
    ...changeErrors,
    ...instanceErrors,
    'ownership_required',
    'app_no_previous_version',
    'app_instance_changing',
  ],
  response: AppInstance,
});

export const appInstanceRelease = defineRoute({
  ...change,
  id: 'app_instance_release',
  method: 'POST',
  path: '/api/v1/app-instances/{app_instance_id}/release',
  summary: 'End an app instance with its volumes, and its allocation where both were launched together',
  audit: 'app_instance.release',
  errors: [...changeErrors, 'allocation_already_releasing'],
  response: AppInstance,
});

export const appInstanceLogsRequest = defineRoute({
  ...change,
  id: 'app_instance_logs_request',
  method: 'POST',
  path: '/api/v1/app-instances/{app_instance_id}/logs',
  summary: 'Ask the host for the last lines of an app instance; read them with GET',
  audit: 'app_instance.logs_request',
  errors: ['app_instance_not_found', 'app_instance_not_on_host'],
  body: Type.Object(
    { tail_lines: Type.Optional(Type.Integer({ minimum: 1, maximum: ociMost.logLines, default: 200 })) },
    strict,
  ),
  response: AppInstanceLogs,
});

export const appInstanceLogs = defineRoute({
  id: 'app_instance_logs',
  method: 'GET',
  path: '/api/v1/app-instances/{app_instance_id}/logs',
  tag,
  summary: 'The lines that the host last gave for an app instance',
  auth: reader,
  tenancy: one,
  lane: 'default',
  errors: ['app_instance_not_found'],
  params,
  response: AppInstanceLogs,
});

export const AppSignIn = Type.Object(
  {
    redirect_url: Type.String({ description: 'Where the browser goes next, with a code that works once.' }),
    expires_at: Timestamp,
  },
  { $id: 'AppSignIn', ...strict },
);
export type AppSignIn = Static<typeof AppSignIn>;

export const appSignInCreate = defineRoute({
  id: 'app_sign_in_create',
  method: 'POST',
  path: '/api/v1/app-sign-ins',
  tag,
  summary: 'A one-time code with which your browser signs in at the address of an app',
  // It becomes a session of a browser for hours: only a person who signed in gets one.
  auth: { kind: 'user', scope: 'allocations:write', serviceAccounts: 'refused', personalTokens: 'refused' },
  tenancy: { kind: 'none', why: 'The label says whose it is; one of others answers as one that does not exist.' },
  lane: 'default',
  idempotency: 'key',
  audit: 'app_sign_in.create',
  errors: ['app_route_not_found'],
  status: 201,
  body: Type.Object(
    {
      label: Type.String({ pattern: routeLabelPattern, description: 'The first part of the name of the app.' }),
      state: Type.String({ pattern: '^[A-Za-z0-9_-]{20,128}$', description: 'What the browser was sent here with.' }),
      to: Type.Optional(Type.String({ maxLength: 1_000, description: 'The path to return to.' })),
    },
    strict,
  ),
  response: AppSignIn,
  shownOnce: ['redirect_url'],
});
