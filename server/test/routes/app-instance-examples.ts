import { putInstance, putUpgraded, putWholeNode } from '../../src/domains/app-instances/testing.ts';
import { putVersion } from '../../src/domains/apps/testing.ts';
import { systemIds } from '../../src/kernel/id.ts';
import type { Tenant, World } from '../../src/testing/world.ts';
import type { MakeExample } from './examples.ts';
import { createdBy, personOf } from './people-examples.ts';

const inState =
  (state: NonNullable<NonNullable<Parameters<typeof putInstance>[2]>['state']>): MakeExample =>
  async (world, tenant) => ({ params: { app_instance_id: (await putInstance(world, tenant, { state })).id } });

/** The owner signs in at an app of the tenant; others, who may use none there, at one of an organization of their own. */
async function placeOf(
  world: World,
  tenant: Tenant,
  caller: string,
): Promise<Pick<Tenant, 'organizationId' | 'projectId'>> {
  if (caller === tenant.token) return tenant;
  const make = async (path: string) => {
    const body = { name: 'My own', slug: `own-${systemIds.next().slice(-12)}` };
    const made = await world.call('POST', path, { as: caller, key: systemIds.next(), body });
    if (made.status !== 201) throw new Error(made.text);
    return made.body.id as string;
  };
  const organizationId = await make('/api/v1/organizations');
  return { organizationId, projectId: await make(`/api/v1/organizations/${organizationId}/projects`) };
}

/** Owners decide what runs on the machine of anybody; other callers get one of their own. */
const handOver = async (world: World, tenant: Tenant, allocationId: string, caller: string): Promise<string> =>
  caller === tenant.token ? allocationId : createdBy(world, allocationId, await personOf(world, caller));

export const appInstanceExamples: Readonly<Record<string, MakeExample>> = {
  app_instance_create: async (world, tenant, caller) => {
    const node = await putWholeNode(world, tenant);
    return {
      body: {
        app: (await putVersion(world, tenant, { trust: 'verified' })).reference,
        allocation_id: await handOver(world, tenant, node, caller),
        parameters: { greeting: 'Hi' },
      },
    };
  },
  app_instance_list: async () => ({}),
  app_instance_get: inState('running'),
  app_instance_timeline: inState('running'),
  app_instance_stop: inState('running'),
  app_instance_start: inState('stopped'),
  app_instance_release: inState('stopped'),
  app_instance_use: inState('running'),
  app_use_list: async () => ({}),
  app_instance_upgrade: async (world, tenant, caller) => {
    const { id, appId, allocationId } = await putInstance(world, tenant, { state: 'running' });
    await handOver(world, tenant, allocationId, caller);
    await putVersion(world, tenant, { appId, version: '1.1.0', trust: 'verified' });
    return { params: { app_instance_id: id }, body: { version: '1.1.0', parameters: { greeting: 'Hi' } } };
  },
  app_instance_rollback: async (world, tenant, caller) => {
    const { id, allocationId } = await putUpgraded(world, tenant);
    await handOver(world, tenant, allocationId, caller);
    return { params: { app_instance_id: id } };
  },
  app_instance_logs_request: async (...of) => ({ ...(await inState('running')(...of)), body: { tail_lines: 10 } }),
  app_instance_logs: inState('running'),
  app_sign_in_create: async (world, tenant, caller) => ({
    body: {
      label: (await putInstance(world, await placeOf(world, tenant, caller))).label,
      state: 's'.repeat(40),
      to: '/',
    },
  }),
};
