import { type ReadTx, sql, type WriteTx } from '../../../kernel/act.ts';

/**
 * Budgets with what this month (UTC) has spent of them, and what is held: of the organization, or of the project, the person or the
 * tag that they are for.
 */
const counted = `select b.id, b.organization_id, b.name, b.scope, b.subject, b.soft_minor, b.hard_minor, b.version, b.created_at,
     b.updated_at, coalesce(b.soft_reached_on = t.month, false) as soft_sent,
     coalesce(b.hard_reached_on = t.month, false) as hard_sent, c.currency, to_char(t.month, 'YYYY-MM') as period,
     p.name as subject_name, u.spent, u.held
   from budgets b join billing_accounts c on c.organization_id = b.organization_id and mine(c.organization_id)
     cross join lateral (select date_trunc('month', act_time() at time zone 'UTC')::date as month) t
     left join projects p on b.scope = 'project' and p.id::text = b.subject and mine(p.organization_id)
     cross join lateral (
       select coalesce(sum(x.spent), 0)::bigint as spent, coalesce(sum(x.held), 0)::bigint as held from (
         select d.project_id, d.requested_by, d.resource_id, d.amount_minor as spent, 0::bigint as held from usage_days d
         where d.organization_id = b.organization_id and d.day >= t.month and mine(d.organization_id)
         union all
         select h.project_id, h.requested_by, h.allocation_id, 0::bigint, h.amount_minor - h.released_minor
         from allocation_holds h
         where h.organization_id = b.organization_id and h.released_minor < h.amount_minor and mine(h.organization_id)
       ) x
       where b.scope = 'organization' or b.scope = 'project' and x.project_id::text = b.subject
         or b.scope = 'user' and x.requested_by = b.subject
         or b.scope = 'tag' and exists (select from allocations a where a.id = x.resource_id and mine(a.organization_id)
           and a.tags ->> split_part(b.subject, '=', 1) = substr(b.subject, strpos(b.subject, '=') + 1))
     ) u`;
const listSql = sql(
  'budget-list',
  `${counted} where b.organization_id = $1 and mine(b.organization_id) order by b.id limit $2`,
);
const findSql = sql('budget-find', `${counted} where b.organization_id = $1 and b.id = $2 and mine(b.organization_id)`);
/** Budgets that count a launch of `$2` in the project `$3` with the tags `$4`. */
const concerningSql = sql(
  'budget-concerning',
  `${counted} where b.organization_id = $1 and mine(b.organization_id)
     and (b.scope = 'organization' or b.scope = 'project' and b.subject = $3 or b.scope = 'user' and b.subject = $2
       or b.scope = 'tag' and $4::jsonb ->> split_part(b.subject, '=', 1) = substr(b.subject, strpos(b.subject, '=') + 1))
   order by b.id limit $5`,
);
/**
 * What live allocations without a hold are committed to: their cost for the first `$2` seconds, less what was charged. Where an
 * organization pays ahead each has a hold, which is counted instead.
 */
const committedSql = sql(
  'budget-committed',
  `select a.project_id, a.requested_by, a.tags, sum(c.committed)::bigint as committed
   from allocations a join skus k on k.slug = a.sku cross join lateral (
     select greatest(0, (case k.billing_unit when 'node_hour' then a.unit_price_minor else a.unit_price_minor * a.gpu_count end)
         * least(coalesce(a.max_duration_seconds, $2::int), $2::int) / 3600
       - (select coalesce(sum(d.amount_minor), 0) from usage_days d
          where d.organization_id = a.organization_id and d.resource_id = a.id and mine(d.organization_id))) as committed
   ) c
   where a.organization_id = $1 and a.state in ('requested', 'provisioning', 'active') and mine(a.organization_id)
     and not exists (select from allocation_holds h where h.allocation_id = a.id and mine(h.organization_id))
   group by a.project_id, a.requested_by, a.tags`,
);
const lockSql = sql(
  'budget-lock',
  'select version from budgets where organization_id = $1 and id = $2 and mine(organization_id) for update',
);
const insertSql = sql(
  'budget-insert',
  `insert into budgets (id, organization_id, name, scope, subject, soft_minor, hard_minor, created_by)
   values ($1, $2, $3, $4, $5, $6, $7, $8) on conflict on constraint budgets_subject do nothing`,
);
const updateSql = sql(
  'budget-update',
  `update budgets set name = $3, soft_minor = $4, hard_minor = $5, version = version + 1, updated_at = act_time(),
     soft_reached_on = case when soft_minor is distinct from $4 then null else soft_reached_on end,
     hard_reached_on = case when hard_minor is distinct from $5 then null else hard_reached_on end
   where organization_id = $1 and id = $2 and mine(organization_id)`,
);
const deleteSql = sql(
  'budget-delete',
  'delete from budgets where organization_id = $1 and id = $2 and mine(organization_id)',
);
const countSql = sql(
  'budget-count',
  'select count(*)::int as budgets from budgets where organization_id = $1 and mine(organization_id)',
);
const hasHardSql = sql(
  'budget-has-hard',
  `select exists (select from budgets b where b.organization_id = $1 and b.hard_minor is not null and mine(b.organization_id))
     as found`,
);
const isProjectSql = sql(
  'budget-is-project',
  'select id from projects where organization_id = $1 and id::text = $2 and mine(organization_id)',
);
const isMemberSql = sql(
  'budget-is-member',
  `select user_id as id from tenant_memberships where organization_id = $1 and user_id::text = $2 and deleted_at is null
     and mine(organization_id)`,
);
/** Budgets whose spending reached a threshold in this month, and which sent no event about it. */
const crossedSql = sql(
  'budget-crossed',
  `select t.* from (${counted} where mine(b.organization_id)) t
   where (t.soft_minor is not null and t.spent >= t.soft_minor and not t.soft_sent)
     or (t.hard_minor is not null and t.spent >= t.hard_minor and not t.hard_sent)
   order by t.id limit $1`,
);
const markSql = sql(
  'budget-mark',
  `update budgets set version = version + 1,
     soft_reached_on = case when soft_minor <= $3 then date_trunc('month', act_time() at time zone 'UTC')::date
       else soft_reached_on end,
     hard_reached_on = case when hard_minor <= $3 then date_trunc('month', act_time() at time zone 'UTC')::date
       else hard_reached_on end
   where organization_id = $1 and id = $2 and version = $4 and mine(organization_id)`,
);

export interface BudgetRow {
  readonly id: string;
  readonly organization_id: string;
  readonly name: string;
  readonly scope: 'organization' | 'project' | 'user' | 'tag';
  readonly subject: string;
  readonly subject_name: string | null;
  readonly soft_minor: bigint | null;
  readonly hard_minor: bigint | null;
  /** Whether the event about the threshold was sent in this month. */
  readonly soft_sent: boolean;
  readonly hard_sent: boolean;
  readonly version: bigint;
  readonly created_at: Date;
  readonly updated_at: Date;
  readonly currency: string;
  readonly period: string;
  readonly spent: bigint;
  readonly held: bigint;
}
export const listBudgets = (tx: ReadTx, organizationId: string, limit: number) =>
  tx.rows<BudgetRow>(listSql, [organizationId, limit]);
export const findBudget = async (tx: ReadTx, organizationId: string, id: string): Promise<BudgetRow | undefined> =>
  (await tx.rows<BudgetRow>(findSql, [organizationId, id]))[0];
export const listConcerning = (
  tx: ReadTx,
  of: { readonly organizationId: string; readonly actorId: string; readonly projectId: string },
  tags: Readonly<Record<string, string>>,
  limit: number,
) => tx.rows<BudgetRow>(concerningSql, [of.organizationId, of.actorId, of.projectId, JSON.stringify(tags), limit]);
export interface CommittedRow {
  readonly project_id: string;
  readonly requested_by: string;
  readonly tags: Readonly<Record<string, string>>;
  readonly committed: bigint;
}
export const listCommitted = (tx: ReadTx, organizationId: string, seconds: number) =>
  tx.rows<CommittedRow>(committedSql, [organizationId, seconds]);
export const lockBudget = async (tx: WriteTx, organizationId: string, id: string): Promise<number | undefined> => {
  const [row] = await tx.rows<{ version: bigint }>(lockSql, [organizationId, id]);
  return row && Number(row.version);
};
/** False when there is a budget for the same already. */
export const insertBudget = async (
  tx: WriteTx,
  budget: Pick<BudgetRow, 'id' | 'organization_id' | 'name' | 'scope' | 'subject' | 'soft_minor' | 'hard_minor'> & {
    readonly createdBy: string;
  },
): Promise<boolean> =>
  (await tx.run(insertSql, [
    ...[budget.id, budget.organization_id, budget.name, budget.scope, budget.subject],
    ...[budget.soft_minor, budget.hard_minor, budget.createdBy],
  ])) === 1;
export const updateBudget = (
  tx: WriteTx,
  budget: Pick<BudgetRow, 'id' | 'organization_id' | 'name' | 'soft_minor' | 'hard_minor'>,
) => tx.run(updateSql, [budget.organization_id, budget.id, budget.name, budget.soft_minor, budget.hard_minor]);
export const deleteBudget = (tx: WriteTx, organizationId: string, id: string) =>
  tx.run(deleteSql, [organizationId, id]);
export const hasHardBudget = async (tx: ReadTx, organizationId: string): Promise<boolean> =>
  (await tx.rows<{ found: boolean }>(hasHardSql, [organizationId]))[0]?.found ?? false;
export const countAll = async (tx: ReadTx, organizationId: string): Promise<number> =>
  (await tx.rows<{ budgets: number }>(countSql, [organizationId]))[0]?.budgets ?? 0;
export const isProject = async (tx: ReadTx, organizationId: string, id: string): Promise<boolean> =>
  (await tx.rows<{ id: string }>(isProjectSql, [organizationId, id])).length > 0;
export const isMember = async (tx: ReadTx, organizationId: string, id: string): Promise<boolean> =>
  (await tx.rows<{ id: string }>(isMemberSql, [organizationId, id])).length > 0;
export const listCrossed = (tx: ReadTx, limit: number) => tx.rows<BudgetRow>(crossedSql, [limit]);
export const markReached = async (tx: WriteTx, row: BudgetRow): Promise<boolean> =>
  (await tx.run(markSql, [row.organization_id, row.id, row.spent, row.version])) === 1;
