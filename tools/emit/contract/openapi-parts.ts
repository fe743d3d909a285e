import type { ErrorCode } from '@gpuaas/contract';
import type { JsonObject } from '../json.ts';

/** The parts that operations share: named once under `components`, so that one operation fits on a screen. */

export const parameters: Readonly<Record<string, JsonObject>> = {
  IdempotencyKey: {
    name: 'Idempotency-Key',
    in: 'header',
    required: false,
    description:
      'Required unless X-Idempotency-Key is sent in its place; both with two values are refused with `idempotency_key_invalid`. Names this attempt. A repetition with the same body gets the stored answer, with another body 422, and 409 while the first still runs.',
    schema: { type: 'string', minLength: 1, maxLength: 128 },
  },
  IdempotencyKeyAlias: {
    name: 'X-Idempotency-Key',
    in: 'header',
    required: false,
    deprecated: true,
    description:
      'Another spelling of Idempotency-Key, taken in its place. If both are sent they must be equal, or the request is refused with `idempotency_key_invalid`.',
    schema: { type: 'string', minLength: 1, maxLength: 128 },
  },
  ProjectId: {
    name: 'X-Project-ID',
    in: 'header',
    required: true,
    description: 'The project that the request is about. A project of another organization looks absent.',
    schema: { type: 'string', format: 'uuid' },
  },
  RequestId: {
    name: 'X-Request-Id',
    in: 'header',
    required: false,
    description: 'A correlation id of the caller’s choosing; one is made if it is left out.',
    schema: { type: 'string', minLength: 1, maxLength: 128 },
  },
};

export const headers: Readonly<Record<string, JsonObject>> = {
  RequestId: {
    description: 'The correlation id of this request, as logs, traces, audit and events know it.',
    schema: { type: 'string', maxLength: 128 },
  },
  RateLimit: {
    description: 'What is left of the lane’s budget, and in how many seconds it is full again.',
    schema: { type: 'string' },
  },
  RateLimitPolicy: {
    description: 'The lane of this operation and its budget per minute.',
    schema: { type: 'string' },
  },
  RetryAfter: {
    description: 'Seconds to wait before the same request is worth repeating.',
    schema: { type: 'integer', minimum: 0 },
  },
  IdempotencyReplayed: {
    description: 'true when this is the stored answer of an earlier request with the same key.',
    schema: { type: 'boolean' },
  },
};

export const securitySchemes: Readonly<Record<string, JsonObject>> = {
  bearer: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'JWT',
    description:
      'An access token from the installation’s OIDC issuer. The scope named by an operation must be granted.',
  },
  nodeCertificate: {
    type: 'mutualTLS',
    description: 'The client certificate of one enrolled node, on the port that only nodes use.',
  },
};

/** Refusals that the mount gives in the same company on most routes. */
export const sharedProblems: Readonly<Record<string, readonly ErrorCode[]>> = {
  Unauthenticated: ['account_disabled', 'token_expired', 'token_invalid', 'token_missing'],
  Forbidden: ['insufficient_permissions'],
  ForbiddenToServiceAccounts: ['insufficient_permissions', 'service_account_refused'],
  OperatorsOnly: ['admin_required', 'insufficient_permissions'],
  OrganizationNotFound: ['organization_not_found'],
  ProjectNotFound: ['project_not_found'],
  Malformed: ['validation_error'],
  MalformedPage: ['cursor_invalid', 'validation_error'],
  MalformedWrite: ['idempotency_key_invalid', 'idempotency_key_missing', 'invalid_request', 'validation_error'],
  MalformedBareWrite: ['idempotency_key_invalid', 'idempotency_key_missing', 'validation_error'],
  InProgress: ['idempotency_in_progress'],
  KeyReused: ['idempotency_key_reused'],
  TooLarge: ['payload_too_large'],
  WrongMediaType: ['unsupported_media_type'],
  RateLimited: ['rate_limit_exceeded'],
  OurFault: ['internal_error'],
  Unavailable: ['service_unavailable'],
};
