import { allocationChecks } from './allocations.ts';
import { appInstanceChecks, appInstanceUniqueness } from './app-instances.ts';
import { appChecks, appUniqueness } from './apps.ts';
import { auditChecks, auditUniqueness } from './audit.ts';
import { billingChecks, billingUniqueness } from './billing.ts';
import { cardChecks, cardUniqueness } from './cards.ts';
import { logChecks } from './logs.ts';
import { maasChecks, maasUniqueness } from './maas.ts';
import { notificationChecks, notificationUniqueness } from './notifications.ts';
import { slotChecks } from './slots.ts';
import { storageChecks, storageUniqueness } from './storage.ts';
import { telemetryChecks, telemetryUniqueness } from './telemetry.ts';
import { terminalChecks, terminalUniqueness } from './terminals.ts';

/**
 * The indexes and constraints that carry a promise, each with the promise. They are the last word when two processes race
 * or when code forgets: a schema without one of them still works, until the day it matters. So each is listed here, and
 * each is seen refusing a direct insert on a live database.
 */
export interface Promised {
  /** What holds as long as it stands. */
  readonly promise: string;
  readonly table: string;
  /** What both rows have in common, for uniqueness; for a check, what one row must not look like. */
  readonly row: Readonly<Record<string, unknown>>;
  /** Another constraint of the table that would refuse first, and is set aside for the attempt. */
  readonly aside?: string;
}
const uuid = '01900000-0000-7000-8000-00000000c1c1';
const when = '2026-01-01T00:00:00Z';
const anAlert = { source: 'health', kind: 'silent', effect: 'informs', message: 'x', tenant_message: null };

/** Two rows that share these values are refused. */
export const uniqueness: Readonly<Record<string, Promised>> = {
  ...appInstanceUniqueness,
  ...appUniqueness,
  ...auditUniqueness,
  ...billingUniqueness,
  ...cardUniqueness,
  ...maasUniqueness,
  ...notificationUniqueness,
  ...storageUniqueness,
  ...telemetryUniqueness,
  allocation_claims_live: {
    promise: 'a slot has one live claim: no GPU is let twice',
    table: 'allocation_claims',
    row: { slot_id: uuid, freed_at: null },
  },
  queue_reservations_host: {
    promise: 'a host is reserved for one request that waits',
    table: 'queue_reservations',
    row: { node_id: uuid },
  },
  queue_reservations_line: {
    promise: 'one request of a SKU and region has a host reserved',
    table: 'queue_reservations',
    row: { sku: 'one', region: 'one' },
  },
  ...terminalUniqueness,
  allocation_attempts_pkey: {
    promise: 'an attempt of an allocation fails once',
    table: 'allocation_attempts',
    row: { allocation_id: uuid, attempt: 1 },
  },
  allocation_attempts_allocation_id_generation_key: {
    promise: 'each attempt of an allocation has a lease of its own',
    table: 'allocation_attempts',
    row: { allocation_id: uuid, generation: 1 },
  },
  allocation_attempts_allocation_id_node_id_key: {
    promise: 'a launch is tried once on each host',
    table: 'allocation_attempts',
    row: { allocation_id: uuid, node_id: uuid },
  },
  automation_breakers_pool: {
    promise: 'a pool has one breaker for each kind of automation',
    table: 'automation_breakers',
    row: { kind: 'quarantine', region: 'one', sku: 'one' },
  },
  automation_held_back_pkey: {
    promise: 'a breaker names a host that it holds back once',
    table: 'automation_held_back',
    row: { breaker_id: uuid, node_id: uuid },
  },
  alerts_target: {
    promise: 'a source says a thing about a target once',
    table: 'alerts',
    row: {
      source: 'health',
      kind: 'silent',
      effect: 'informs',
      message: 'x',
      tenant_message: null,
      node_id: uuid,
      slot_id: null,
      allocation_id: null,
    },
  },
  slots_node_id_gpu_uuid_key: {
    promise: 'a GPU is one slot of its host',
    table: 'slots',
    row: { node_id: uuid, gpu_uuid: `GPU-${uuid}` },
  },
  slots_node_id_slot_index_key: {
    promise: 'a place of a host is one slot',
    table: 'slots',
    row: { node_id: uuid, slot_index: 3 },
  },
  allocation_timeline_version: {
    promise: 'a version of an allocation is one transition',
    table: 'allocation_timeline',
    row: { allocation_id: uuid, version: 2, kind: 'transition' },
  },
  allocation_ssh_keys_pkey: {
    promise: 'a key is on an allocation once',
    table: 'allocation_ssh_keys',
    row: { allocation_id: uuid, ssh_key_id: uuid },
  },
  node_tasks_saga_token: {
    promise: 'a step of a saga asks a node once',
    table: 'node_tasks',
    row: { saga_token: 'one-step' },
  },
  readiness_attestations_task: {
    promise: 'a task swears once',
    table: 'readiness_attestations',
    row: { task_id: uuid },
  },
  node_enrolments_token_hash_key: {
    promise: 'an enrolment token leads to one enrolment',
    table: 'node_enrolments',
    row: { token_hash: Buffer.alloc(32, 1) },
  },
  nodes_name: { promise: 'a name leads to one host', table: 'nodes', row: { name: 'one-host' } },
  node_image_cache_pkey: {
    promise: 'a host says once whether it has an image',
    table: 'node_image_cache',
    row: { node_id: uuid, image_id: uuid },
  },
  task_signers_active: {
    promise: 'one key signs tasks at a time',
    table: 'task_signers',
    row: { state: 'active' },
  },
  task_signers_public_key_key: {
    promise: 'a key that was revoked does not come back as another signer',
    table: 'task_signers',
    row: { public_key: 'a'.repeat(43), state: 'retired' },
  },
  agent_releases_digest: {
    promise: 'a digest is on offer as one release',
    table: 'agent_releases',
    row: { digest: `sha256:${'1'.repeat(64)}`, withdrawn_at: null },
  },
  agent_releases_package: {
    promise: 'a version of the agent has one package of a kind for an architecture',
    table: 'agent_releases',
    row: { version: '1.0.0', kind: 'tarball', arch: 'x64', withdrawn_at: null },
  },
  idempotency_records_pkey: {
    promise: 'a key of a caller has one stored answer: nothing happens twice',
    table: 'idempotency_records',
    row: { principal: 'somebody', route: 'allocation_create', key: 'once' },
  },
  consumed_events_pkey: {
    promise: 'a consumer takes an event in once',
    table: 'consumed_events',
    row: { consumer: 'provisioning', event_id: uuid },
  },
  leases_pkey: {
    promise: 'a kind of background work of a family has one holder',
    table: 'leases',
    row: { family: 'gpuaas_worker', name: 'one-job' },
  },
  dead_letters_open: {
    promise: 'what a consumer gave up on is one open letter',
    table: 'dead_letters',
    row: { event_id: uuid, consumer: 'provisioning', origin: 'consume' },
  },
  password_letters_pkey: {
    promise: 'a letter with a password link stands here once',
    table: 'password_letters',
    row: { id: uuid },
  },
  mail_deliveries_pkey: {
    promise: 'an event leads to one letter',
    table: 'mail_deliveries',
    row: { event_id: uuid },
  },
  audit_seals_pkey: { promise: 'an audit row is sealed once', table: 'audit_seals', row: { audit_id: uuid } },
  audit_seals_chain_sequence_key: {
    promise: 'an audit chain has one link at each place: it does not fork',
    table: 'audit_seals',
    row: { organization_id: uuid, sequence: 7 },
  },
  assertion_uses_pkey: {
    promise: 'a signed assertion is exchanged once',
    table: 'assertion_uses',
    row: { service_account_id: uuid, assertion_id: 'once' },
  },
  token_denials_pkey: {
    promise: 'a token is denied by one row',
    table: 'token_denials',
    row: { kind: 'token', token_id: 'once' },
  },
  personal_tokens_token_hash_key: {
    promise: 'a secret is one token of one person',
    table: 'personal_tokens',
    row: { token_hash: Buffer.alloc(32, 2) },
  },
  console_sessions_cookie_digest_key: {
    promise: 'a cookie is one sign-in',
    table: 'console_sessions',
    row: { cookie_digest: Buffer.alloc(32, 3) },
  },
  account_sessions_by_session: {
    promise: 'a sign-in at the provider is one session',
    table: 'account_sessions',
    row: { user_id: uuid, provider_session_id: 'once' },
  },
  account_sessions_by_token: {
    promise: 'a token without a session at the provider is one session',
    table: 'account_sessions',
    row: { user_id: uuid, provider_session_id: null, latest_token_id: 'once' },
  },
  users_oidc_issuer_oidc_subject_key: {
    promise: 'a person at a provider is one person here',
    table: 'users',
    row: { oidc_issuer: 'https://issuer.example', oidc_subject: 'once' },
  },
  user_posix_identities_uid_key: {
    promise: 'a user id on hosts is one person',
    table: 'user_posix_identities',
    row: { uid: 20_500 },
  },
  user_posix_identities_gid_key: {
    promise: 'a group id on hosts is one person',
    table: 'user_posix_identities',
    row: { gid: 20_500 },
  },
  user_posix_identities_username_key: {
    promise: 'a user name on hosts is one person',
    table: 'user_posix_identities',
    row: { username: 'once' },
  },
  ssh_keys_user_id_fingerprint_key: {
    promise: 'a person has a key once',
    table: 'ssh_keys',
    row: { user_id: uuid, project_id: null, organization_id: null, fingerprint: `SHA256:${'b'.repeat(43)}` },
  },
  ssh_keys_project_id_organization_id_fingerprint_key: {
    promise: 'a project has a key once',
    table: 'ssh_keys',
    row: { user_id: null, project_id: uuid, organization_id: uuid, fingerprint: `SHA256:${'b'.repeat(43)}` },
  },
  organizations_slug: { promise: 'a slug leads to one organization', table: 'organizations', row: { slug: 'one' } },
  projects_slug: {
    promise: 'a slug leads to one project of an organization',
    table: 'projects',
    row: { organization_id: uuid, slug: 'one' },
  },
  departments_organization_id_slug_key: {
    promise: 'a slug leads to one department of an organization',
    table: 'departments',
    row: { organization_id: uuid, slug: 'one' },
  },
  departments_default: {
    promise: 'an organization has one department that everything belongs to',
    table: 'departments',
    row: { organization_id: uuid, is_default: true },
    aside: 'departments_check',
  },
  invitations_token_hash_key: {
    promise: 'an invitation is opened by one secret',
    table: 'invitations',
    row: { token_hash: 'c'.repeat(64) },
  },
  invitations_pending: {
    promise: 'an address has one open invitation of an organization',
    table: 'invitations',
    row: { organization_id: uuid, email: 'one@example.com' },
  },
  tenant_memberships_pkey: {
    promise: 'a person has one role in an organization',
    table: 'tenant_memberships',
    row: { user_id: uuid, organization_id: uuid },
  },
  project_memberships_pkey: {
    promise: 'a person has one role in a project',
    table: 'project_memberships',
    row: { user_id: uuid, organization_id: uuid, project_id: uuid },
  },
  platform_role_bindings_pkey: {
    promise: 'an operator has a role once, so that taking it away takes it away',
    table: 'platform_role_bindings',
    row: { user_id: uuid, role: 'platform_ops' },
  },
  service_accounts_organization_slug: {
    promise: 'a slug leads to one service account of an organization',
    table: 'service_accounts',
    row: { organization_id: uuid, scope: 'organization', project_id: null, slug: 'one' },
  },
  service_accounts_project_slug: {
    promise: 'a slug leads to one service account of a project',
    table: 'service_accounts',
    row: { organization_id: uuid, scope: 'project', project_id: uuid, slug: 'one' },
  },
  service_account_projects_pkey: {
    promise: 'a service account works in a project by one row',
    table: 'service_account_projects',
    row: { service_account_id: uuid, project_id: uuid },
  },
  policy_values_key_level_subject_id_key: {
    promise: 'a policy has one value for a subject',
    table: 'policy_values',
    row: { key: 'allocation.queue_batch', level: 'global', subject_id: '' },
  },
  sku_prices_sku_region_currency_effective_from_key: {
    promise: 'a SKU has one price at a time, also where no region is named',
    table: 'sku_prices',
    row: { sku: 'one', region: null, currency: 'USD', effective_from: when },
  },
  os_images_slug_key: { promise: 'a slug leads to one image', table: 'os_images', row: { slug: 'one' } },
  machine_edges_pkey: {
    promise: 'an edge of a machine is written once',
    table: 'machine_edges',
    row: { machine: 'one', from_state: 'a', to_state: 'b' },
  },
};

/** A row with these values is refused. */
export const checks: Readonly<Record<string, Promised>> = {
  ...allocationChecks,
  ...appChecks,
  ...appInstanceChecks,
  ...auditChecks,
  ...billingChecks,
  ...cardChecks,
  ...storageChecks,
  ...logChecks,
  ...maasChecks,
  ...notificationChecks,
  ...slotChecks,
  ...telemetryChecks,
  ...terminalChecks,
  agent_releases_arch: {
    promise: 'a package of the agent says for which architecture it is, and a bundle says none',
    table: 'agent_releases',
    row: { kind: 'deb', arch: null },
  },
  node_launch_failures_check: {
    promise: 'a host is not avoided until a time before its failure',
    table: 'node_launch_failures',
    row: { failed_at: '2026-01-02T00:00:00Z', avoided_until: '2026-01-01T00:00:00Z' },
  },
  alerts_check: {
    promise: 'an alert about a slot says on which host',
    table: 'alerts',
    row: { ...anAlert, slot_id: uuid, node_id: null },
  },
  alerts_check1: {
    promise: 'an alert from which something follows is about a host',
    table: 'alerts',
    row: { ...anAlert, effect: 'blocks_sale', slot_id: null, node_id: null },
  },
  node_tasks_check: {
    promise: 'a task of an allocation says whose it is',
    table: 'node_tasks',
    row: { allocation_id: uuid, organization_id: null },
  },
  node_tasks_generation_check: {
    promise: 'a task names a lease or a state that exists',
    table: 'node_tasks',
    row: { generation: 0 },
  },
  token_signing_keys_public_key_check: {
    promise: 'no private key lies beside a public one',
    table: 'token_signing_keys',
    row: { public_key: '{"d": "secret"}' },
  },
  service_account_keys_public_key_check: {
    promise: 'no private key of a service account is kept',
    table: 'service_account_keys',
    row: { public_key: '{"d": "secret"}' },
  },
  task_signers_check: {
    promise: 'an endorsement names its endorser',
    table: 'task_signers',
    row: { endorsed_by: null, endorsement: 'a'.repeat(86) },
  },
  ssh_keys_check: {
    promise: 'a key belongs to a person or to a project',
    table: 'ssh_keys',
    row: { user_id: uuid, project_id: uuid, organization_id: uuid },
  },
  ssh_keys_check1: {
    promise: 'a key of a project says whose the project is',
    table: 'ssh_keys',
    row: { user_id: null, project_id: uuid, organization_id: null },
  },
  policy_values_check: {
    promise: 'only a global value overrides all others',
    table: 'policy_values',
    row: { hard: true, level: 'organization', subject_id: uuid },
  },
  policy_values_check1: {
    promise: 'a value below the global one says for whom',
    table: 'policy_values',
    row: { level: 'organization', subject_id: '' },
  },
  service_accounts_check: {
    promise: 'a service account of a project names it',
    table: 'service_accounts',
    row: { scope: 'project', project_id: null },
  },
  departments_check: {
    promise: 'the department of everything is the one with the id of its organization',
    table: 'departments',
    row: { is_default: true },
  },
  departments_check1: {
    promise: 'the department of everything is not archived',
    table: 'departments',
    row: { id: uuid, organization_id: uuid, is_default: true, state: 'archived' },
  },
  invitations_check: {
    promise: 'an accepted invitation says by whom',
    table: 'invitations',
    row: { state: 'accepted', accepted_by: null },
  },
  account_sessions_check: {
    promise: 'a session is known by a sign-in or by a token',
    table: 'account_sessions',
    row: { provider_session_id: null, latest_token_id: null },
  },
  account_sessions_check1: {
    promise: 'a revoked session says by whom',
    table: 'account_sessions',
    row: { latest_token_id: 'one', revoked_at: when, revoked_by: null },
  },
  console_sessions_check: {
    promise: 'a sign-in that ended says why',
    table: 'console_sessions',
    row: { ended_at: when, end_reason: null },
  },
  console_sessions_cookie_digest_check: {
    promise: 'a cookie is kept as a digest, never as it is',
    table: 'console_sessions',
    row: { cookie_digest: Buffer.alloc(16) },
  },
  personal_tokens_token_hash_check: {
    promise: 'a token is kept as a digest, never as it is',
    table: 'personal_tokens',
    row: { token_hash: Buffer.alloc(16) },
  },
  dead_letters_check: {
    promise: 'what was given up while consuming says by whom',
    table: 'dead_letters',
    row: { origin: 'consume', consumer: null },
  },
  dead_letters_check1: {
    promise: 'an open letter is not settled',
    table: 'dead_letters',
    row: { state: 'open', settled_at: when },
  },
  mail_deliveries_check: {
    promise: 'a letter that left has the id of its message',
    table: 'mail_deliveries',
    row: { outcome: 'accepted', message_id: null, reason: null },
  },
  mail_deliveries_check1: {
    promise: 'a letter that did not leave says why',
    table: 'mail_deliveries',
    row: { outcome: 'refused', message_id: null, reason: null },
  },
  token_denials_check: {
    promise: 'a denial of a person says from when on',
    table: 'token_denials',
    row: { kind: 'person', issued_before: null },
  },
  sign_in_floors_check: {
    promise: 'one sign-in at most is spared when the others end',
    table: 'sign_in_floors',
    row: { spared_session: 'one', spared_token: 'another' },
  },
  users_erased_check: {
    promise: 'who was erased cannot sign in',
    table: 'users',
    row: { erased_at: when, disabled_at: null },
  },
  skus_check: {
    promise: 'a whole machine is sold as a whole',
    table: 'skus',
    row: { capacity_shape: 'baremetal', gpus_total: 8, allowed_gpu_counts: [4] },
  },
};
