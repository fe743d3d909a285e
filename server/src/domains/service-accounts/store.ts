import type { Scope, ServiceAccount } from '@gpuaas/contract';
import { type ReadTx, sql, type WriteTx } from '../../kernel/act.ts';
import { resourceName } from '../../kernel/resource-name.ts';
import { expectCovered, type ScopeGrant } from './scope-grant.ts';

const insertSql = sql(
  'service-account-insert',
  `insert into service_accounts (id, organization_id, scope, project_id, name, slug, description, scopes, created_by)
   values ($1, $2, $3, $4, $5, $6, $7, $8, $9) on conflict do nothing`,
);
const insertProjectsSql = sql(
  'service-account-projects',
  `insert into service_account_projects (service_account_id, project_id, organization_id)
   select $1, p.id, p.organization_id from projects p
   where p.id = any ($2) and p.organization_id = $3 and p.state <> 'deleted' and mine(p.organization_id)
   on conflict do nothing`,
);
const dropProjectsSql = sql(
  'service-account-projects-drop',
  `delete from service_account_projects
   where service_account_id = $1 and project_id <> all ($2) and mine(organization_id)`,
);
const changeSql = sql(
  'service-account-change',
  `update service_accounts set name = coalesce($2, name), scopes = coalesce($3, scopes),
     description = case when $4 then $5 else description end, version = version + 1, updated_at = act_time()
   where id = $1 and mine(organization_id)`,
);
const projectsSql = sql(
  'service-account-projects-there',
  `select p.id from projects p
   where p.id = any ($1) and p.organization_id = $2 and p.state <> 'deleted' and mine(p.organization_id)`,
);
const getSql = sql(
  'service-account-get',
  `select a.*, case when a.scope = 'project' then array[a.project_id] else array(
       select p.project_id from service_account_projects p
       where p.service_account_id = a.id and p.organization_id = a.organization_id order by p.project_id
     ) end as project_ids
   from service_accounts a where a.id = $1 and mine(a.organization_id)`,
);
const listSql = sql(
  'service-account-list',
  `select a.*, case when a.scope = 'project' then array[a.project_id] else array(
       select p.project_id from service_account_projects p
       where p.service_account_id = a.id and p.organization_id = a.organization_id order by p.project_id
     ) end as project_ids
   from service_accounts a
   where a.organization_id = $1 and mine(a.organization_id) and a.state <> 'deleted'
     and ($2::uuid is null or a.project_id = $2 or exists (
       select from service_account_projects p where p.service_account_id = a.id and p.project_id = $2
     ))
     and ($3::uuid is null or a.id > $3)
   order by a.id limit $4`,
);
const ownerSql = sql(
  'service-account-owner',
  `select organization_id, project_id from service_accounts
   where id = $1 and mine(organization_id)`,
);

export const lockAccount = sql(
  'service-account-lock',
  'select state, version from service_accounts where id = $1 and mine(organization_id) for update',
);
export const moveAccount = sql(
  'service-account-move',
  `update service_accounts set state = $2, version = $3, updated_at = act_time(),
     disabled_at = case when $2 = 'disabled' then act_time() end,
     deleted_at = case when $2 = 'deleted' then act_time() end
   where id = $1 and mine(organization_id)`,
);

export interface AccountRow {
  readonly id: string;
  readonly organization_id: string;
  readonly scope: ServiceAccount['scope'];
  readonly project_id: string | null;
  readonly project_ids: string[];
  readonly name: string;
  readonly slug: string;
  readonly description: string | null;
  readonly scopes: Scope[];
  readonly state: ServiceAccount['state'];
  readonly version: bigint;
  readonly created_at: Date;
  readonly updated_at: Date;
}
export interface NewAccount {
  readonly id: string;
  readonly organizationId: string;
  readonly scope: ServiceAccount['scope'];
  readonly projectIds: readonly string[];
  readonly name: string;
  readonly slug: string;
  readonly description: string | undefined;
  readonly may: ScopeGrant;
  readonly createdBy: string;
}

export const showAccount = (region: string, row: AccountRow): ServiceAccount => ({
  id: row.id,
  resource_name: resourceName(
    region,
    { organizationId: row.organization_id, projectId: row.project_id ?? undefined },
    'iam/service-account',
    row.id,
  ),
  organization_id: row.organization_id,
  scope: row.scope,
  project_ids: row.project_ids,
  name: row.name,
  slug: row.slug,
  description: row.description,
  scopes: row.scopes,
  state: row.state,
  version: Number(row.version),
  created_at: row.created_at.toISOString(),
  updated_at: row.updated_at.toISOString(),
});

/** Whether all these projects are there in this organization. */
export const projectsExist = async (tx: ReadTx, organizationId: string, ids: readonly string[]): Promise<boolean> =>
  (await tx.rows(projectsSql, [ids, organizationId])).length === ids.length;

/** False when the slug is taken. */
export async function insertAccount(tx: WriteTx, account: NewAccount): Promise<boolean> {
  const isPinned = account.scope === 'project';
  const inserted = await tx.run(insertSql, [
    account.id,
    account.organizationId,
    account.scope,
    isPinned ? account.projectIds[0] : null,
    account.name,
    account.slug,
    account.description ?? null,
    account.may.scopes,
    account.createdBy,
  ]);
  if (inserted === 0) return false;
  if (!isPinned) await tx.run(insertProjectsSql, [account.id, account.projectIds, account.organizationId]);
  return true;
}
export async function changeAccount(
  tx: WriteTx,
  account: Pick<AccountRow, 'id' | 'organization_id' | 'scopes'>,
  change: {
    readonly name?: string;
    readonly scopes?: readonly Scope[];
    readonly description?: string | null;
    readonly project_ids?: readonly string[];
  },
  may: ScopeGrant,
): Promise<void> {
  const scopes = change.scopes ?? account.scopes;
  expectCovered(may, change.project_ids ? scopes : scopes.filter((scope) => !account.scopes.includes(scope)));
  await tx.run(changeSql, [
    account.id,
    change.name ?? null,
    change.scopes ?? null,
    change.description !== undefined,
    change.description ?? null,
  ]);
  if (!change.project_ids) return;
  await tx.run(dropProjectsSql, [account.id, change.project_ids]);
  await tx.run(insertProjectsSql, [account.id, change.project_ids, account.organization_id]);
}
export const findAccount = async (tx: ReadTx, id: string): Promise<AccountRow | undefined> =>
  (await tx.rows<AccountRow>(getSql, [id]))[0];
export const listAccounts = (
  tx: ReadTx,
  organizationId: string,
  page: { readonly projectId: string | undefined; readonly after: string | undefined; readonly limit: number },
) => tx.rows<AccountRow>(listSql, [organizationId, page.projectId ?? null, page.after ?? null, page.limit]);
export const findOwner = async (tx: ReadTx, id: string) =>
  (await tx.rows<{ organization_id: string; project_id: string | null }>(ownerSql, [id]))[0];
