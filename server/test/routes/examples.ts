import { type Route, routes } from '@gpuaas/contract';
import { systemIds } from '../../src/kernel/id.ts';
import { asSystem, type Tenant, type World } from '../../src/testing/world.ts';

/** One good request for each route, so that everything that holds for all routes can be tried on all of them. */
export interface Example {
  readonly params?: Readonly<Record<string, string>>;
  readonly body?: Readonly<Record<string, unknown>>;
  /** What a read cannot do without. */
  readonly query?: string;
}
type MakeExample = (world: World, tenant: Tenant) => Promise<Example>;

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
const deadLetter = async (world: World, origin: 'publish' | 'consume') => {
  const eventId = systemIds.next();
  const envelope = { event_id: eventId, event_type: 'tenancy.project.created', correlation_id: 'c', payload: {} };
  await asSystem(
    world.root,
    `insert into dead_letters (event_id, subject, origin, consumer, key, envelope, attempts, reason)
     values ($1, 'dlq.tenancy.project.created', $2, $3, 'k', $4, 5, 'it failed')`,
    [eventId, origin, origin === 'consume' ? 'somebody' : null, envelope],
  );
  const { rows } = await world.root.query('select seq::text as seq from dead_letters where event_id = $1', [eventId]);
  return { eventId, seq: rows[0].seq as string };
};
const byEvent: MakeExample = async (world) => ({
  params: { event_id: (await deadLetter(world, 'publish')).eventId },
  body: { reason: 'an example' },
});
const bySequence: MakeExample = async (world) => ({
  params: { stream_seq: (await deadLetter(world, 'consume')).seq },
  body: { reason: 'an example' },
});

const examples: Readonly<Record<string, MakeExample>> = {
  activity_list: nothing,
  admin_audit_list: nothing,
  admin_audit_verify: nothing,
  audit_list: organization,
  audit_export: async (_, tenant) => ({ params: { organization_id: tenant.organizationId }, query: 'format=ndjson' }),
  audit_verify: organization,
  dlq_list: nothing,
  dlq_requeue: bySequence,
  dlq_discard: bySequence,
  outbox_failed_list: nothing,
  outbox_requeue: byEvent,
  outbox_rewind: async () => ({ body: { reason: 'an example' } }),
  outbox_discard: byEvent,
  organization_create: async () => ({ body: { name: 'An example', slug: unique('org') } }),
  organization_list: nothing,
  organization_get: organization,
  organization_update: async (_, tenant) => ({
    params: { organization_id: tenant.organizationId },
    body: { name: 'Another name' },
  }),
  policy_list: nothing,
  policy_setting_list: nothing,
  policy_set: async () => ({
    params: { policy_key: 'billing.window_seconds' },
    body: { level: 'plan', subject_id: unique('plan'), value: 30, reason: 'an example' },
  }),
  policy_unset: async (world) => {
    const plan = unique('plan');
    await asSystem(
      world.root,
      `insert into policy_values (id, key, level, subject_id, value, reason)
       values (gen_random_uuid(), 'billing.window_seconds', 'plan', $1, '30', 'an example')`,
      [plan],
    );
    return {
      params: { policy_key: 'billing.window_seconds' },
      body: { level: 'plan', subject_id: plan, reason: 'an example' },
    };
  },
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
  version_get: nothing,
};

/** An operation without an example is an operation outside of every generated test. */
export const withoutExample: readonly string[] = routes.filter((route) => !examples[route.id]).map((route) => route.id);
export const withoutRoute: readonly string[] = Object.keys(examples).filter(
  (id) => !routes.some((route) => route.id === id),
);

export const exampleOf = (route: Route, world: World, tenant: Tenant): Promise<Example> =>
  (examples[route.id] ?? nothing)(world, tenant);

export const pathOf = (route: Route, params: Readonly<Record<string, string>> = {}): string =>
  route.path.replaceAll(/\{([a-z_]+)\}/g, (_, name: string) => params[name] ?? 'missing');

export const urlOf = (route: Route, example: Example): string =>
  `${pathOf(route, example.params)}${example.query ? `?${example.query}` : ''}`;
