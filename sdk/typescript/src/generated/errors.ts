// Emitted from the contract by `npm run gen`; changes are lost.

/** Every code that an answer may carry. */
export const errorCodes = {
  /** The person has a grant for this allocation already. */
  access_grant_exists: { status: 409, retryable: false },
  /** The allocation has as many grants as the policy allows. */
  access_grant_limit: { status: 409, retryable: false },
  /** There is no such access grant. */
  access_grant_not_found: { status: 404, retryable: false },
  /** An operator has disabled this account. */
  account_disabled: { status: 401, retryable: false },
  /** The adjustment was entered, rejected or has expired. */
  adjustment_decided: { status: 409, retryable: false },
  /** The line cannot be corrected by this amount; the message says why. */
  adjustment_invalid: { status: 422, retryable: false },
  /** There is no such adjustment. */
  adjustment_not_found: { status: 404, retryable: false },
  /** Only operators of the platform may do this. */
  admin_required: { status: 403, retryable: false },
  /** This bundle exists already. */
  agent_release_already_exists: { status: 409, retryable: false },
  /** The bundle does not have the declared size and digest. */
  agent_release_invalid: { status: 422, retryable: false },
  /** There is no such release of the node agent. */
  agent_release_not_found: { status: 404, retryable: false },
  /** There is no such alert, or it was cleared already. */
  alert_not_found: { status: 404, retryable: false },
  /** The allocation is being released already. */
  allocation_already_releasing: { status: 409, retryable: false },
  /** The caller holds as many allocations as its policy allows. */
  allocation_concurrency_limit: { status: 409, retryable: false },
  /** There is no such allocation group. */
  allocation_group_not_found: { status: 404, retryable: false },
  /** The allocation is not active. */
  allocation_not_active: { status: 409, retryable: false },
  /** There is no such allocation. */
  allocation_not_found: { status: 404, retryable: false },
  /** This person belongs to the organization already. */
  already_member: { status: 409, retryable: false },
  /** The amount is more or less than a policy allows. */
  amount_out_of_bounds: { status: 422, retryable: false },
  /** The organization or project is entitled to the app already. */
  app_already_entitled: { status: 409, retryable: false },
  /** There is no such entitlement. */
  app_entitlement_not_found: { status: 404, retryable: false },
  /** The app instance is being moved to another version already. */
  app_instance_changing: { status: 409, retryable: false },
  /** The allocation runs as many app instances as it may. */
  app_instance_limit: { status: 409, retryable: false },
  /** There is no such app instance. */
  app_instance_not_found: { status: 404, retryable: false },
  /** The app instance has no container on a host that could be asked. */
  app_instance_not_on_host: { status: 409, retryable: false },
  /** There are as many apps or versions as the policy allows. */
  app_limit_reached: { status: 409, retryable: false },
  /** The manifest contradicts itself or the app; details names each place. */
  app_manifest_invalid: { status: 422, retryable: false },
  /** The app instance has no version to go back to. */
  app_no_previous_version: { status: 409, retryable: false },
  /** There is no such app. */
  app_not_found: { status: 404, retryable: false },
  /** This version of the app may not be launched now; the message says why. */
  app_not_launchable: { status: 409, retryable: false },
  /** The app cannot run on this allocation; the message says why. */
  app_not_supported: { status: 409, retryable: false },
  /** The parameters do not fit the manifest of the app; details names each one. */
  app_parameters_invalid: { status: 422, retryable: false },
  /** The installation has no registry of its own to push to. */
  app_registry_absent: { status: 409, retryable: false },
  /** There is no such app, or the caller may not use it. */
  app_route_not_found: { status: 404, retryable: false },
  /** The project has pinned this key already. */
  app_signing_key_exists: { status: 409, retryable: false },
  /** This is no public key that signatures of images are checked with. */
  app_signing_key_invalid: { status: 422, retryable: false },
  /** There is no such signing key. */
  app_signing_key_not_found: { status: 404, retryable: false },
  /** The organization already publishes an app with this slug. */
  app_slug_taken: { status: 409, retryable: false },
  /** Images may come from there already. */
  app_source_exists: { status: 409, retryable: false },
  /** There is no such source of images. */
  app_source_not_found: { status: 404, retryable: false },
  /** The app already has this version; a published version never changes. */
  app_version_exists: { status: 409, retryable: false },
  /** There is no such version of an app. */
  app_version_not_found: { status: 404, retryable: false },
  /** The version is not verified, and prod takes verified versions only. */
  app_version_untrusted: { status: 409, retryable: false },
  /** There is no such archive, or it is still being written. */
  archive_not_found: { status: 404, retryable: false },
  /** The assertion is malformed, expired, for another audience or signed with a wrong key. */
  assertion_invalid: { status: 401, retryable: false },
  /** The assertion was used before: sign a new one. */
  assertion_replayed: { status: 401, retryable: false },
  /** There is no such breaker: automation has taken nothing of such a pool yet. */
  breaker_not_found: { status: 404, retryable: false },
  /** There is a budget for this organization, project, person or tag already. */
  budget_already_exists: { status: 409, retryable: false },
  /** A hard budget does not allow this launch or extension; who sees the account finds what is counted in the details. */
  budget_exceeded: { status: 402, retryable: false },
  /** The thresholds or the subject of the budget do not fit; the message says how. */
  budget_invalid: { status: 422, retryable: false },
  /** The organization has as many budgets as the policy allows. */
  budget_limit_reached: { status: 409, retryable: false },
  /** There is no such budget. */
  budget_not_found: { status: 404, retryable: false },
  /** A hard budget counts by this tag, so only those who see to the account take it off. */
  budget_tag_locked: { status: 409, retryable: false },
  /** The account uses another currency. */
  currency_mismatch: { status: 409, retryable: false },
  /** The page cursor was not made by this list, or by an older version of it. */
  cursor_invalid: { status: 400, retryable: false },
  /** The department takes no new projects. */
  department_disabled: { status: 409, retryable: false },
  /** The default department cannot be disabled. */
  department_is_default: { status: 409, retryable: false },
  /** There is no such department. */
  department_not_found: { status: 404, retryable: false },
  /** Another department of the organization already uses this slug. */
  department_slug_taken: { status: 409, retryable: false },
  /** The organization has not paid for long, so it may add less in a day or month; details say how much and until when. */
  deposit_limit_exceeded: { status: 422, retryable: false },
  /** There is no such document. */
  document_not_found: { status: 404, retryable: false },
  /** The allocation would last or wait longer than the policy allows, or it has no end to move. */
  duration_invalid: { status: 422, retryable: false },
  /** The event was already requeued or discarded. */
  event_already_settled: { status: 409, retryable: false },
  /** The outbox holds no such event: it is older than its retention, or no process committed it. Discard the letter. */
  event_not_committed: { status: 409, retryable: false },
  /** There is no such failed event. */
  event_not_found: { status: 404, retryable: false },
  /** Too many wrong codes or passkeys were tried for this account. */
  factor_attempts_exceeded: { status: 429, retryable: true },
  /** The code of the second factor is wrong, or was used before. */
  factor_code_wrong: { status: 422, retryable: false },
  /** The account has as many second factors as it can have. */
  factor_limit: { status: 409, retryable: false },
  /** There is no such second factor. */
  factor_not_found: { status: 404, retryable: false },
  /** Another identity provider keeps the account: its second factors are managed there. */
  factors_elsewhere: { status: 409, retryable: false },
  /** The SKU is not sold in this count; details names those that it is sold in. */
  gpu_count_invalid: { status: 422, retryable: false },
  /** A request with this key is still running. */
  idempotency_in_progress: { status: 409, retryable: true },
  /** The Idempotency-Key is empty, too long, or contradicts its alias. */
  idempotency_key_invalid: { status: 400, retryable: false },
  /** A write needs an Idempotency-Key header. */
  idempotency_key_missing: { status: 400, retryable: false },
  /** The key was used before with another request, or the answer to this one was erased. */
  idempotency_key_reused: { status: 422, retryable: false },
  /** The object is in a state that does not allow this. */
  illegal_transition: { status: 409, retryable: false },
  /** The balance does not cover this. */
  insufficient_balance: { status: 402, retryable: false },
  /** The caller is known, but its role does not include this. */
  insufficient_permissions: { status: 403, retryable: false },
  /** An internal error; the correlation id finds it in the logs. */
  internal_error: { status: 500, retryable: true },
  /** The request could not be read. */
  invalid_request: { status: 400, retryable: false },
  /** The invitation is unknown, used, revoked or too old; the answer is always the same. */
  invitation_invalid: { status: 404, retryable: false },
  /** Too many invitations of this organization wait to be accepted. */
  invitation_limit_reached: { status: 409, retryable: false },
  /** There is no such invitation. */
  invitation_not_found: { status: 404, retryable: false },
  /** This address has an invitation that can still be accepted. */
  invitation_pending: { status: 409, retryable: false },
  /** There is no such invoice. */
  invoice_not_found: { status: 404, retryable: false },
  /** An invoice is past due, and launches wait until it is paid. */
  invoice_past_due: { status: 402, retryable: false },
  /** A policy asks for a second factor, so the last one cannot be removed. */
  last_factor: { status: 409, retryable: false },
  /** This is the last superadmin: make another person a superadmin first. */
  last_operator: { status: 409, retryable: false },
  /** An organization needs an owner: make another member an owner first. */
  last_owner: { status: 409, retryable: false },
  /** There is no such line in the ledger. */
  ledger_line_not_found: { status: 404, retryable: false },
  /** The range of time ends before it begins. */
  log_range_invalid: { status: 422, retryable: false },
  /** There is no such job. */
  maas_job_not_found: { status: 404, retryable: false },
  /** Another job of the machine is open. */
  maas_machine_busy: { status: 409, retryable: false },
  /** MAAS lists no such machine at this site. */
  maas_machine_not_found: { status: 404, retryable: false },
  /** The state of the machine, or of its node, does not allow this. */
  maas_machine_unsuited: { status: 409, retryable: false },
  /** There is a MAAS site of this name already. */
  maas_site_already_exists: { status: 409, retryable: false },
  /** Machines of the site are nodes, or are worked on. */
  maas_site_in_use: { status: 409, retryable: false },
  /** There is no such MAAS site. */
  maas_site_not_found: { status: 404, retryable: false },
  /** This address of MAAS is not used: it is not https. */
  maas_url_refused: { status: 400, retryable: false },
  /** The cap on spending does not last for one window of accrual. */
  max_spend_too_low: { status: 422, retryable: false },
  /** There is no such member. */
  member_not_found: { status: 404, retryable: false },
  /** The path exists, but not with this method. */
  method_not_allowed: { status: 405, retryable: false },
  /** The range ends before it begins, or has more points than one answer: ask for less time or a coarser resolution. */
  metrics_range_invalid: { status: 422, retryable: false },
  /** A node of this name is enrolled already. */
  node_already_exists: { status: 409, retryable: false },
  /** The connection carries no certificate of this node, or one that was revoked. */
  node_certificate_invalid: { status: 401, retryable: false },
  /** The certificate request cannot be read, or does not prove its key. */
  node_csr_invalid: { status: 422, retryable: false },
  /** The node still serves allocations. */
  node_in_use: { status: 409, retryable: false },
  /** The host does not prove the key by which the node is known: only that host can recover as this node. */
  node_key_unproven: { status: 403, retryable: false },
  /** There is no such node. */
  node_not_found: { status: 404, retryable: false },
  /** The host is not ready for work yet; details say what is missing. */
  node_not_ready: { status: 409, retryable: false },
  /** The node does not answer. */
  node_offline: { status: 409, retryable: true },
  /** The result is not signed by the node, or is not about this task. */
  node_result_invalid: { status: 422, retryable: false },
  /** The node has no such task. */
  node_task_not_found: { status: 404, retryable: false },
  /** The task has ended already, in another way. */
  node_task_settled: { status: 409, retryable: false },
  /** The enrolment token is unknown, used, expired or meant for another node. */
  node_token_invalid: { status: 401, retryable: false },
  /** Mail of this kind cannot be turned off: it is about money or security. */
  notification_required: { status: 409, retryable: false },
  /** The organization holds as many GPUs as its policy allows; details list what is counted. */
  organization_gpu_limit: { status: 409, retryable: false },
  /** The person owns as many organizations as the policy allows. */
  organization_limit_reached: { status: 409, retryable: false },
  /** The organization still has projects. */
  organization_not_empty: { status: 409, retryable: false },
  /** There is no such organization. */
  organization_not_found: { status: 404, retryable: false },
  /** Another organization already uses this slug. */
  organization_slug_taken: { status: 409, retryable: false },
  /** A request that a browser makes with its cookie must come from a page of ours. */
  origin_refused: { status: 403, retryable: false },
  /** There is an image of this name already. */
  os_image_already_exists: { status: 409, retryable: false },
  /** Some hosts that take work do not have this image yet; details name them. */
  os_image_not_cached: { status: 409, retryable: false },
  /** There is no such image. */
  os_image_not_found: { status: 404, retryable: false },
  /** Only the owner may do this. */
  ownership_required: { status: 403, retryable: false },
  /** The passkey was not accepted: its challenge was used or too old, or its answer is wrong. */
  passkey_wrong: { status: 422, retryable: false },
  /** Browsers make no passkeys here: that takes a domain and TLS. */
  passkeys_unavailable: { status: 409, retryable: false },
  /** The body is larger than this operation accepts. */
  payload_too_large: { status: 413, retryable: false },
  /** Automatic top-ups charge this card: choose another one, or turn them off first. */
  payment_method_in_use: { status: 409, retryable: false },
  /** There is no such saved card, or none to charge. */
  payment_method_not_found: { status: 404, retryable: false },
  /** There is no such payment. */
  payment_not_found: { status: 404, retryable: false },
  /** The payment provider refused to begin the payment; the message says why. */
  payment_refused: { status: 409, retryable: false },
  /** This installation takes no payments: ask for credit instead. */
  payments_disabled: { status: 409, retryable: false },
  /** The dates are not a valid period, or the period is too long. */
  period_invalid: { status: 422, retryable: false },
  /** The token would live longer than the policy allows. */
  personal_token_expiry_invalid: { status: 422, retryable: false },
  /** There is no such personal access token. */
  personal_token_not_found: { status: 404, retryable: false },
  /** Personal access tokens may not call this operation: sign in instead. */
  personal_token_refused: { status: 403, retryable: false },
  /** The person does not have this role. */
  platform_role_not_found: { status: 404, retryable: false },
  /** The level and the subject do not fit together. */
  policy_level_invalid: { status: 400, retryable: false },
  /** There is no such policy, or no such setting of it. */
  policy_not_found: { status: 404, retryable: false },
  /** The value lies outside what the policy allows. */
  policy_out_of_bounds: { status: 422, retryable: false },
  /** There is a price for this region, currency and moment already. */
  price_already_exists: { status: 409, retryable: false },
  /** A price cannot take effect in the past. */
  price_backdated: { status: 422, retryable: false },
  /** There is no such negotiated price. */
  price_not_found: { status: 404, retryable: false },
  /** A health probe must pass first; details say since when. */
  probe_required: { status: 409, retryable: false },
  /** X-Project-ID and the project in the path are not the same. */
  project_mismatch: { status: 400, retryable: false },
  /** There is no such project. */
  project_not_found: { status: 404, retryable: false },
  /** The request names no project: send X-Project-ID. */
  project_required: { status: 400, retryable: false },
  /** Another project of the organization already uses this slug. */
  project_slug_taken: { status: 409, retryable: false },
  /** The quote is too old: ask for a new one. */
  quote_expired: { status: 409, retryable: false },
  /** The quote is for another SKU, number of GPUs or region. */
  quote_mismatch: { status: 422, retryable: false },
  /** There is no such quote. */
  quote_not_found: { status: 404, retryable: false },
  /** The quote was used by a launch before: ask for a new one. */
  quote_used: { status: 409, retryable: false },
  /** Too many requests in this lane; Retry-After says when to come back. */
  rate_limit_exceeded: { status: 429, retryable: true },
  /** A chunk of the recording is missing or was changed; verify names it. */
  recording_damaged: { status: 409, retryable: false },
  /** The recording was removed at the end of its retention; its digests are kept. */
  recording_removed: { status: 409, retryable: false },
  /** The view is unknown, too old or of another person: open the recording again. */
  recording_view_invalid: { status: 409, retryable: false },
  /** More would go back than was paid and has not gone back yet. */
  refund_exceeds_payment: { status: 422, retryable: false },
  /** The payment is too old for a refund to the card; a credit is possible. */
  refund_window_exceeded: { status: 409, retryable: false },
  /** There is a region of this name already. */
  region_already_exists: { status: 409, retryable: false },
  /** There is no such region. */
  region_not_found: { status: 404, retryable: false },
  /** The request was not received completely in time. */
  request_timeout: { status: 408, retryable: true },
  /** There is no such object. */
  resource_not_found: { status: 404, retryable: false },
  /** There is no such path. */
  route_not_found: { status: 404, retryable: false },
  /** There is no such runbook, and no runbook for such a signal. */
  runbook_not_found: { status: 404, retryable: false },
  /** To require a second factor of others, sign in with a second factor first. */
  second_factor_missing: { status: 409, retryable: false },
  /** Another person has to approve what you asked for. */
  second_person_required: { status: 403, retryable: false },
  /** The key cannot be used, or would live longer than the policy allows. */
  service_account_key_invalid: { status: 422, retryable: false },
  /** There is no such key. */
  service_account_key_not_found: { status: 404, retryable: false },
  /** There is no such service account. */
  service_account_not_found: { status: 404, retryable: false },
  /** The account is pinned to its project; its list of projects cannot change. */
  service_account_pinned: { status: 409, retryable: false },
  /** Service accounts may not call this operation. */
  service_account_refused: { status: 403, retryable: false },
  /** Another service account here already uses this slug. */
  service_account_slug_taken: { status: 409, retryable: false },
  /** A service that this request needs does not answer. */
  service_unavailable: { status: 503, retryable: true },
  /** There is no such session. */
  session_not_found: { status: 404, retryable: false },
  /** A SKU of this name exists already, or existed before. */
  sku_already_exists: { status: 409, retryable: false },
  /** Counts, shape and sizes of machine do not fit together; details name what. */
  sku_invalid: { status: 422, retryable: false },
  /** No SKU has this name. */
  sku_not_found: { status: 404, retryable: false },
  /** No capacity of this SKU and size is available now. */
  sku_unavailable: { status: 409, retryable: true },
  /** The slot is in use: release its allocation first. */
  slot_in_use: { status: 409, retryable: false },
  /** The host has no such slot. */
  slot_not_found: { status: 404, retryable: false },
  /** The host or its slots cannot be published; details say why. */
  slots_blocked: { status: 409, retryable: false },
  /** There is no such SSH certificate. */
  ssh_certificate_not_found: { status: 404, retryable: false },
  /** The owner has this key already. */
  ssh_key_exists: { status: 409, retryable: false },
  /** This is not a public key that we accept; the message says why. */
  ssh_key_invalid: { status: 400, retryable: false },
  /** The owner has as many keys as the policy allows. */
  ssh_key_limit: { status: 409, retryable: false },
  /** There is no such SSH key. */
  ssh_key_not_found: { status: 404, retryable: false },
  /** The signature does not prove that the caller holds the key; the message says why. */
  ssh_key_proof_invalid: { status: 422, retryable: false },
  /** The request names an older generation of the lease. */
  stale_generation: { status: 409, retryable: false },
  /** This operation needs a recent sign-in. */
  step_up_required: { status: 403, retryable: false },
  /** The caller may see this in storage but not change it. */
  storage_access_denied: { status: 403, retryable: false },
  /** What has arrived has another checksum than the caller expects. */
  storage_checksum_mismatch: { status: 422, retryable: false },
  /** The folder is not empty: delete it with everything in it (recursive). */
  storage_folder_not_empty: { status: 409, retryable: false },
  /** The grantee has a grant on this namespace already: revoke it first. */
  storage_grant_exists: { status: 409, retryable: false },
  /** There is no such grant. */
  storage_grant_not_found: { status: 404, retryable: false },
  /** The organization has no such person, service account or project. */
  storage_grantee_not_found: { status: 404, retryable: false },
  /** The path is a folder, and this needs a file. */
  storage_is_folder: { status: 409, retryable: false },
  /** There are as many uploads, namespaces, grants, links or storage tokens as the policy allows. */
  storage_limit_reached: { status: 409, retryable: false },
  /** There is no such link. */
  storage_link_not_found: { status: 404, retryable: false },
  /** There is nothing at this path, or the caller may not see it. */
  storage_object_not_found: { status: 404, retryable: false },
  /** The path names no place in storage; the message says why. */
  storage_path_invalid: { status: 400, retryable: false },
  /** Something else is at this path. */
  storage_path_occupied: { status: 409, retryable: false },
  /** The project would store more than its quota. */
  storage_quota_exceeded: { status: 409, retryable: false },
  /** The balance of the organization is spent, so its projects store nothing more. What is stored stays. */
  storage_read_only: { status: 402, retryable: false },
  /** The allocation has no such storage token. */
  storage_token_not_found: { status: 404, retryable: false },
  /** The folder has more entries than one change may touch: take its folders one by one. */
  storage_too_many_entries: { status: 409, retryable: false },
  /** Parts of the upload are missing; details names the first ones. */
  storage_upload_incomplete: { status: 409, retryable: false },
  /** There is no such upload; it may have expired. */
  storage_upload_not_found: { status: 404, retryable: false },
  /** The webhook was not signed by the payment provider, or is too old. */
  stripe_signature_invalid: { status: 400, retryable: false },
  /** There is no such task-signing key. */
  task_signer_not_found: { status: 404, retryable: false },
  /** The tax id does not have the form or the check digits of its country. */
  tax_id_invalid: { status: 422, retryable: false },
  /** The session had to be recorded and its recording failed or is full: open a new one. */
  terminal_not_recorded: { status: 409, retryable: false },
  /** Policy does not allow connections to this port; details name the ports that it allows. */
  terminal_port_refused: { status: 422, retryable: false },
  /** The chunk does not follow the last one of the recording, or another gateway copy records the session. */
  terminal_recording_conflict: { status: 409, retryable: false },
  /** There is no such recording. */
  terminal_recording_not_found: { status: 404, retryable: false },
  /** Policy demands that sessions are recorded, and this kind of session cannot be: use a terminal. */
  terminal_recording_required: { status: 403, retryable: false },
  /** The terminal session has ended: open a new one. */
  terminal_session_ended: { status: 409, retryable: false },
  /** Another client types into the session: take it over, watch it, or open a new one. */
  terminal_session_in_use: { status: 409, retryable: false },
  /** Too many terminal sessions are open; details list them. */
  terminal_session_limit: { status: 409, retryable: false },
  /** There is no such terminal session. */
  terminal_session_not_found: { status: 404, retryable: false },
  /** The token of a terminal is unknown, was used before, is too old or for another allocation. */
  terminal_token_invalid: { status: 401, retryable: false },
  /** This installation or this machine offers no terminals; the message says why. */
  terminal_unsupported: { status: 409, retryable: false },
  /** The token was valid and no longer is. */
  token_expired: { status: 401, retryable: false },
  /** The token is malformed, has a wrong signature, issuer or audience, or was revoked. */
  token_invalid: { status: 401, retryable: false },
  /** The request carries no bearer token. */
  token_missing: { status: 401, retryable: false },
  /** Too many payments of the organization wait to be paid: use one of them, or wait. */
  too_many_payments: { status: 409, retryable: false },
  /** Too many event streams are open; close one, or come back later. */
  too_many_streams: { status: 429, retryable: true },
  /** The organization has as many webhooks as one may have. */
  too_many_webhooks: { status: 409, retryable: false },
  /** The host has not reported its hardware yet: run a discovery first. */
  topology_missing: { status: 409, retryable: false },
  /** The body must be application/json. */
  unsupported_media_type: { status: 415, retryable: false },
  /** A user of this name exists already. */
  user_already_exists: { status: 409, retryable: false },
  /** This person was erased and cannot be changed. */
  user_erased: { status: 409, retryable: false },
  /** The person still has allocations: release them first. */
  user_has_allocations: { status: 409, retryable: false },
  /** There is no such user. */
  user_not_found: { status: 404, retryable: false },
  /** One or more fields are missing, unknown or out of range; details names each. */
  validation_error: { status: 400, retryable: false },
  /** The object was changed by someone else since it was read. */
  version_conflict: { status: 409, retryable: true },
  /** There is no such webhook. */
  webhook_not_found: { status: 404, retryable: false },
  /** The webhook is turned off: turn it on before an event is posted again. */
  webhook_off: { status: 409, retryable: false },
  /** Events are not posted to this address: it is not https, or not public. */
  webhook_url_refused: { status: 400, retryable: false },
  /** No proof is stored that the slot was wiped after its last use. */
  wipe_unproven: { status: 409, retryable: false },
  /** There is no such workflow run. */
  workflow_not_found: { status: 404, retryable: false },
} as const;
export type ErrorCode = keyof typeof errorCodes;
