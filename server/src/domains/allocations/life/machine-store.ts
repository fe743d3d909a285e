import { sql } from '../../../kernel/act.ts';

/**
 * One transition in one statement: it locks the row, moves it if the machine allows, and writes the line of the timeline. It
 * answers the row as it was before, so the caller can say why a transition was refused.
 *
 * Parameters: id, the states that the transition leaves, the state that it enters, the version and the lease that the caller
 * saw, the line of the timeline, and other columns. A retry begins the next attempt and leaves its host. The times of a life
 * and the placement status follow from the state. An allocation ends for its owner when its release begins, not when its
 * host has been cleaned.
 */
export const stepAllocation = sql(
  'allocation-move',
  `with held as materialized (
     select id, organization_id, project_id, state, version, generation, node_id
     from allocations where id = $1 and mine(organization_id) for update
   ), moved as (
     update allocations a set state = $3, version = h.version + 1, updated_at = act_time(),
       placement_status = coalesce($10, case
         when $3 in ('released', 'failed') then 'freed'
         when $3 = 'active' then 'leased'
         else a.placement_status end),
       node_id = case when $7 = 'retry' and $11::uuid is null then null else coalesce($11, a.node_id) end,
       generation = coalesce($12, a.generation),
       attempt = a.attempt + case when $7 = 'retry' then 1 else 0 end,
       access = coalesce($13::jsonb, a.access),
       expires_at = coalesce($14, a.expires_at),
       failure_code = coalesce($15, a.failure_code),
       failure_reason = coalesce($16, a.failure_reason),
       release_reason = coalesce($17, a.release_reason),
       release_attempts = coalesce($18, a.release_attempts),
       provisioning_started_at = case when $3 = 'provisioning' then act_time() else a.provisioning_started_at end,
       active_at = case when $3 = 'active' then act_time() else a.active_at end,
       releasing_at = case when $3 = 'releasing' then act_time() else a.releasing_at end,
       ended_at = case when $3 in ('releasing', 'released', 'failed') then coalesce(a.ended_at, act_time()) else a.ended_at end
     from held h
     where a.id = h.id and mine(a.organization_id) and h.state = any ($2::text[])
       and h.version = coalesce($4, h.version) and h.generation = coalesce($5, h.generation)
     returning a.id
   ), noted as (
     insert into allocation_timeline
       (id, allocation_id, organization_id, kind, name, from_state, to_state, version, detail, correlation_id)
     select $6, h.id, h.organization_id, 'transition', $7, h.state, $3, h.version + 1, $8, $9
     from held h join moved m on m.id = h.id
   )
   select h.organization_id, h.project_id, h.state, h.version, h.generation, h.node_id,
     (select coalesce(n.simulated, false) from nodes n where n.id = coalesce($11, h.node_id)) as simulated,
     exists (select from moved) as moved
   from held h`,
);
/** Every change of an allocation raises its version, also one that keeps its state. */
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
