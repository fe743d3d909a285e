import type { AppManifest } from '@gpuaas/contract';
import type { WriteTx } from '../../kernel/act.ts';
import type { Ids } from '../../kernel/id.ts';
import { labelBytes, mostLabelName } from './facts.ts';
import type { InstanceRow } from './store.ts';
import { putRouteOf, retireRoutesBut } from './upgrades/store.ts';

/** The routes of an instance become those of a manifest. A name of an endpoint that stays keeps its address. */
export async function putRoutes(
  tx: WriteTx,
  instance: Pick<InstanceRow, 'id' | 'organization_id' | 'project_id'>,
  manifest: AppManifest,
  ids: Ids,
): Promise<void> {
  const routed = manifest.endpoints.filter(({ kind, auth }) => kind !== 'ssh' && auth !== 'none_internal');
  await retireRoutesBut(
    tx,
    instance.id,
    routed.map(({ name }) => name),
  );
  for (const endpoint of routed) {
    const family = endpoint.kind === 'browser' ? 'browser' : 'api';
    await putRouteOf(tx, instance, {
      ...{ id: ids.next(), endpoint_name: endpoint.name, target_port: endpoint.port, route_family: family },
      client_auth_mode: family === 'browser' ? 'browser_oidc' : 'api_bearer',
      label: `${endpoint.name.slice(0, mostLabelName)}-${ids.secret(labelBytes).toLowerCase()}`,
    });
  }
}
