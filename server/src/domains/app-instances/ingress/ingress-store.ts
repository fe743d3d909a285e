import { type TenantRole, tenantRoles } from '@gpuaas/contract';
import { type ReadTx, sql } from '../../../kernel/act.ts';

/** The roles, in an organization or a project, that may use the apps there. */
export const users = (Object.keys(tenantRoles) as TenantRole[]).filter((role) =>
  tenantRoles[role].includes('allocations:write'),
);
export interface TargetRow {
  readonly route_id: string;
  readonly organization_id: string;
  readonly project_id: string;
  readonly app_instance_id: string;
  readonly route_family: 'browser' | 'api';
  readonly client_auth_mode: 'browser_oidc' | 'api_bearer';
  readonly target_port: number;
  readonly instance_state: string;
  readonly allocation_id: string;
  readonly allocation_state: string;
  readonly workload_id: string | null;
  readonly node_id: string | null;
  readonly simulated: boolean;
  readonly keeps_running: boolean;
  readonly meters: readonly { readonly name: string; readonly field: string | null }[];
}
/** Where a name leads now. A version that was revoked with the effect to stop leads nowhere. */
const target = sql(
  'app-route-target',
  `select r.id as route_id, r.organization_id, r.project_id, r.app_instance_id, r.route_family, r.client_auth_mode, r.target_port,
     i.state as instance_state, i.allocation_id, a.state as allocation_state, i.workload_id, a.node_id,
     coalesce(n.simulated, false) as simulated,
     not exists (select from app_version_trust t where t.id = i.app_version_id and mine(t.organization_id) and t.state = 'revoked'
       and t.revocation_effect = 'stop') as keeps_running,
     coalesce((select jsonb_agg(jsonb_build_object('name', m.meter ->> 'name', 'field', m.meter #>> '{source,field}'))
       from jsonb_array_elements(v.manifest -> 'metering') as m (meter) where m.meter #>> '{source,endpoint}' = r.endpoint_name), '[]'::jsonb) as meters
   from app_routes r
     join app_instances i on i.id = r.app_instance_id and i.organization_id = r.organization_id and i.project_id = r.project_id
       and mine(i.organization_id)
     join app_versions v on v.id = i.app_version_id and mine(v.organization_id)
     join allocations a on a.id = i.allocation_id and mine(a.organization_id)
     left join nodes n on n.id = a.node_id
   where r.label = $1 and r.retired_at is null and mine(r.organization_id)`,
);
const right = sql(
  'app-route-right',
  `select from tenant_memberships m
     join users u on u.id = m.user_id and u.disabled_at is null and is_me(u.id)
     left join project_memberships p on p.project_id = $2 and p.user_id = m.user_id and p.deleted_at is null and mine(p.organization_id)
   where m.organization_id = $1 and m.user_id = $3 and m.deleted_at is null and mine(m.organization_id)
     and (m.role = any ($4) or p.role = any ($4))`,
);
const signedOut = sql(
  'app-session-signed-out',
  'select from sign_in_floors where user_id = $1 and not_before >= $2 and is_me(user_id)',
);

export const findRouteTarget = async (tx: ReadTx, label: string): Promise<TargetRow | undefined> =>
  (await tx.rows<TargetRow>(target, [label]))[0];
/** Whether a person, by the rows of this moment, may use the apps of a project. Apps are shared by the project, unlike terminals (RFD 53). */
export const mayUse = async (
  tx: ReadTx,
  of: Pick<TargetRow, 'organization_id' | 'project_id'>,
  userId: string,
): Promise<boolean> => (await tx.rows(right, [of.organization_id, of.project_id, userId, users])).length > 0;
export const isSignedOutSince = async (tx: ReadTx, userId: string, since: Date): Promise<boolean> =>
  (await tx.rows(signedOut, [userId, since])).length > 0;
