import { Type } from 'typebox';

/** Who has to act after a refusal. */
export type WhoActs = 'caller' | 'tenant admin' | 'operator' | 'nobody';

export interface ErrorKind {
  readonly status: number;
  /** What happened, for the reference page. The answer itself says what is wrong with the request. */
  readonly meaning: string;
  /** Whether the same request may succeed later without a change. */
  readonly retryable: boolean;
  readonly whoActs: WhoActs;
}

const kind = (status: number, meaning: string, whoActs: WhoActs = 'caller', retryable = false): ErrorKind => ({
  status,
  meaning,
  retryable,
  whoActs,
});

/** Every code that an answer may carry. A new code is declared here first. */
export const errors = {
  // authentication
  token_missing: kind(401, 'The request carries no bearer token.'),
  token_invalid: kind(401, 'The token is malformed, has a wrong signature, issuer or audience, or was revoked.'),
  token_expired: kind(401, 'The token was valid and no longer is.'),
  token_scope_invalid: kind(401, 'The token was not issued for this kind of use.'),
  assertion_invalid: kind(401, 'The assertion is malformed, expired, for another audience or signed with a wrong key.'),
  assertion_replayed: kind(401, 'The assertion was used before: sign a new one.'),
  account_disabled: kind(401, 'An operator has disabled this account.', 'operator'),
  auth_personal_disabled: kind(401, 'Sign-in with a personal account is switched off here.', 'tenant admin'),
  auth_enterprise_required: kind(401, 'This organization signs in through its own identity provider.'),
  auth_personal_required: kind(401, 'This account signs in with its own password, not through an organization.'),

  // authorisation
  insufficient_permissions: kind(403, 'The caller is known, but its role does not include this.', 'tenant admin'),
  admin_required: kind(403, 'Only operators of the platform may do this.', 'operator'),
  ownership_required: kind(403, 'Only the owner may do this.', 'tenant admin'),
  step_up_required: kind(403, 'This operation needs a recent sign-in.'),
  origin_refused: kind(403, 'A request that a browser makes with its cookie must come from a page of ours.'),
  service_account_refused: kind(403, 'Service accounts may not call this operation.'),
  personal_token_refused: kind(403, 'Personal access tokens may not call this operation: sign in instead.'),
  second_factor_missing: kind(409, 'To require a second factor of others, sign in with a second factor first.'),
  factors_elsewhere: kind(409, 'Another identity provider keeps the account: its second factors are managed there.'),
  factor_not_found: kind(404, 'There is no such second factor.'),
  factor_code_wrong: kind(422, 'The code of the second factor is wrong, or was used before.'),
  passkey_wrong: kind(422, 'The passkey was not accepted: its challenge was used or too old, or its answer is wrong.'),
  passkeys_unavailable: kind(409, 'Browsers make no passkeys here: that takes a domain and TLS.'),
  factor_attempts_exceeded: kind(429, 'Too many wrong codes or passkeys were tried for this account.', 'caller', true),
  factor_limit: kind(409, 'The account has as many second factors as it can have.'),
  last_factor: kind(409, 'A policy asks for a second factor, so the last one cannot be removed.'),
  project_required: kind(400, 'The request names no project: send X-Project-ID.'),
  project_mismatch: kind(400, 'X-Project-ID and the project in the path are not the same.'),

  // validation
  validation_error: kind(400, 'One or more fields are missing, unknown or out of range; details names each.'),
  invalid_request: kind(400, 'The request could not be read.'),
  payload_too_large: kind(413, 'The body is larger than this operation accepts.'),
  unsupported_media_type: kind(415, 'The body must be application/json.'),
  not_acceptable: kind(406, 'No offered representation suits the Accept header.'),
  method_not_allowed: kind(405, 'The path exists, but not with this method.'),
  route_not_found: kind(404, 'There is no such path.'),
  cursor_invalid: kind(400, 'The page cursor was not made by this list, or by an older version of it.'),
  request_timeout: kind(408, 'The request was not received completely in time.', 'caller', true),

  // idempotency
  idempotency_key_missing: kind(400, 'A write needs an Idempotency-Key header.'),
  idempotency_key_invalid: kind(400, 'The Idempotency-Key is empty, too long, or contradicts its alias.'),
  idempotency_key_reused: kind(
    422,
    'The key was used before with another request, or the answer to this one was erased.',
  ),
  idempotency_in_progress: kind(409, 'A request with this key is still running.', 'nobody', true),

  // state and conflicts
  illegal_transition: kind(409, 'The object is in a state that does not allow this.'),
  version_conflict: kind(409, 'The object was changed by someone else since it was read.', 'caller', true),
  resource_not_found: kind(404, 'There is no such object.'),
  organization_not_found: kind(404, 'There is no such organization.'),
  organization_slug_taken: kind(409, 'Another organization already uses this slug.'),
  organization_not_empty: kind(409, 'The organization still has projects.'),
  last_owner: kind(409, 'An organization needs an owner: make another member an owner first.'),
  member_not_found: kind(404, 'There is no such member.'),
  already_member: kind(409, 'This person belongs to the organization already.', 'nobody'),
  department_not_found: kind(404, 'There is no such department.'),
  department_slug_taken: kind(409, 'Another department of the organization already uses this slug.'),
  department_disabled: kind(409, 'The department takes no new projects.', 'tenant admin'),
  department_is_default: kind(409, 'The default department cannot be disabled.'),
  invitation_not_found: kind(404, 'There is no such invitation.'),
  invitation_invalid: kind(404, 'The invitation is unknown, used, revoked or too old; the answer is always the same.'),
  invitation_limit_reached: kind(409, 'Too many invitations of this organization wait to be accepted.', 'caller'),
  invitation_pending: kind(409, 'This address has an invitation that can still be accepted.', 'nobody'),
  organization_limit_reached: kind(409, 'The person owns as many organizations as the policy allows.', 'caller'),
  ssh_key_not_found: kind(404, 'There is no such SSH key.'),
  ssh_key_invalid: kind(400, 'This is not a public key that we accept; the message says why.'),
  ssh_key_exists: kind(409, 'The owner has this key already.', 'nobody'),
  ssh_key_limit: kind(409, 'The owner has as many keys as the policy allows.'),
  project_not_found: kind(404, 'There is no such project.'),
  project_slug_taken: kind(409, 'Another project of the organization already uses this slug.'),
  project_not_empty: kind(409, 'The project still holds live resources.'),
  allocation_not_found: kind(404, 'There is no such allocation.'),
  allocation_not_active: kind(409, 'The allocation is not active.'),
  allocation_already_releasing: kind(409, 'The allocation is being released already.', 'nobody'),
  allocation_concurrency_limit: kind(409, 'The caller holds as many allocations as its policy allows.', 'tenant admin'),
  organization_gpu_limit: kind(
    409,
    'The organization holds as many GPUs as its policy allows; details list what is counted.',
    'operator',
  ),
  allocation_group_not_found: kind(404, 'There is no such allocation group.'),
  gpu_count_invalid: kind(422, 'The SKU is not sold in this count; details names those that it is sold in.'),
  duration_invalid: kind(
    422,
    'The allocation would last or wait longer than the policy allows, or it has no end to move.',
  ),
  sku_unavailable: kind(409, 'No capacity of this SKU and size is available now.', 'nobody', true),
  sku_not_found: kind(404, 'No SKU has this name.'),
  sku_already_exists: kind(409, 'A SKU of this name exists already, or existed before.', 'operator'),
  sku_invalid: kind(422, 'Counts, shape and sizes of machine do not fit together; details name what.', 'operator'),
  price_already_exists: kind(409, 'There is a price for this region, currency and moment already.', 'operator'),
  price_backdated: kind(422, 'A price cannot take effect in the past.', 'operator'),
  region_not_found: kind(404, 'There is no such region.'),
  region_already_exists: kind(409, 'There is a region of this name already.', 'operator'),
  os_image_not_found: kind(404, 'There is no such image.'),
  os_image_already_exists: kind(409, 'There is an image of this name already.', 'operator'),
  os_image_not_cached: kind(
    409,
    'Some hosts that take work do not have this image yet; details name them.',
    'operator',
  ),
  insufficient_balance: kind(402, 'The balance does not cover this.', 'tenant admin'),
  archive_not_found: kind(404, 'There is no such archive, or it is still being written.', 'caller'),
  ledger_line_not_found: kind(404, 'There is no such line in the ledger.', 'caller'),
  period_invalid: kind(422, 'The dates are not a valid period, or the period is too long.', 'caller'),
  currency_mismatch: kind(409, 'The account uses another currency.', 'operator'),
  amount_out_of_bounds: kind(422, 'The amount is more or less than a policy allows.'),
  document_not_found: kind(404, 'There is no such document.'),
  invoice_not_found: kind(404, 'There is no such invoice.', 'operator'),
  payments_disabled: kind(409, 'This installation takes no payments: ask for credit instead.', 'operator'),
  payment_refused: kind(409, 'The payment provider refused to begin the payment; the message says why.', 'operator'),
  too_many_payments: kind(409, 'Too many payments of the organization wait to be paid: use one of them, or wait.'),
  payment_not_found: kind(404, 'There is no such payment.'),
  refund_exceeds_payment: kind(422, 'More would go back than was paid and has not gone back yet.', 'operator'),
  agent_release_not_found: kind(404, 'There is no such release of the node agent.', 'operator'),
  agent_release_already_exists: kind(409, 'This bundle exists already.', 'operator'),
  agent_release_invalid: kind(422, 'The bundle does not have the declared size and digest.', 'operator'),
  node_not_found: kind(404, 'There is no such node.', 'operator'),
  node_offline: kind(409, 'The node does not answer.', 'operator', true),
  node_in_use: kind(409, 'The node still serves allocations.', 'operator'),
  node_not_ready: kind(409, 'The host is not ready for work yet; details say what is missing.', 'operator'),
  notification_required: kind(409, 'Mail of this kind cannot be turned off: it is about money or security.'),
  breaker_not_found: kind(
    404,
    'There is no such breaker: automation has taken nothing of such a pool yet.',
    'operator',
  ),
  alert_not_found: kind(404, 'There is no such alert, or it was cleared already.', 'operator'),
  probe_required: kind(409, 'A health probe must pass first; details say since when.', 'operator'),
  wipe_unproven: kind(409, 'No proof is stored that the slot was wiped after its last use.', 'operator'),
  slot_not_found: kind(404, 'The host has no such slot.', 'operator'),
  slot_in_use: kind(409, 'The slot is in use: release its allocation first.', 'operator'),
  topology_missing: kind(409, 'The host has not reported its hardware yet: run a discovery first.', 'operator'),
  slots_blocked: kind(409, 'The host or its slots cannot be published; details say why.', 'operator'),
  node_already_exists: kind(409, 'A node of this name is enrolled already.', 'operator'),
  node_token_invalid: kind(401, 'The enrolment token is unknown, used, expired or meant for another node.', 'operator'),
  node_key_unproven: kind(
    403,
    'The host does not prove the key by which the node is known: only that host can recover as this node.',
    'operator',
  ),
  node_certificate_invalid: kind(
    401,
    'The connection carries no certificate of this node, or one that was revoked.',
    'operator',
  ),
  node_csr_invalid: kind(422, 'The certificate request cannot be read, or does not prove its key.', 'operator'),
  node_task_not_found: kind(404, 'The node has no such task.', 'operator'),
  node_task_settled: kind(409, 'The task has ended already, in another way.', 'nobody'),
  node_result_invalid: kind(422, 'The result is not signed by the node, or is not about this task.', 'operator'),
  stale_generation: kind(409, 'The request names an older generation of the lease.', 'nobody'),
  task_signer_not_found: kind(404, 'There is no such task-signing key.', 'operator'),
  user_not_found: kind(404, 'There is no such user.'),
  user_erased: kind(409, 'This person was erased and cannot be changed.', 'nobody'),
  user_has_allocations: kind(409, 'The person still has allocations: release them first.', 'operator'),
  last_operator: kind(409, 'This is the last superadmin: make another person a superadmin first.', 'operator'),
  platform_role_not_found: kind(404, 'The person does not have this role.', 'operator'),
  session_not_found: kind(404, 'There is no such session.'),
  personal_token_not_found: kind(404, 'There is no such personal access token.'),
  personal_token_expiry_invalid: kind(422, 'The token would live longer than the policy allows.', 'tenant admin'),
  service_account_not_found: kind(404, 'There is no such service account.'),
  service_account_slug_taken: kind(409, 'Another service account here already uses this slug.'),
  service_account_pinned: kind(409, 'The account is pinned to its project; its list of projects cannot change.'),
  service_account_key_not_found: kind(404, 'There is no such key.'),
  service_account_key_invalid: kind(422, 'The key cannot be used, or would live longer than the policy allows.'),
  user_already_exists: kind(409, 'A user of this name exists already.'),
  stripe_signature_invalid: kind(400, 'The webhook was not signed by the payment provider, or is too old.', 'operator'),
  refund_window_exceeded: kind(
    409,
    'The payment is too old for a refund to the card; a credit is possible.',
    'operator',
  ),
  storage_object_not_found: kind(404, 'There is no such object in storage.'),
  storage_path_traversal: kind(400, 'The path leaves its namespace.'),
  storage_already_exists: kind(409, 'An object of this name exists already.'),
  workflow_not_found: kind(404, 'There is no such workflow run.', 'operator'),
  event_not_found: kind(404, 'There is no such failed event.', 'operator'),
  event_already_settled: kind(409, 'The event was already requeued or discarded.', 'operator'),

  policy_not_found: kind(404, 'There is no such policy, or no such setting of it.', 'operator'),
  policy_out_of_bounds: kind(422, 'The value lies outside what the policy allows.', 'operator'),
  policy_level_invalid: kind(400, 'The level and the subject do not fit together.', 'operator'),

  // availability
  rate_limit_exceeded: kind(429, 'Too many requests in this lane; Retry-After says when to come back.', 'caller', true),
  too_many_streams: kind(429, 'Too many event streams are open; close one, or come back later.', 'caller', true),
  service_unavailable: kind(503, 'A service that this request needs does not answer.', 'operator', true),
  upstream_error: kind(502, 'A service that this request needs sent an invalid answer.', 'operator', true),
  internal_error: kind(500, 'An internal error; the correlation id finds it in the logs.', 'operator', true),
} as const satisfies Record<string, ErrorKind>;

export type ErrorCode = keyof typeof errors;

/** RFC 9457, with the members that every answer of ours carries. */
export const Problem = Type.Object(
  {
    type: Type.String({ description: 'Names the kind of problem, and leads to what the docs say about it.' }),
    title: Type.String({ description: 'The title of the code; always the same for one code.' }),
    status: Type.Integer(),
    code: Type.String({ description: 'One of the error catalog; programs branch on this.' }),
    message: Type.String({ description: 'What is wrong with this request and what to do.' }),
    correlation_id: Type.String({ description: 'Finds this request in logs, traces, audit and events.' }),
    details: Type.Optional(Type.Unknown({ description: 'Facts that help to correct the request.' })),
  },
  { $id: 'Problem' },
);
