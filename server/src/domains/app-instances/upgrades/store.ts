import { type ReadTx, sql, type WriteTx } from '../../../kernel/act.ts';
import type { InstanceRow, RouteRow } from '../store.ts';

/** The version that is left becomes the one that a rollback leads to; after a rollback there is none. */
const change = sql(
  'app-instance-change-version',
  `update app_instances set app_version_id = $2, app_version = $3, parameters = $4, version_change = $5,
     previous_version_id = case when $6 then app_version_id end, previous_version = case when $6 then app_version end,
     previous_parameters = case when $6 then parameters end, version = version + 1
   where id = $1 and mine(organization_id)`,
);
const endChange = sql(
  'app-instance-end-change',
  'update app_instances set version_change = null, version = version + 1 where id = $1 and mine(organization_id)',
);
const putRoute = sql(
  'app-route-put',
  `insert into app_routes (id, organization_id, project_id, app_instance_id, endpoint_name, label, route_family, client_auth_mode,
     target_port)
   values ($1, $2, $3, $4, $5, $6, $7, $8, $9)
   on conflict (app_instance_id, endpoint_name) do update set route_family = excluded.route_family,
     client_auth_mode = excluded.client_auth_mode, target_port = excluded.target_port, retired_at = null`,
);
const retireRoutes = sql(
  'app-routes-retire',
  `update app_routes set retired_at = act_time()
   where app_instance_id = $1 and retired_at is null and not endpoint_name = any ($2) and mine(organization_id)`,
);
const previous = sql(
  'app-instance-previous',
  'select previous_version_id, previous_parameters from app_instances where id = $1 and mine(organization_id)',
);

export const changeVersion = (
  tx: WriteTx,
  id: string,
  to: {
    readonly versionId: string;
    readonly version: string;
    readonly parameters: InstanceRow['parameters'];
    readonly change: InstanceRow['version_change'];
    readonly keepsPrevious: boolean;
  },
) => tx.run(change, [id, to.versionId, to.version, JSON.stringify(to.parameters), to.change, to.keepsPrevious]);
export const endVersionChange = (tx: WriteTx, id: string) => tx.run(endChange, [id]);
export const putRouteOf = (
  tx: WriteTx,
  of: Pick<InstanceRow, 'id' | 'organization_id' | 'project_id'>,
  route: RouteRow,
) =>
  tx.run(putRoute, [
    ...[route.id, of.organization_id, of.project_id, of.id, route.endpoint_name, route.label],
    ...[route.route_family, route.client_auth_mode, route.target_port],
  ]);
export const retireRoutesBut = (tx: WriteTx, id: string, endpoints: readonly string[]) =>
  tx.run(retireRoutes, [id, endpoints]);
export const findPrevious = async (tx: ReadTx, id: string) =>
  (
    await tx.rows<{ previous_version_id: string | null; previous_parameters: InstanceRow['parameters'] | null }>(
      previous,
      [id],
    )
  )[0];
