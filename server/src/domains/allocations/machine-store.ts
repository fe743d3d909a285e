import { sql } from '../../kernel/act.ts';

export const lockAllocation = sql(
  'allocation-lock',
  `select id, organization_id, project_id, state, version, generation, node_id
   from allocations where id = $1 and mine(organization_id) for update`,
);
/**
 * Id, new state, new version, and what else became true with it. The times of a life follow from its states, and so does
 * whether the capacity is held.
 */
export const moveAllocation = sql(
  'allocation-move',
  `update allocations set state = $2, version = $3, updated_at = act_time(),
     placement_status = coalesce($4, case
       when $2 in ('released', 'failed') then 'freed'
       when $2 = 'active' then 'leased'
       else placement_status end),
     node_id = coalesce($5, node_id),
     generation = coalesce($6, generation),
     access = coalesce($7::jsonb, access),
     expires_at = coalesce($8, expires_at),
     failure_code = coalesce($9, failure_code),
     failure_reason = coalesce($10, failure_reason),
     release_reason = coalesce($11, release_reason),
     release_attempts = coalesce($12, release_attempts),
     provisioning_started_at = case when $2 = 'provisioning' then act_time() else provisioning_started_at end,
     active_at = case when $2 = 'active' then act_time() else active_at end,
     releasing_at = case when $2 = 'releasing' then act_time() else releasing_at end,
     ended_at = case when $2 in ('released', 'failed') then act_time() else ended_at end
   where id = $1 and mine(organization_id)`,
);
/** Every change of an allocation is a version of it, also one that leaves its state alone. */
export const changeAllocation = sql(
  'allocation-change',
  `update allocations set version = version + 1, updated_at = act_time(),
     placement_status = coalesce($2, placement_status),
     node_id = coalesce($3, node_id),
     generation = coalesce($4, generation),
     access = coalesce($5::jsonb, access),
     expires_at = coalesce($6, expires_at)
   where id = $1 and mine(organization_id)
   returning version`,
);
export const insertTimeline = sql(
  'allocation-timeline-insert',
  `insert into allocation_timeline
     (id, allocation_id, organization_id, kind, name, from_state, to_state, version, detail, correlation_id)
   select $1, a.id, a.organization_id, $3, $4, $5, $6, $7, $8, $9
   from allocations a where a.id = $2 and mine(a.organization_id)`,
);
