import { type ErrorCode, errors, isWrite, type Route, refusesPersonalTokens, stepUpOf } from '@gpuaas/contract';
import { pathParams } from './contract/check-contract.ts';
import { byText } from './json.ts';

/**
 * Which refusals a route may answer that its handler never speaks of. They follow from the declaration, because the
 * mount does the same checks in the same order for every route; a handler can neither add to them nor avoid them.
 */
export function mountErrors(route: Route): readonly ErrorCode[] {
  return [
    ...authErrors(route),
    ...tenancyErrors(route),
    ...(stepUpOf(route) ? (['step_up_required'] as const) : []),
    'rate_limit_exceeded',
    ...idempotencyErrors(route),
    ...validationErrors(route),
    'internal_error',
    'service_unavailable',
  ];
}

/** All codes that a route may answer, each once, sorted. */
export const allErrors = (route: Route): readonly ErrorCode[] =>
  [...new Set([...route.errors, ...mountErrors(route)])].sort(byText);

const bearer = ['account_disabled', 'token_missing', 'token_invalid', 'token_expired'] as const;

function authErrors(route: Route): readonly ErrorCode[] {
  const { auth } = route;
  // Browsers send their cookie with whatever page asks them to; a write asks where that page came from.
  const signedIn = refusesPersonalTokens(route) ? (['personal_token_refused'] as const) : [];
  const fromBrowser = isWrite(route) ? (['origin_refused'] as const) : [];
  switch (auth.kind) {
    case 'public':
      return [];
    case 'user': {
      const refused = auth.serviceAccounts === 'refused' ? (['service_account_refused'] as const) : [];
      return [...bearer, ...fromBrowser, 'insufficient_permissions', ...refused, ...signedIn];
    }
    case 'admin':
      return [
        ...bearer,
        ...fromBrowser,
        'admin_required',
        'insufficient_permissions',
        'service_account_refused',
        ...signedIn,
      ];
    case 'node':
      return ['token_missing', 'token_invalid', 'insufficient_permissions'];
  }
}

/** A foreign object must look absent, so the answer is the very 404 that an absent one gets. */
function notFound(route: Route, param: string): ErrorCode {
  const own = route.errors.find((code) => errors[code].status === 404);
  if (own !== undefined) return own;
  const code = `${param.replace(/_id$/, '')}_not_found`;
  return code in errors ? (code as ErrorCode) : 'resource_not_found';
}

function tenancyErrors(route: Route): readonly ErrorCode[] {
  const { tenancy } = route;
  switch (tenancy.kind) {
    case 'none':
    case 'self':
    case 'founds':
      return [];
    case 'header':
      return pathParams(route.path).includes('project_id')
        ? ['project_required', 'project_not_found', 'project_mismatch']
        : ['project_required', 'project_not_found'];
    case 'path':
      return ['organization_not_found'];
    case 'owner-of':
      return [notFound(route, tenancy.param), 'project_mismatch'];
  }
}

const idempotencyErrors = (route: Route): readonly ErrorCode[] =>
  isWrite(route) && route.idempotency === 'key'
    ? ['idempotency_key_missing', 'idempotency_key_invalid', 'idempotency_key_reused', 'idempotency_in_progress']
    : [];

function validationErrors(route: Route): readonly ErrorCode[] {
  // Unknown query fields are refused everywhere, and a body is read before it is found to be unwanted.
  return isWrite(route)
    ? ['validation_error', 'invalid_request', 'payload_too_large', 'unsupported_media_type']
    : ['validation_error'];
}
