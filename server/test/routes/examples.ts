import { randomBytes, randomInt } from 'node:crypto';
import { type Route, routes } from '@gpuaas/contract';
import { importJWK, type JWK, SignJWT } from 'jose';
import { putAllocation, sliceSku, stockFleet, testRegion } from '../../src/domains/allocations/testing.ts';
import { systemIds } from '../../src/kernel/id.ts';
import { knownRun } from '../../src/testing/runs-double.ts';
import { asSystem, publicUrl, type Tenant, type World } from '../../src/testing/world.ts';
import { appExamples } from './app-examples.ts';
import { billingExamples } from './billing-examples.ts';
import { eventExamples } from './event-examples.ts';
import { fleetExamples } from './fleet-examples.ts';
import { moneyExamples } from './money-examples.ts';
import { notificationExamples } from './notification-examples.ts';
import { createdBy, peopleExamples, personOf } from './people-examples.ts';
import { policyExamples } from './policy-examples.ts';
import { simulatorExamples } from './simulator-examples.ts';
import { storageExamples } from './storage-examples.ts';
import { terminalExamples } from './terminal-examples.ts';

/** One good request for each route, so that everything that holds for all routes can be tried on all of them. */
export interface Example {
  readonly params?: Readonly<Record<string, string>>;
  readonly body?: Readonly<Record<string, unknown>>;
  /** A file, where the body is one. */
  readonly file?: Buffer;
  /** What a request cannot do without. */
  readonly query?: string;
}
/** The body of an example, as a test sends it. */
export const sentWith = ({ body, file }: Example): { readonly body?: unknown } =>
  file ? { body: file } : body ? { body } : {};
/** `caller` is the token of whoever will send it: some things are there for their owner alone. */
export type MakeExample = (world: World, tenant: Tenant, caller: string) => Promise<Example>;

const tokenEndpoint = `${publicUrl}/api/v1/auth/service-accounts/token`;
const nothing: MakeExample = async () => ({});
const organization: MakeExample = async (_, tenant) => ({ params: { organization_id: tenant.organizationId } });
const unique = (word: string) => `${word}-${systemIds.next().slice(-12)}`;
/** A project of its own, so that routes that change its state do not disturb each other. */
const freshProject = async (world: World, tenant: Tenant): Promise<string> => {
  const made = await world.call('POST', `/api/v1/organizations/${tenant.organizationId}/projects`, {
    as: tenant.token,
    key: systemIds.next(),
    body: { name: 'Example', slug: unique('example') },
  });
  return made.body.id as string;
};
const session = async (world: World, personId: string): Promise<string> => {
  const id = systemIds.next();
  await world.root.query(`select credentials_seen($1, '[]')`, [
    JSON.stringify([
      {
        id,
        user_id: personId,
        provider: 'oidc',
        session_id: systemIds.next(),
        signed_in_at: '2026-01-01T00:00:00Z',
        seen_at: '2026-01-01T00:00:00Z',
        expires_at: '2999-01-01T00:00:00Z',
      },
    ]),
  ]);
  return id;
};
const ofKnownRun = { workflow: knownRun.saga, run_id: knownRun.id };
/** A service account of its own, with a key that is at hand. */
const serviceAccount = async (world: World, tenant: Tenant) => {
  const post = async (path: string, body: object) => {
    const made = await world.call('POST', path, { as: tenant.token, key: systemIds.next(), body });
    if (made.status !== 201) throw new Error(made.text);
    return made.body;
  };
  const { id } = await post(`/api/v1/projects/${tenant.projectId}/service-accounts`, {
    name: 'An example',
    slug: unique('robot'),
    scopes: ['projects:read'],
  });
  const key = await post(`/api/v1/service-accounts/${id}/keys`, { name: 'First', expires_in_days: 7 });
  return { id: id as string, keyId: key.id as string, privateKey: key.private_key as JWK };
};
const byAccount =
  (body?: Readonly<Record<string, unknown>>): MakeExample =>
  async (world, tenant) => ({
    params: { service_account_id: (await serviceAccount(world, tenant)).id },
    ...(body && { body }),
  });
/** Somebody whose sessions nobody else needs. */
const bystander = async (world: World) => personOf(world, await world.token(unique('bystander')));
const make = async (world: World, tenant: Tenant, path: string, body: object): Promise<Record<string, string>> =>
  (await world.call('POST', path, { as: tenant.token, key: systemIds.next(), body })).body;
const under = (tenant: Tenant, what: string) => `/api/v1/organizations/${tenant.organizationId}/${what}`;
const userOf = async (world: World, subject: string): Promise<string> =>
  (await world.root.query('select id from users where oidc_subject = $1', [subject])).rows[0].id;
/** Somebody new in the organization. */
const freshMember = async (world: World, tenant: Tenant): Promise<string> => {
  const subject = unique('member');
  await world.join(subject, tenant, 'member');
  return userOf(world, subject);
};
const freshKey = (): string => {
  const field = (bytes: Buffer) => Buffer.concat([Buffer.from([0, 0, 0, bytes.length]), bytes]);
  const blob = Buffer.concat([field(Buffer.from('ssh-ed25519')), field(randomBytes(32))]);
  return `ssh-ed25519 ${blob.toString('base64')} somebody@example`;
};

/** A batch that was archived, and whose object is gone since. */
const anArchive = async (world: World): Promise<string> => {
  const id = systemIds.next();
  await asSystem(
    world.root,
    `insert into history_archives (id, subject, to_at, object_key, rows, bytes, sha256, archived_at, removed_at)
     values ($1::uuid, 'allocations', '2026-01-01', 'history/allocations/' || $1::uuid, 0, 0, repeat('0', 64), now(), now())`,
    [id],
  );
  return id;
};
/** A task-signing key of its own, moved along the given states. Its private half opens nothing. */
const taskSigner = async (world: World, states: readonly string[]): Promise<string> => {
  const id = systemIds.next();
  await asSystem(
    world.root,
    // Sealed by the key "test", as the head of a sealed text says.
    `insert into task_signers (id, public_key, sealed_private_key, effective_at)
     values ($1, $2, decode('020474657374', 'hex'), '2999-01-01')`,
    [id, randomBytes(32).toString('base64url')],
  );
  const move = (to: string, what: string, values: unknown[]) =>
    asSystem(world.root, `update task_signers set state = '${to}', version = version + 1 where ${what}`, values);
  if (states.includes('active')) {
    // Only one is active: the present one steps aside for a moment.
    const { rows } = await world.root.query(`select id from task_signers where state = 'active'`);
    await move('grace', 'id = $1', [rows[0].id]);
    for (const state of states) await move(state, 'id = $1', [id]);
    await move('active', 'id = $1', [rows[0].id]);
  }
  return id;
};

/** Something that can be had, with a host that has room for it. */
/** Each quote is for another duration, so that two of them are two requests. */
let quoted = 60;
const wish = async (world: World) => {
  await (await stockFleet(world.root)).addNode();
  return { sku: sliceSku, gpus: 1, region: testRegion, name: unique('wish') };
};
const anAllocation =
  (state: Parameters<typeof putAllocation>[2], body?: Readonly<Record<string, unknown>>): MakeExample =>
  async (world, tenant) => ({
    params: { allocation_id: await putAllocation(world.root, tenant, state) },
    ...(body && { body }),
  });
const aGroup: MakeExample = async (world, tenant) => {
  const groupId = systemIds.next();
  await asSystem(
    world.root,
    `insert into allocation_groups (id, organization_id, project_id, name, created_by) values ($1, $2, $3, 'G', 'x')`,
    [groupId, tenant.organizationId, tenant.projectId],
  );
  await putAllocation(world.root, { ...tenant, groupId });
  return { params: { allocation_group_id: groupId } };
};

const examples: Readonly<Record<string, MakeExample>> = {
  admin_allocation_list: nothing,
  admin_correlation_get: async () => ({ params: { correlation_id: 'an-example' } }),
  admin_event_list: nothing,
  admin_event_stream: async () => ({ query: 'follow=false&after=0-1-0' }),
  admin_organization_list: nothing,
  workflow_list: nothing,
  workflow_get: async () => ({ params: ofKnownRun }),
  workflow_retry: async () => ({ params: ofKnownRun, body: { reason: 'an example' } }),
  workflow_cancel: async () => ({ params: ofKnownRun, body: { reason: 'an example' } }),
  admin_organization_get: organization,
  admin_allocation_queue: nothing,
  admin_allocation_placement: anAllocation('requested'),
  admin_allocation_force_release: anAllocation('active', { reason: 'an example' }),
  admin_allocation_force_cleanup: anAllocation('release_failed', {
    runtime_verified_absent: true,
    reason: 'an example',
  }),
  allocation_plan: async (world) => ({ body: await wish(world) }),
  allocation_create: async (world) => ({ body: await wish(world) }),
  quote_create: async (world) => {
    const { name: _, ...asked } = await wish(world);
    quoted += 1;
    return { body: { ...asked, max_duration_seconds: quoted } };
  },
  allocation_list: nothing,
  allocation_metrics: anAllocation('active'),
  metrics_now: nothing,
  metrics_export: nothing,
  allocation_counts: nothing,
  allocation_get: anAllocation('requested'),
  allocation_timeline: anAllocation('requested'),
  allocation_placement: anAllocation('requested'),
  allocation_attestations: anAllocation('requested'),
  allocation_update: anAllocation('requested', { name: 'Another name' }),
  allocation_release: anAllocation('requested', {}),
  allocation_extend: anAllocation('active', { seconds: 600 }),
  allocation_restart: anAllocation('active'),
  allocation_set_ssh_keys: async (world, tenant, caller) => {
    const id = await createdBy(world, await putAllocation(world.root, tenant, 'active'), await personOf(world, caller));
    return { params: { allocation_id: id }, body: { ssh_key_ids: [] } };
  },
  allocation_group_create: async (world) => ({ body: { name: 'A group', members: [await wish(world)] } }),
  allocation_group_list: nothing,
  allocation_group_get: aGroup,
  allocation_group_release: aGroup,
  ...appExamples,
  ...storageExamples,
  ...billingExamples,
  ...moneyExamples,
  ...terminalExamples,
  ...eventExamples,
  ...policyExamples,
  ...fleetExamples,
  ...notificationExamples,
  ...peopleExamples,
  ...simulatorExamples,
  activity_list: nothing,
  branding_get: nothing,
  me_update: async () => ({ body: { display_name: unique('somebody') } }),
  notice_list: nothing,
  overview_get: nothing,
  notice_read: async () => ({ body: { until: new Date(Date.UTC(2026, 0, 1) + randomInt(1_000_000)).toISOString() } }),
  admin_audit_list: nothing,
  admin_audit_verify: nothing,
  audit_list: organization,
  audit_export: async (_, tenant) => ({ params: { organization_id: tenant.organizationId }, query: 'format=ndjson' }),
  audit_verify: organization,
  correlation_get: async () => ({ params: { correlation_id: 'an-example' } }),
  default_project_get: nothing,
  default_project_set: async (world, tenant, caller) => {
    const own = { ...tenant, token: caller };
    const { id = '' } = await make(world, own, '/api/v1/organizations', { name: 'My own', slug: unique('org') });
    return { body: { project_id: await freshProject(world, { ...own, organizationId: id }) } };
  },
  department_create: async (_, tenant) => ({
    params: { organization_id: tenant.organizationId },
    body: { name: 'Research', slug: unique('department') },
  }),
  department_list: organization,
  event_stream: async () => ({ query: 'follow=false&after=0-1-0' }),
  department_update: async (world, tenant) => {
    const slug = unique('department');
    const { id = '' } = await make(world, tenant, under(tenant, 'departments'), { name: 'Research', slug });
    return { params: { organization_id: tenant.organizationId, department_id: id }, body: { state: 'disabled' } };
  },
  dlq_list: nothing,
  invitation_accept: async (world) => {
    const host = await world.found(unique('host'));
    const { token } = await make(world, host, under(host, 'invitations'), {
      email: 'guest@example.test',
      role: 'member',
    });
    return { body: { token } };
  },
  invitation_create: async (_, tenant) => ({
    params: { organization_id: tenant.organizationId },
    body: { email: `${unique('guest')}@example.test`, role: 'member' },
  }),
  invitation_list: organization,
  invitation_revoke: async (world, tenant) => {
    const id = systemIds.next();
    await asSystem(
      world.root,
      `insert into invitations (id, organization_id, email, role, token_hash, invited_by, expires_at)
       values ($1, $2, $3, 'member', $4, $5, now() + interval '1 day')`,
      [
        id,
        tenant.organizationId,
        `${unique('guest')}@example.test`,
        randomBytes(32).toString('hex'),
        await userOf(world, tenant.subject),
      ],
    );
    return { params: { organization_id: tenant.organizationId, invitation_id: id } };
  },
  me_get: nothing,
  member_list: organization,
  member_leave: async (world, tenant, caller) => {
    const host = await world.found(unique('host'));
    // Whoever has a role at home has the same one there.
    await asSystem(
      world.root,
      `insert into tenant_memberships (user_id, organization_id, role)
       select user_id, $2, role from tenant_memberships where organization_id = $1 and user_id = $3`,
      [tenant.organizationId, host.organizationId, await personOf(world, caller)],
    );
    return { params: { organization_id: host.organizationId }, body: {} };
  },
  member_update: async (world, tenant) => ({
    params: { organization_id: tenant.organizationId, user_id: await freshMember(world, tenant) },
    body: { role: 'admin' },
  }),
  member_remove: async (world, tenant) => ({
    params: { organization_id: tenant.organizationId, user_id: await freshMember(world, tenant) },
  }),
  outbox_failed_list: nothing,
  outbox_rewind: async () => ({ body: { reason: 'an example' } }),
  organization_create: async () => ({ body: { name: 'An example', slug: unique('org') } }),
  organization_list: nothing,
  organization_delete: async (world, tenant) => {
    const { id = '' } = await make(world, tenant, '/api/v1/organizations', {
      name: 'Short-lived',
      slug: unique('org'),
    });
    // Everybody has the role there that they have at home.
    await asSystem(
      world.root,
      `insert into tenant_memberships (user_id, organization_id, role)
       select user_id, $2, role from tenant_memberships where organization_id = $1 on conflict do nothing`,
      [tenant.organizationId, id],
    );
    return { params: { organization_id: id } };
  },
  organization_get: organization,
  organization_update: async (_, tenant) => ({
    params: { organization_id: tenant.organizationId },
    body: { name: 'Another name' },
  }),
  personal_token_create: async () => ({
    body: { name: unique('token'), scopes: ['organizations:read'], expires_in_days: 7 },
  }),
  personal_token_list: nothing,
  personal_token_revoke: async (world, _, caller) => {
    const id = systemIds.next();
    await asSystem(
      world.root,
      `insert into personal_tokens (id, user_id, name, prefix, token_hash, scopes, expires_at)
       values ($1::uuid, $2, 'An example', 'gpuaas_pat_000000', sha256(convert_to($1::uuid::text, 'UTF8')), '{organizations:read}', '2999-01-01')`,
      [id, await personOf(world, caller)],
    );
    return { params: { token_id: id } };
  },
  platform_health_get: nothing,
  project_create: async (_, tenant) => ({
    params: { organization_id: tenant.organizationId },
    body: { name: 'An example', slug: unique('project') },
  }),
  project_list: organization,
  project_get: async (_, tenant) => ({ params: { project_id: tenant.projectId } }),
  project_update: async (world, tenant) => ({
    params: { project_id: await freshProject(world, tenant) },
    body: { name: 'Another name' },
  }),
  project_archive: async (world, tenant) => ({ params: { project_id: await freshProject(world, tenant) }, body: {} }),
  project_restore: async (world, tenant) => {
    const id = await freshProject(world, tenant);
    await world.call('POST', `/api/v1/projects/${id}/archive`, { as: tenant.token, key: systemIds.next(), body: {} });
    return { params: { project_id: id }, body: {} };
  },
  project_remove: async (world, tenant) => ({ params: { project_id: await freshProject(world, tenant) } }),
  machine_identity_create: async (_, tenant) => ({
    params: { organization_id: tenant.organizationId },
    body: { name: 'An example', slug: unique('robot'), scopes: ['projects:read'], project_ids: [tenant.projectId] },
  }),
  machine_identity_list: organization,
  history_get: nothing,
  history_archive_list: nothing,
  history_archive_verify: async (world) => ({ params: { archive_id: await anArchive(world) } }),
  secrets_get: nothing,
  runbook_list: nothing,
  runbook_get: async () => ({ params: { runbook_id: 'node-lost' } }),
  service_account_create: async (_, tenant) => ({
    params: { project_id: tenant.projectId },
    body: { name: 'An example', slug: unique('robot'), scopes: ['projects:read'] },
  }),
  service_account_list: async (_, tenant) => ({ params: { project_id: tenant.projectId } }),
  service_account_get: byAccount(),
  service_account_update: byAccount({ name: 'Another name' }),
  service_account_disable: byAccount({}),
  service_account_enable: async (world, tenant) => {
    const { id } = await serviceAccount(world, tenant);
    await world.call('POST', `/api/v1/service-accounts/${id}/disable`, {
      as: tenant.token,
      key: systemIds.next(),
      body: {},
    });
    return { params: { service_account_id: id }, body: {} };
  },
  service_account_remove: byAccount(),
  service_account_key_create: byAccount({ name: 'Another', expires_in_days: 7 }),
  service_account_key_list: byAccount(),
  service_account_key_revoke: async (world, tenant) => {
    const { id, keyId } = await serviceAccount(world, tenant);
    return { params: { service_account_id: id, key_id: keyId } };
  },
  service_account_token: async (world, tenant) => {
    const { id, keyId, privateKey } = await serviceAccount(world, tenant);
    const assertion = await new SignJWT({ iss: id, sub: id, aud: tokenEndpoint, jti: systemIds.next() })
      .setProtectedHeader({ alg: 'ES256', kid: keyId })
      .setExpirationTime(Math.floor(world.now().getTime() / 1_000) + 60)
      .sign(await importJWK(privateKey, 'ES256'));
    return { body: { grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer', assertion } };
  },
  session_list: nothing,
  session_revoke: async (world, _, caller) => ({
    params: { session_id: await session(world, await personOf(world, caller)) },
  }),
  session_revoke_others: async () => ({ body: { reason: 'an example' } }),
  user_session_list: async (world) => ({ params: { user_id: await bystander(world) } }),
  user_session_revoke: async (world) => {
    const person = await bystander(world);
    return { params: { user_id: person, session_id: await session(world, person) }, body: { reason: 'an example' } };
  },
  user_session_revoke_all: async (world) => ({
    params: { user_id: await bystander(world) },
    body: { reason: 'an example' },
  }),
  project_member_list: async (_, tenant) => ({ params: { project_id: tenant.projectId } }),
  project_member_set: async (world, tenant) => ({
    params: { project_id: tenant.projectId, user_id: await freshMember(world, tenant) },
    body: { role: 'admin' },
  }),
  project_member_remove: async (world, tenant) => {
    const user = await freshMember(world, tenant);
    await asSystem(
      world.root,
      `insert into project_memberships (user_id, organization_id, project_id, role) values ($1, $2, $3, 'admin')`,
      [user, tenant.organizationId, tenant.projectId],
    );
    return { params: { project_id: tenant.projectId, user_id: user } };
  },
  project_ssh_key_add: async () => ({ body: { name: 'A key', public_key: freshKey() } }),
  project_ssh_key_list: nothing,
  project_ssh_key_remove: async (world, tenant) => {
    const id = systemIds.next();
    const [type, key] = freshKey().split(' ');
    await asSystem(
      world.root,
      `insert into ssh_keys (id, organization_id, project_id, name, type, bits, public_key, fingerprint, comment, created_by)
       values ($1, $2, $3, 'A key', $4, 256, $5, $6, '', $7)`,
      [
        id,
        tenant.organizationId,
        tenant.projectId,
        type,
        `${type} ${key}`,
        `SHA256:${randomBytes(32).toString('base64').slice(0, 43)}`,
        await userOf(world, tenant.subject),
      ],
    );
    return { params: { ssh_key_id: id } };
  },
  ssh_key_add: async () => ({ body: { name: 'A key', public_key: freshKey() } }),
  ssh_key_list: nothing,
  ssh_key_remove: async (world, tenant, caller) => {
    const own = { ...tenant, token: caller };
    const { id = '' } = await make(world, own, '/api/v1/me/ssh-keys', { public_key: freshKey() });
    return { params: { ssh_key_id: id } };
  },
  sign_in_get: nothing,
  signing_key_list: nothing,
  task_signer_list: nothing,
  task_signer_rotate: async (world) => {
    // One announcement at a time: whatever an earlier example announced is over.
    await asSystem(
      world.root,
      `update task_signers set state = 'revoked', version = version + 1 where state = 'staged'`,
      [],
    );
    return { body: { reason: 'an example' } };
  },
  task_signer_retire: async (world) => ({
    params: { signer_id: await taskSigner(world, ['active', 'grace']) },
    body: { reason: 'an example' },
  }),
  task_signer_revoke: async (world) => ({
    params: { signer_id: await taskSigner(world, []) },
    body: { reason: 'an example' },
  }),
  version_get: nothing,
};

/** An operation without an example is an operation outside of every generated test. */
export const withoutExample: readonly string[] = routes.filter((route) => !examples[route.id]).map((route) => route.id);
export const withoutRoute: readonly string[] = Object.keys(examples).filter(
  (id) => !routes.some((route) => route.id === id),
);

export const exampleOf = (
  route: Route,
  world: World,
  tenant: Tenant,
  caller: string = tenant.token,
): Promise<Example> => (examples[route.id] ?? nothing)(world, tenant, caller);

export const pathOf = (route: Route, params: Readonly<Record<string, string>> = {}): string =>
  route.path.replaceAll(/\{([a-z_]+)\}/g, (_, name: string) => params[name] ?? 'missing');

export const urlOf = (route: Route, example: Example): string =>
  `${pathOf(route, example.params)}${example.query ? `?${example.query}` : ''}`;
