import { systemIds } from '../../kernel/id.ts';
import { asSystem, type Tenant, type World } from '../../testing/world.ts';
import { putAllocation } from '../allocations/testing.ts';
import { putVersion } from '../apps/testing.ts';
import type { InstanceRow } from './store.ts';

const ways: Readonly<Record<InstanceRow['state'], readonly InstanceRow['state'][]>> = {
  requested: [],
  launching: ['launching'],
  running: ['launching', 'running'],
  stopping: ['launching', 'running', 'stopping'],
  stopped: ['launching', 'running', 'stopping', 'stopped'],
  failed: ['launching', 'failed'],
  releasing: ['launching', 'releasing'],
  released: ['launching', 'released'],
};
type Of = Pick<Tenant, 'organizationId' | 'projectId'>;
type Root = Pick<World, 'root'>;

/** An active allocation of a whole node. */
export async function putWholeNode({ root }: Root, tenant: Of): Promise<string> {
  const id = await putAllocation(root, tenant, 'active');
  await asSystem(root, `update allocations set capacity_shape = 'baremetal', version = version + 1 where id = $1`, [
    id,
  ]);
  return id;
}

/** An instance in any state, with a route for people and one for programs. */
export async function putInstance(
  world: Root,
  tenant: Of,
  as: { readonly state?: InstanceRow['state']; readonly allocationId?: string; readonly label?: string } = {},
): Promise<{
  readonly id: string;
  readonly allocationId: string;
  readonly workloadId: string;
  readonly label: string;
  readonly appId: string;
  readonly reference: string;
  readonly versionId: string;
}> {
  const { root } = world;
  const allocationId = as.allocationId ?? (await putWholeNode(world, tenant));
  const { versionId, appId, reference } = await putVersion(world, tenant, { trust: 'verified' });
  const [id, workloadId] = [systemIds.next(), systemIds.next()];
  const label = as.label ?? `web-${id.slice(-12)}`;
  await asSystem(
    root,
    `insert into app_instances (id, organization_id, project_id, allocation_id, app_version_id, app_reference, app_version, requested_by,
       name, owns_allocation)
     values ($1, $2, $3, $4, $5, $6, '1.0.0', 'tester', 'Echo', false)`,
    [id, tenant.organizationId, tenant.projectId, allocationId, versionId, reference],
  );
  for (const [name, at, family, mode, port] of [
    ['web', label, 'browser', 'browser_oidc', 8_080],
    ['api', `api-${id.slice(-12)}`, 'api', 'api_bearer', 8_081],
  ]) {
    await asSystem(
      root,
      `insert into app_routes (id, organization_id, project_id, app_instance_id, endpoint_name, label, route_family, client_auth_mode,
         target_port)
       values ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
      [systemIds.next(), tenant.organizationId, tenant.projectId, id, name, at, family, mode, port],
    );
  }
  for (const state of ways[as.state ?? 'running']) {
    await asSystem(
      root,
      `update app_instances set state = $2, version = version + 1, workload_id = $3, attempts = 1,
         ready_at = case when $2 = 'running' then now() else ready_at end,
         ended_at = case when $2 = 'released' then now() end where id = $1`,
      [id, state, workloadId],
    );
  }
  return { id, allocationId, workloadId, label, appId, reference, versionId };
}

/** An instance that runs 1.1.0 and had 1.0.0 before. */
export async function putUpgraded(world: Root, tenant: Of, as: Parameters<typeof putInstance>[2] = {}) {
  const made = await putInstance(world, tenant, as);
  const next = await putVersion(world, tenant, { appId: made.appId, version: '1.1.0', trust: 'verified' });
  await asSystem(
    world.root,
    `update app_instances set previous_version_id = app_version_id, previous_version = app_version,
       previous_parameters = '{"greeting": "Hi"}', app_version_id = $2, app_version = '1.1.0', version = version + 1 where id = $1`,
    [made.id, next.versionId],
  );
  return { ...made, nextId: next.versionId };
}
