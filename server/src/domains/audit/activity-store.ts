import type { Activity } from '@gpuaas/contract';
import { type ReadTx, sql } from '../../kernel/act.ts';

/** Refused requests are logged with whatever their path named, so a target is cast only where it is an id. */
const uuid = '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$';

/**
 * What a project's members see: what was done in it, and what was done to it. Names are those of today: the log keeps ids
 * alone.
 */
const ofProject = sql(
  'activity-list',
  `select l.id, l.actor_id, l.actor_role, l.action, l.target_type, l.target_id, l.result, l.correlation_id, audit_change(l.id, l.change) as change,
     l.created_at,
     case
       when not l.actor_id ~ '${uuid}' then null
       when l.actor_kind = 'user' then (
         select coalesce(n.display_name, i.username) from user_posix_identities i
         left join user_names n on n.user_id = i.user_id where i.user_id = l.actor_id::uuid)
       when l.actor_kind = 'service_account' then (
         select s.name from service_accounts s where s.id = l.actor_id::uuid and mine(s.organization_id))
     end as actor_name,
     case
       when not l.target_id ~ '${uuid}' then null
       when l.target_type = 'allocation' then (
         select a.name from allocations a where a.id = l.target_id::uuid and mine(a.organization_id))
       when l.target_type = 'allocation_group' then (
         select g.name from allocation_groups g where g.id = l.target_id::uuid and mine(g.organization_id))
       when l.target_type = 'project' then (
         select p.name from projects p where p.id = l.target_id::uuid and mine(p.organization_id))
       when l.target_type = 'service_account' then (
         select s.name from service_accounts s where s.id = l.target_id::uuid and mine(s.organization_id))
     end as target_name,
     l.target_type = 'allocation' and l.target_id ~ '${uuid}' and coalesce((
       select n.simulated from allocations a join nodes n on n.id = a.node_id
       where a.id = l.target_id::uuid and mine(a.organization_id)), false) as simulated
   from audit_logs l
   where (l.project_id = $1 or (l.target_type = 'project' and l.target_id = $1::text)) and mine(l.organization_id)
     and l.organization_id = $4 and ($2::uuid is null or l.id < $2)
     and ($5 = 'all' or (l.actor_kind in ('user', 'service_account') and l.action not in ('allocation.plan', 'quote.create')))
   order by l.id desc limit $3`,
);

export type ActivityRow = Omit<Activity, 'created_at'> & { readonly created_at: Date };
interface Whose {
  readonly projectId: string;
  readonly organizationId: string;
}

export const listActivity = (
  tx: ReadTx,
  of: Whose,
  wanted: { readonly actors: 'people' | 'all'; readonly before?: string | undefined; readonly limit: number },
): Promise<ActivityRow[]> =>
  tx.rows<ActivityRow>(ofProject, [
    of.projectId,
    wanted.before ?? null,
    wanted.limit,
    of.organizationId,
    wanted.actors,
  ]);
export const showActivity = (row: ActivityRow): Activity => ({ ...row, created_at: row.created_at.toISOString() });

/** What happened last, for a page that shows other things as well. */
export const readActivity = async (...asked: Parameters<typeof listActivity>): Promise<Activity[]> =>
  (await listActivity(...asked)).map(showActivity);
