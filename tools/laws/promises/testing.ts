import { createHash, randomBytes, randomUUID } from 'node:crypto';
import type { Client } from 'pg';

const hex = (length: number) =>
  randomBytes(Math.ceil(length / 2))
    .toString('hex')
    .slice(0, length);
const slug = () => `x${hex(12)}`;
const letters = (length: number) => randomBytes(length).toString('base64url').slice(0, length);
const pick = (low: number, high: number) => low + (randomBytes(4).readUInt32BE() % (high - low));

/** Values of columns that a check looks at, for a row that no check refuses. */
const valid: Readonly<Record<string, Readonly<Record<string, () => unknown>>>> = {
  account_sessions: { provider: () => 'oidc', latest_token_id: slug },
  agent_releases: { digest: () => `sha256:${hex(64)}`, kind: () => 'bundle', arch: () => null },
  allocation_attempts: { attempt: () => pick(1, 1_000_000) },
  allocation_claims: { kind: () => 'slot' },
  allocation_ssh_keys: { public_key: () => 'ssh-ed25519 AAAA' },
  allocation_timeline: { kind: () => 'note' },
  allocations: {
    ...{ placement_status: () => 'reserved', capacity_shape: () => 'gpu_slice', currency: () => 'USD' },
    isolation_model: () => 'user-revoke',
  },
  audit_logs: { actor_kind: () => 'system', action: () => 'thing.do', result: () => 'success' },
  audit_seals: { hash: () => hex(64) },
  dead_letters: { subject: () => 'dlq.x', origin: () => 'publish' },
  history_archives: {
    ...{ subject: () => 'allocations', object_key: () => `history/allocations/${slug()}`, rows: () => null },
    ...{ sha256: () => null, archived_at: () => null, removed_at: () => null },
  },
  history_links: { first_sequence: () => 1, last_sequence: () => pick(1, 1_000_000) },
  invitations: { email: () => `${slug()}@example.com`, role: () => 'member', token_hash: () => hex(64) },
  ledger_entries: {
    ...{ kind: () => 'grant', accounts: () => ['customer', 'grants'], amounts: () => [5, -5], reason: () => 'x' },
    currency: () => 'USD',
  },
  billing_documents: {
    ...{ kind: () => 'statement', currency: () => 'USD', number: slug, content: () => 'c' },
    ...{ period_from: () => `20${pick(10, 99)}-01-01`, period_to: () => '2126-01-01' },
    content_sha256: () => createHash('sha256').update('c').digest(),
  },
  invoices: {
    ...{ currency: () => 'USD', state: () => 'draft', tax_minor: () => 0, period_to: () => '2126-01-01' },
    period_from: () => `20${pick(10, 99)}-01-01`,
  },
  ledger_seals: { entry_ids: () => [randomUUID()] },
  usage_days: { day: () => '2026-06-01' },
  usage_idle_days: { day: () => '2026-06-01', observed_ms: () => 0, idle_ms: () => 0 },
  usage_evidence: {
    ...{ to_at: () => '2026-06-01T01:00:00Z', record: () => 'r', sequence: () => pick(1, 1_000_000) },
    digest: () => createHash('sha256').update('r').digest(),
  },
  usage_meters: { meter: () => 'gpu_time', unit: () => 'gpu_hour' },
  app_use_readings: { count: () => 1 },
  storage_prices: { currency: () => 'USD', rate_micro: () => 1 },
  storage_readings: { stored_bytes: () => 1, byte_us: () => 0 },
  usage_windows: {
    unit: () => 'gpu_hour',
    ...{ to_at: () => '2026-06-01T01:00:00Z', exact: () => 0, charged_minor: () => 0, meter: () => 'gpu_time' },
  },
  payment_sessions: { provider: () => 'stripe', currency: () => 'USD', state: () => 'open' },
  payment_events: { outcome: () => 'ignored' },
  payment_refunds: { currency: () => 'USD' },
  mail_deliveries: { kind: () => 'invitation', outcome: () => 'accepted', message_id: slug },
  password_letters: { email: () => `${slug()}@example.com`, token_hash: () => hex(64) },
  node_enrolments: { purpose: () => 'enrol' },
  node_image_cache: { digest: () => `sha256:${hex(64)}` },
  os_images: { digest: () => `sha256:${hex(64)}`, driver_strategy: () => 'preinstalled' },
  placement_decisions: { outcome: () => 'placed' },
  platform_role_bindings: { role: () => 'platform_ops' },
  policy_values: { key: () => 'a.b', level: () => 'organization', value: () => '1' },
  project_memberships: { role: () => 'member' },
  service_accounts: { scope: () => 'organization' },
  sku_prices: { currency: () => 'USD' },
  skus: { capacity_shape: () => 'gpu_slice', billing_unit: () => 'gpu_hour' },
  slots: {
    ...{ gpu_uuid: () => `GPU-${randomUUID()}`, pci_address: () => '0000:01:00.0' },
    slot_index: () => pick(0, 255),
  },
  storage_grants: { grantee_kind: () => 'project', level: () => 'read' },
  storage_namespaces: { kind: () => 'datasets', name: slug },
  ssh_keys: {
    ...{
      user_id: randomUUID,
      public_key: () => 'ssh-ed25519 AAAA',
      fingerprint: () => `SHA256:${letters(43).replace(/[-_]/g, 'a')}`,
    },
  },
  ssh_certificates: {
    ...{ fingerprint: () => `SHA256:${letters(43)}`, key_fingerprint: () => `SHA256:${letters(43)}` },
    ...{ serial: () => pick(1, 1_000_000), created_at: () => '2026-01-01T00:00:00Z' },
    expires_at: () => '2026-01-01T00:10:00Z',
  },
  ssh_platform_keys: {
    ...{
      kind: () => 'user_authority',
      public_key: () => `ssh-ed25519 ${letters(43)}`,
      number: () => pick(1, 1_000_000),
    },
    ...{ used_from: () => '2026-01-01T00:00:00Z', retired_at: () => '2026-01-01T00:00:00Z' },
  },
  task_signers: { public_key: () => letters(43), state: () => 'retired' },
  tenant_memberships: { role: () => 'member' },
  apps: { visibility: () => 'project' },
  app_instances: {
    ...{ state: () => 'requested', workload_id: () => null, ended_at: () => null, parameters: () => '{}' },
    ...{ previous_version_id: () => null, previous_version: () => null, previous_parameters: () => null },
    version_change: () => null,
  },
  app_use: {
    prices: () => '{}',
    ...{ hour: () => '2026-06-01T00:00:00Z', units: () => '{}', operating_mode: () => 'tenant_dedicated' },
    ...{ requests: () => 1, failures: () => 0, bytes_in: () => 0, bytes_out: () => 0 },
  },
  app_routes: {
    ...{ label: () => `web-${hex(12)}`, endpoint_name: () => `e${hex(8)}`, proxy_pool: () => 'shared' },
    ...{ route_family: () => 'browser', client_auth_mode: () => 'browser_oidc', target_port: () => 8_080 },
  },
  app_versions: {
    ...{ number: () => `1.0.${pick(0, 1_000_000)}`, manifest_digest: () => `sha256:${hex(64)}` },
    ...{ image_digest: () => `sha256:${hex(64)}`, image_repository: () => 'registry.test/x' },
  },
  terminal_recordings: { kind: () => 'output', last_sha256: () => null, began_at: () => null, chunks: () => 0 },
  terminal_recording_chunks: {
    ...{ sha256: () => hex(64), previous_sha256: () => hex(64), object_key: slug, size_bytes: () => 1 },
    ...{ sequence: () => pick(1, 1_000_000), from_offset: () => 0, to_offset: () => 0 },
  },
  terminal_sessions: { recording: () => 'off', kind: () => 'shell', port: () => null },
  token_denials: { kind: () => 'token' },
  user_posix_identities: { uid: () => pick(1_000, 2_000_000_000), gid: () => pick(1_000, 2_000_000_000) },
};

const byType: Readonly<Record<string, () => unknown>> = {
  uuid: randomUUID,
  text: slug,
  'text[]': () => ['x'],
  'integer[]': () => [1],
  integer: () => 1,
  smallint: () => 1,
  bigint: () => pick(1, 1_000_000_000),
  boolean: () => false,
  jsonb: () => '{}',
  bytea: () => randomBytes(32),
  xid8: () => '1',
  'timestamp with time zone': () => '2026-06-01T00:00:00Z',
};

/** Inserts a row of which only these values matter. Whatever else must be there is filled in, anew for each row. */
export async function insertRow(client: Client, table: string, row: Readonly<Record<string, unknown>>): Promise<void> {
  const { rows } = await client.query(
    `select a.attname as name, format_type(a.atttypid, null) as type from pg_attribute a
     where a.attrelid = to_regclass($1) and a.attnum > 0 and not a.attisdropped and a.attnotnull and not a.atthasdef
       and a.attidentity = ''`,
    [`public.${table}`],
  );
  const filled = (rows as { name: string; type: string }[]).map(({ name, type }): [string, unknown] => {
    const make = valid[table]?.[name] ?? byType[type];
    if (!make) throw new Error(`nobody knows what to put into ${table}.${name}, of type ${type}`);
    return [name, make()];
  });
  const others = Object.entries(valid[table] ?? {}).map(([name, make]): [string, unknown] => [name, make()]);
  const whole = { ...Object.fromEntries([...others, ...filled]), ...row };
  const names = Object.keys(whole);
  await client.query(
    `insert into public.${table} (${names.map((name) => `"${name}"`).join(', ')})
     values (${names.map((_, at) => `$${at + 1}`).join(', ')})`,
    Object.values(whole),
  );
}
