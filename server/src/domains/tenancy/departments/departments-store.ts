import type { Department } from '@gpuaas/contract';
import { type ReadTx, sql, type WriteTx } from '../../../kernel/act.ts';
import { resourceName } from '../../../kernel/resource-name.ts';

const insert = sql(
  'department-insert',
  `insert into departments (id, organization_id, name, slug) values ($1, $2, $3, $4)
   on conflict (organization_id, slug) do nothing
   returning id, organization_id, name, slug, is_default, state, version, created_at, updated_at`,
);
const get = sql(
  'department-get',
  `select id, organization_id, name, slug, is_default, state, version, created_at, updated_at from departments
   where id = $1 and organization_id = $2 and mine(organization_id)`,
);
/** Held until the project that names it is written, so that it cannot be disabled in between. */
const hold = sql(
  'department-hold',
  'select state from departments where id = $1 and organization_id = $2 and mine(organization_id) for share',
);
const list = sql(
  'department-list',
  `select id, organization_id, name, slug, is_default, state, version, created_at, updated_at from departments
   where organization_id = $1 and mine(organization_id) and ($2::uuid is null or id > $2) order by id limit $3`,
);
const rename = sql(
  'department-rename',
  `update departments set name = $2, version = version + 1, updated_at = act_time()
   where id = $1 and mine(organization_id)`,
);
export const lockDepartment = sql(
  'department-lock',
  'select state, version from departments where id = $1 and mine(organization_id) for update',
);
export const moveDepartment = sql(
  'department-move',
  'update departments set state = $2, version = $3, updated_at = act_time() where id = $1 and mine(organization_id)',
);

interface Row {
  readonly id: string;
  readonly organization_id: string;
  readonly name: string;
  readonly slug: string;
  readonly is_default: boolean;
  readonly state: Department['state'];
  readonly version: bigint;
  readonly created_at: Date;
  readonly updated_at: Date;
}

export const showDepartment = (region: string, row: Row): Department => ({
  id: row.id,
  resource_name: resourceName(region, { organizationId: row.organization_id }, 'tenancy/department', row.id),
  organization_id: row.organization_id,
  name: row.name,
  slug: row.slug,
  is_default: row.is_default,
  state: row.state,
  version: Number(row.version),
  created_at: row.created_at.toISOString(),
  updated_at: row.updated_at.toISOString(),
});

export const insertDepartment = async (
  tx: WriteTx,
  row: { readonly id: string; readonly organizationId: string; readonly name: string; readonly slug: string },
) => (await tx.rows<Row>(insert, [row.id, row.organizationId, row.name, row.slug]))[0];
export const findDepartment = async (tx: ReadTx, id: string, organizationId: string) =>
  (await tx.rows<Row>(get, [id, organizationId]))[0];
export const holdDepartment = async (tx: WriteTx, id: string, organizationId: string) =>
  (await tx.rows<Pick<Row, 'state'>>(hold, [id, organizationId]))[0];
export const listDepartments = (tx: ReadTx, organizationId: string, after: string | undefined, limit: number) =>
  tx.rows<Row>(list, [organizationId, after ?? null, limit]);
/** Read when nobody else can change it any more. */
export async function takeDepartment(tx: WriteTx, id: string, organizationId: string): Promise<Row | undefined> {
  await tx.rows(lockDepartment, [id]);
  return findDepartment(tx, id, organizationId);
}
export const renameDepartment = (tx: WriteTx, id: string, name: string) => tx.run(rename, [id, name]);
