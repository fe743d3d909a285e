import { type ReadTx, sql, type WriteTx } from '../../../kernel/act.ts';
import type { AllocationState } from '../life/machine.ts';

const insertSql = sql(
  'allocation-group-insert',
  `insert into allocation_groups (id, organization_id, project_id, name, created_by)
   select $1, p.organization_id, p.id, $4, $5 from projects p
   where p.organization_id = $2 and p.id = $3 and p.state = 'active' and mine(p.organization_id)`,
);
const getSql = sql('allocation-group-get', 'select * from allocation_groups where id = $1 and mine(organization_id)');
const lockSql = sql(
  'allocation-group-lock',
  'select * from allocation_groups where id = $1 and mine(organization_id) for update',
);
const listSql = sql(
  'allocation-group-list',
  `select g.*, (select coalesce(array_agg(a.state), '{}') from allocations a
       where a.group_id = g.id and mine(a.organization_id)) as states
   from allocation_groups g
   where g.project_id = $1 and g.organization_id = $2 and mine(g.organization_id) and ($3::uuid is null or g.id < $3)
   order by g.id desc limit $4`,
);
const releaseSql = sql(
  'allocation-group-release',
  `update allocation_groups set release_requested_at = coalesce(release_requested_at, act_time())
   where id = $1 and mine(organization_id)`,
);

export interface GroupRow {
  readonly id: string;
  readonly organization_id: string;
  readonly project_id: string;
  readonly name: string;
  readonly release_requested_at: Date | null;
  readonly created_at: Date;
}
/** How many there are now: none when the project is not there. */
export const insertGroup = (
  tx: WriteTx,
  group: {
    readonly id: string;
    readonly organizationId: string;
    readonly projectId: string;
    readonly name: string;
    readonly createdBy: string;
  },
) => tx.run(insertSql, [group.id, group.organizationId, group.projectId, group.name, group.createdBy]);
export const findGroup = async (tx: ReadTx, id: string) => (await tx.rows<GroupRow>(getSql, [id]))[0];
export const holdGroup = async (tx: WriteTx, id: string) => (await tx.rows<GroupRow>(lockSql, [id]))[0];
export const listGroups = (
  tx: ReadTx,
  projectId: string,
  organizationId: string,
  before: string | undefined,
  limit: number,
) =>
  tx.rows<GroupRow & { readonly states: AllocationState[] }>(listSql, [
    projectId,
    organizationId,
    before ?? null,
    limit,
  ]);
export const askForRelease = (tx: WriteTx, id: string) => tx.run(releaseSql, [id]);
