import type { AppEntitlement } from '@gpuaas/contract';
import { type ReadTx, sql, type WriteTx } from '../../../kernel/act.ts';

export interface EntitlementRow {
  readonly id: string;
  readonly app_id: string;
  readonly organization_id: string;
  readonly project_id: string | null;
  readonly created_at: Date;
}
const insert = sql(
  'app-entitlement-insert',
  `insert into app_entitlements (id, publisher_id, app_id, organization_id, project_id)
   select $1, a.organization_id, a.id, $3, $4 from apps a where a.id = $2 and mine(a.organization_id)
   on conflict do nothing`,
);
const find = sql(
  'app-entitlement-find',
  `select e.id, e.app_id, e.organization_id, e.project_id, e.created_at from app_entitlements e
   where e.app_id = $1 and e.id = $2 and mine(e.publisher_id)`,
);
const list = sql(
  'app-entitlement-list',
  `select e.id, e.app_id, e.organization_id, e.project_id, e.created_at from app_entitlements e
   where e.publisher_id = $1 and e.app_id = $2 and mine(e.publisher_id) and ($3::uuid is null or e.id > $3)
   order by e.id limit $4`,
);
const remove = sql('app-entitlement-delete', 'delete from app_entitlements e where e.id = $1 and mine(e.publisher_id)');

const there = sql(
  'app-entitlement-organization',
  `select o.id from organizations o
   where o.id = $1 and mine(o.id) and o.deleted_at is null and ($2::uuid is null or exists (
     select from projects p where p.id = $2 and p.organization_id = o.id and p.state <> 'deleted'
   ))`,
);
export const findOrganization = async (tx: ReadTx, organizationId: string, projectId: string | undefined) =>
  (await tx.rows<{ id: string }>(there, [organizationId, projectId ?? null]))[0];

/** False when it is there already. */
export const insertEntitlement = async (
  tx: WriteTx,
  one: {
    readonly id: string;
    readonly appId: string;
    readonly organizationId: string;
    readonly projectId: string | null;
  },
): Promise<boolean> => (await tx.run(insert, [one.id, one.appId, one.organizationId, one.projectId])) > 0;
export const findEntitlement = async (tx: ReadTx, appId: string, id: string): Promise<EntitlementRow | undefined> =>
  (await tx.rows<EntitlementRow>(find, [appId, id]))[0];
export const listEntitlements = (
  tx: ReadTx,
  of: { readonly publisherId: string; readonly appId: string },
  after: string | undefined,
  limit: number,
) => tx.rows<EntitlementRow>(list, [of.publisherId, of.appId, after ?? null, limit]);
export const deleteEntitlement = (tx: WriteTx, id: string) => tx.run(remove, [id]);

export const showEntitlement = (row: EntitlementRow): AppEntitlement => ({
  ...{ id: row.id, app_id: row.app_id, organization_id: row.organization_id, project_id: row.project_id },
  created_at: row.created_at.toISOString(),
});
