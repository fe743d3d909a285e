import { logPolicies } from './logs/policies.ts';
import { notificationPolicies } from './notifications/policies.ts';
import { appPolicies } from './policies/apps.ts';
import { billingPolicies } from './policies/billing.ts';
import { invoicingPolicies } from './policies/invoicing.ts';
import { rateLimitPolicies } from './policies/rate-limits.ts';
import { storagePolicies } from './policies/storage.ts';
import { definePolicy, onOff, type Policy, whole } from './policy.ts';
import { telemetryPolicies } from './telemetry/policies.ts';
import { terminalPolicies } from './terminal/policies.ts';

/** Every threshold of the product. Code reads them through the policy domain; a number in a domain is a defect. */
export const policies = [
  ...notificationPolicies,
  ...appPolicies,
  ...rateLimitPolicies,
  ...storagePolicies,
  whole(
    'streams.max_per_person',
    { default: 64, minimum: 1, maximum: 100_000, unit: 'streams' },
    'edge',
    'Event streams that one caller may hold open in each process.',
  ),
  whole(
    'streams.max_per_address',
    { default: 1_000, minimum: 1, maximum: 100_000, unit: 'streams' },
    'edge',
    'Event streams that one address may hold open in each process. IPv6 counts by /64.',
  ),
  whole(
    'streams.max_per_process',
    { default: 5_000, minimum: 1, maximum: 1_000_000, unit: 'streams' },
    'edge',
    'Event streams that one process serves at the same time.',
  ),
  onOff('auth.step_up_enabled', true, 'edge', 'Whether sensitive operations ask for a recent sign-in.'),
  whole(
    'auth.step_up_max_age_seconds',
    { default: 900, minimum: 30, maximum: 86_400, unit: 'seconds' },
    'edge',
    'How long after a sign-in sensitive operations may be called.',
  ),
  onOff(
    'auth.personal_organizations_enabled',
    true,
    'identity',
    'Whether the first sign-in of a person creates a personal organization.',
  ),
  onOff(
    'auth.sign_up_enabled',
    false,
    'identity',
    'Whether anyone may create an account in the built-in identity provider, or only invited people.',
  ),
  whole(
    'mail.max_per_recipient_per_hour',
    { default: 10, minimum: 1, maximum: 1_000, unit: 'emails' },
    'notifications',
    'Letters (invitations, passwords, security) that one address gets within an hour, and as many notifications, counted apart. More letters are not sent; more notifications wait.',
  ),
  onOff(
    'auth.step_up_mfa_required',
    false,
    'edge',
    'Whether that sign-in must have used a second factor. Only a person who signed in with one can turn it on.',
  ),
  whole(
    'auth.session_max_hours',
    { default: 720, minimum: 1, maximum: 8_760, unit: 'hours' },
    'identity',
    'The longest life of a sign-in. A revoked session is refused for this long.',
  ),
  whole(
    'auth.personal_token_max_days',
    { default: 90, minimum: 1, maximum: 3_650, unit: 'days' },
    'identity',
    'The longest life of a personal access token.',
  ),
  whole(
    'auth.service_account_key_max_days',
    { default: 365, minimum: 1, maximum: 3_650, unit: 'days' },
    'service-accounts',
    'The longest life of a key of a service account.',
  ),
  whole(
    'auth.service_account_token_seconds',
    { default: 900, minimum: 60, maximum: 3_600, unit: 'seconds' },
    'service-accounts',
    'The life of a token that a service account gets for an assertion.',
  ),
  whole(
    'idempotency.retention_hours',
    { default: 24, minimum: 1, maximum: 720, unit: 'hours' },
    'edge',
    'How long a stored response is replayed for a repeated Idempotency-Key.',
  ),
  whole(
    'events.publish_max_attempts',
    { default: 8, minimum: 1, maximum: 100, unit: 'attempts' },
    'outbox',
    'Tries to publish one event that the bus refuses before it becomes a dead letter.',
  ),
  whole(
    'events.consume_max_attempts',
    { default: 5, minimum: 1, maximum: 100, unit: 'attempts' },
    'outbox',
    'Deliveries of one event to a failing consumer before it becomes a dead letter.',
  ),
  whole(
    'events.retention_days',
    { default: 7, minimum: 1, maximum: 365, unit: 'days' },
    'outbox',
    'How long published events stay in the outbox, for replay and for streams that resume; at least as long as the bus keeps them.',
  ),
  whole(
    'history.audit_days',
    { default: 400, minimum: 90, maximum: 3_650, unit: 'days' },
    'history',
    'How long the audit log stays in the database. Older months are archived to the object store, then dropped.',
  ),
  whole(
    'history.allocation_days',
    { default: 400, minimum: 30, maximum: 3_650, unit: 'days' },
    'history',
    'How long after its end the timeline, placement decisions and tasks of an allocation stay in the database.',
  ),
  whole(
    'history.evidence_days',
    { default: 3_650, minimum: 400, maximum: 36_500, unit: 'days' },
    'history',
    'How long after the end of an allocation its attestations stay in the database. Proofs of charges read them.',
  ),
  whole(
    'tenancy.invitation_ttl_hours',
    { default: 168, minimum: 1, maximum: 2_160, unit: 'hours' },
    'tenancy',
    'How long an invitation can be accepted.',
  ),
  whole(
    'tenancy.max_pending_invitations',
    { default: 500, minimum: 1, maximum: 100_000, unit: 'invitations' },
    'tenancy',
    'How many invitations of one organization may wait to be accepted.',
  ),
  whole(
    'tenancy.max_owned_organizations',
    { default: 25, minimum: 1, maximum: 100_000, unit: 'organizations' },
    'tenancy',
    'How many organizations one person may own. Each organization has limits of its own, so this bounds what one person can hold.',
  ),
  whole(
    'tenancy.posix_uid_base',
    { default: 20_000, minimum: 1_000, maximum: 1_000_000_000, unit: 'uid' },
    'tenancy',
    'User and group ids of new people on hosts begin after this number. Existing ids do not change.',
  ),
  whole(
    'ssh.rsa_min_bits',
    { default: 3_072, minimum: 2_048, maximum: 16_384, unit: 'bits' },
    'ssh',
    'The shortest RSA key that is accepted.',
  ),
  whole(
    'ssh.max_keys_per_user',
    { default: 50, minimum: 1, maximum: 1_000, unit: 'keys' },
    'ssh',
    'SSH keys that one person may keep.',
  ),
  whole(
    'ssh.max_keys_per_project',
    { default: 50, minimum: 1, maximum: 1_000, unit: 'keys' },
    'ssh',
    'SSH keys that one project may keep.',
  ),
  onOff(
    'ssh.certificates',
    true,
    'ssh',
    'Whether people may have their SSH keys signed for some minutes, as an option beside installed keys.',
  ),
  whole(
    'ssh.certificate_seconds',
    { default: 600, minimum: 60, maximum: 3_600, unit: 'seconds' },
    'ssh',
    'How long an SSH certificate works, at most.',
  ),
  whole(
    'allocation.access_grant_max_days',
    { default: 30, minimum: 1, maximum: 365, unit: 'days' },
    'allocations',
    'How far ahead a grant to work in the allocation of another person may end.',
  ),
  whole(
    'allocation.access_grants_max',
    { default: 20, minimum: 1, maximum: 200, unit: 'grants' },
    'allocations',
    'Active grants that one allocation may have.',
  ),
  ...billingPolicies,
  ...invoicingPolicies,
  whole(
    'billing.minimum_deposit_minor',
    { default: 1_000, minimum: 1, maximum: 100_000_000, unit: 'minor units' },
    'payments',
    'The smallest deposit that a checkout accepts.',
  ),
  whole(
    'billing.maximum_deposit_minor',
    { default: 100_000, minimum: 1, maximum: 1_000_000_000, unit: 'minor units' },
    'payments',
    'The largest deposit that a checkout accepts.',
  ),
  whole(
    'payments.session_minutes',
    { default: 60, minimum: 30, maximum: 1_440, unit: 'minutes' },
    'payments',
    "How long a payment can be made on the provider's page once it was begun.",
  ),
  whole(
    'payments.max_open_sessions',
    { default: 10, minimum: 1, maximum: 1_000, unit: 'payments' },
    'payments',
    'Payments of one organization that may wait to be paid at a time.',
  ),
  whole(
    'allocation.max_concurrent_per_user',
    { default: 50, minimum: 0, maximum: 100_000, unit: 'allocations' },
    'allocations',
    'Allocations that one person may hold at a time.',
  ),
  definePolicy({
    key: 'allocation.max_gpus_per_organization',
    type: 'integer',
    ...{ default: 512, minimum: 0, maximum: 1_000_000, unit: 'GPUs' },
    levels: ['organization', 'plan', 'global'],
    owner: 'allocations',
    description:
      'GPUs that one organization may hold at a time, for all of its callers: queued, requested, provisioning and active ones. A lower value ends nothing; it refuses new requests.',
  }),
  whole(
    'allocation.max_leaving_per_user',
    { default: 50, minimum: 1, maximum: 100_000, unit: 'allocations' },
    'allocations',
    'Allocations of one person that have ended and whose hosts are still cleaning up. Above this number new requests are refused.',
  ),
  whole(
    'allocation.refund_window_days',
    { default: 30, minimum: 0, maximum: 365, unit: 'days' },
    'payments',
    'How long a payment may be refunded to its source.',
  ),
  whole(
    'allocation.provision_timeout_seconds',
    { default: 3_600, minimum: 30, maximum: 86_400, unit: 'seconds' },
    'allocations',
    'How long a node may take to make an allocation ready, including the wait for the node.',
  ),
  whole(
    'allocation.release_timeout_seconds',
    { default: 1_800, minimum: 30, maximum: 86_400, unit: 'seconds' },
    'allocations',
    'How long a node may take to prove that an allocation is cleaned up.',
  ),
  whole(
    'allocation.release_grace_seconds',
    { default: 30, minimum: 0, maximum: 3_600, unit: 'seconds' },
    'allocations',
    'How long a machine may take to shut down by itself before it is stopped.',
  ),
  whole(
    'allocation.shutdown_alert_seconds',
    { default: 120, minimum: 10, maximum: 86_400, unit: 'seconds' },
    'allocations',
    'A release that still waits for its machine this long after the time to shut down was over raises an alert.',
  ),
  whole(
    'allocation.node_lost_seconds',
    { default: 0, minimum: 0, maximum: 2_592_000, unit: 'seconds' },
    'allocations',
    'An allocation whose node has been silent for this long fails. 0: never; it is shown as unreachable and goes on when the node returns.',
  ),
  whole(
    'allocation.idle_percent',
    { default: 5, minimum: 0, maximum: 100, unit: 'percent' },
    'allocations',
    'At or below this utilization of its busiest GPU an allocation is idle.',
  ),
  whole(
    'allocation.idle_grace_minutes',
    { default: 15, minimum: 1, maximum: 1_440, unit: 'minutes' },
    'allocations',
    'The time between the idle warning of an allocation and its release, if its owner chose release.',
  ),
  whole(
    'allocation.reattest_minutes',
    { default: 60, minimum: 1, maximum: 10_080, unit: 'minutes' },
    'allocations',
    'How often the node of an active allocation attests again.',
  ),
  whole(
    'allocation.force_release_max_attempts',
    { default: 3, minimum: 1, maximum: 100, unit: 'attempts' },
    'allocations',
    'Releases of one allocation, forced or not, before only an operator can settle it.',
  ),
  definePolicy({
    key: 'allocation.isolation_model',
    type: 'choice',
    default: 'user-revoke',
    choices: ['user-revoke', 'full-reimage'],
    description: 'What happens to a bare-metal node between two tenants.',
    owner: 'allocations',
  }),
  onOff(
    'node.simulated_allowed',
    false,
    'nodes',
    'Whether simulated hosts may be published. Tenants would rent machines that do not exist.',
  ),
  definePolicy({
    key: 'node.simulated_gpu_time_speed',
    type: 'integer',
    ...{ default: 1, minimum: 1, maximum: 100_000, unit: 'times' },
    levels: ['global'],
    owner: 'nodes',
    description:
      'How many times as fast GPU time passes on simulated hosts: durations end sooner and usage is charged sooner. Real hosts, and installations that take real payments, ignore it.',
  }),
  definePolicy({
    key: 'automation.breaker_percent',
    type: 'integer',
    ...{ default: 25, minimum: 0, maximum: 100, unit: 'percent' },
    levels: ['global'],
    owner: 'attention',
    description:
      'Of the hosts of one SKU in one region, the share whose slots automation may quarantine within the window. One host is always allowed, except with 0.',
  }),
  definePolicy({
    key: 'automation.breaker_window_minutes',
    type: 'integer',
    ...{ default: 60, minimum: 1, maximum: 10_080, unit: 'minutes' },
    levels: ['global'],
    owner: 'attention',
    description: 'The window of the breaker. Automation that would take more within it stops until a person resets it.',
  }),
  whole(
    'node.heartbeat_seconds',
    { default: 15, minimum: 1, maximum: 300, unit: 'seconds' },
    'nodes',
    'How often a node reports.',
  ),
  whole(
    'node.lost_after_seconds',
    { default: 45, minimum: 5, maximum: 3_600, unit: 'seconds' },
    'nodes',
    'A node that was silent for this long is lost, if the control plane was listening all the time.',
  ),
  whole(
    'node.certificate_hours',
    { default: 24, minimum: 1, maximum: 168, unit: 'hours' },
    'nodes',
    'The life of a certificate of a node.',
  ),
  whole(
    'node.enrolment_token_minutes',
    { default: 60, minimum: 5, maximum: 10_080, unit: 'minutes' },
    'nodes',
    'How long a host may use the token that it enrols with.',
  ),
  whole(
    'node.drain_notice_minutes',
    { default: 60, minimum: 0, maximum: 43_200, unit: 'minutes' },
    'nodes',
    'The notice that tenants of a host get before it is drained, unless the operator says otherwise.',
  ),
  whole(
    'allocation.stuck_floor_seconds',
    { default: 300, minimum: 10, maximum: 86_400, unit: 'seconds' },
    'nodes',
    'An allocation is not called stuck before this time, however fast others were.',
  ),
  whole(
    'allocation.stuck_history_days',
    { default: 7, minimum: 1, maximum: 90, unit: 'days' },
    'nodes',
    'The period of recent allocations that defines the usual duration of a phase.',
  ),
  whole(
    'node.task_ttl_seconds',
    { default: 900, minimum: 10, maximum: 86_400, unit: 'seconds' },
    'nodes',
    'How long a task may be started and reported, unless the task sets its own time.',
  ),
  whole(
    'node.task_redispatch_seconds',
    { default: 20, minimum: 1, maximum: 600, unit: 'seconds' },
    'nodes',
    'A task that was handed out and that the node does not report as running is handed out again after this long.',
  ),
  whole(
    'node.signer_overlap_seconds',
    { default: 120, minimum: 0, maximum: 86_400, unit: 'seconds' },
    'nodes',
    'How long a new task-signing key is announced before it signs.',
  ),
  whole(
    'node.signer_grace_hours',
    { default: 24, minimum: 1, maximum: 720, unit: 'hours' },
    'nodes',
    'How long nodes obey a task-signing key after its successor became active.',
  ),
  whole(
    'allocation.max_duration_max_hours',
    { default: 8_760, minimum: 1, maximum: 87_600, unit: 'hours' },
    'allocations',
    'The longest duration that an allocation may have.',
  ),
  whole(
    'allocation.queue_max_wait_seconds',
    { default: 604_800, minimum: 1, maximum: 31_536_000, unit: 'seconds' },
    'allocations',
    'The longest time that a request may wait for capacity.',
  ),
  whole(
    'allocation.queue_ageing_seconds',
    { default: 3_600, minimum: 1, maximum: 604_800, unit: 'seconds' },
    'allocations',
    'A request that has waited this long goes before younger ones and reserves a host. Until then, waiting this long makes up for one GPU that the organization holds.',
  ),
  whole(
    'allocation.queue_batch',
    { default: 50, minimum: 1, maximum: 10_000, unit: 'requests' },
    'allocations',
    'Queued requests of one SKU, region and size that are tried in one round.',
  ),
  whole(
    'allocation.placement_max_repicks',
    { default: 8, minimum: 1, maximum: 100, unit: 'picks' },
    'allocations',
    'Placements that are tried for one request while other requests take the slots.',
  ),
  whole(
    'allocation.placement_candidates',
    { default: 8, minimum: 1, maximum: 1_000, unit: 'hosts' },
    'allocations',
    'Hosts that are scored for one placement.',
  ),
  whole(
    'allocation.placement_failure_memory_minutes',
    { default: 30, minimum: 0, maximum: 1_440, unit: 'minutes' },
    'allocations',
    'How long a host is used only when no other fits, after a launch failed there because of the host.',
  ),
  whole(
    'allocation.launch_retries',
    { default: 2, minimum: 0, maximum: 10, unit: 'retries' },
    'allocations',
    'How often a launch that failed because of its host is tried on another host. Applies to new allocations.',
  ),
  onOff(
    'allocation.image_cache_required',
    false,
    'allocations',
    'Whether a slice goes only to hosts that have its image already.',
  ),
  ...logPolicies,
  ...telemetryPolicies,
  ...terminalPolicies,
  onOff('notification.low_balance_enabled', true, 'notifications', 'Whether owners are notified of a low balance.'),
  onOff(
    'notification.balance_depleted_enabled',
    true,
    'notifications',
    'Whether owners are notified of a depleted balance.',
  ),
] as const satisfies readonly Policy[];

export type AnyPolicy = (typeof policies)[number];
export type PolicyKey = AnyPolicy['key'];
export type PolicyOf<K extends PolicyKey> = Extract<AnyPolicy, { readonly key: K }>;
export type ValueOf<K extends PolicyKey> =
  PolicyOf<K> extends { readonly type: infer T }
    ? T extends 'integer'
      ? number
      : T extends 'boolean'
        ? boolean
        : string
    : never;
/** The keys whose value is a number. */
export type NumberPolicyKey = Extract<AnyPolicy, { readonly type: 'integer' }>['key'];
