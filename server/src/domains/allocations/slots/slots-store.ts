import { sql } from '../../../kernel/act.ts';

/** All of them or none; see the function. The state is `reserved` from here on. */
export const reserveSlots = sql(
  'slots-reserve',
  `select s.id, s.node_id, s.slot_index, s.generation, coalesce(n.simulated, false) as simulated
   from slots_reserve($1::uuid[], $2, $3, $4, $5, $6, $7, $8) s join nodes n on n.id = s.node_id`,
);
/**
 * Takes slots for new allocations and inserts the allocations and their claims, in one statement for all of them. Each gets
 * all of its slots or none, and then leaves nothing behind. Slots that are kept for waiting requests are not taken. The slots of
 * an allocation get one generation that none of them had before. Whether they are free is read before any is locked, so only
 * a race leaves some of them locked, until the end of the transaction.
 *
 * `limit (select …)` only keeps PostgreSQL from guessing the length of the arrays: with its guess it would plan this statement
 * anew each time, at several times the cost of running it.
 */
export const reserveForNewAllocations = sql(
  'slots-take',
  `with wanted as materialized (
     select w.slot_id, w.claim_id, w.allocation_id, w.need, w.ends_at, w.image_required, w.provision_seconds
     from unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::int[], $8::timestamptz[], $9::boolean[], $10::int[])
       as w (slot_id, claim_id, allocation_id, need, ends_at, image_required, provision_seconds)
     limit (select $5::int)
   ), free as materialized (
     select w.slot_id, w.claim_id, w.allocation_id, w.need, s.generation
     from wanted w join slots s on s.id = w.slot_id join nodes n on n.id = s.node_id
       join node_reports r on r.node_id = n.id
     where s.state = 'available' and s.health_state = 'healthy' and n.state = 'active' and host_offered(n.schedulable, n.simulated)
       and r.reported_at > act_time() - make_interval(secs => $6)
       and (w.need = 1 or w.need = (
         select count(*) from wanted v join slots t on t.id = v.slot_id
         where v.allocation_id = w.allocation_id and t.state = 'available' and t.health_state = 'healthy'))
       and not capacity_kept(n.id, w.ends_at, w.image_required, w.provision_seconds, array[w.slot_id])
     order by s.id for update of s skip locked
   ), lease as materialized (
     select f.allocation_id, greatest(max(f.generation),
       coalesce((select max(e.generation_floor) from installation_epochs e), 0)) + 1 as generation from free f
     group by f.allocation_id, f.need having count(*) = f.need
   ), taken as (
     update slots s set state = 'reserved', version = s.version + 1, allocation_id = l.allocation_id,
       updated_at = act_time(), generation = l.generation
     from free f join lease l on l.allocation_id = f.allocation_id
     where s.id = f.slot_id
     returning s.id, s.node_id, s.generation, s.allocation_id, f.claim_id
   ), made as (
     insert into allocations (id, organization_id, project_id, group_id, name, tags, requested_by, placement_status, sku,
       capacity_shape, gpu_count, region, profile, image_id, price_id, unit_price_minor, currency, isolation_model, login,
       max_duration_seconds, max_spend_minor, idle_minutes, idle_action, queue_deadline_at, max_attempts, node_id, generation)
     select a.id, a.organization_id, a.project_id, a.group_id, a.name, a.tags, a.requested_by, 'reserved', a.sku,
       a.capacity_shape, a.gpu_count, a.region, a.profile, a.image_id, a.price_id, a.unit_price_minor, a.currency,
       a.isolation_model, a.login, a.max_duration_seconds, a.max_spend_minor, a.idle_minutes, a.idle_action,
       a.queue_deadline_at, a.max_attempts, t.node_id, t.generation
     from (select distinct allocation_id, node_id, generation from taken) t
       join json_to_recordset($7::json) as a (id uuid, organization_id uuid, project_id uuid, group_id uuid, name text,
         tags jsonb, requested_by text, sku text, capacity_shape text, gpu_count integer, region text, profile jsonb,
         image_id uuid, price_id uuid, unit_price_minor bigint, currency text, isolation_model text, login jsonb,
         max_duration_seconds integer, max_spend_minor bigint, idle_minutes integer, idle_action text, queue_deadline_at timestamptz,
         max_attempts integer) on a.id = t.allocation_id
   ), claimed as (
     insert into allocation_claims (id, allocation_id, organization_id, slot_id, node_id, kind, generation)
     select t.claim_id, t.allocation_id, o.organization_id, t.id, t.node_id, o.kind, t.generation
     from taken t join json_to_recordset($7::json) as o (id uuid, organization_id uuid, kind text)
       on o.id = t.allocation_id
   )
   select t.id, t.node_id, t.generation, t.allocation_id, coalesce(n.simulated, false) as simulated
   from taken t join nodes n on n.id = t.node_id`,
);
/**
 * All slots of an allocation along one transition, or none, in one statement: those that are there already stay as they
 * are. Coming free ends the claims on them. Answered as they were, with what was moved.
 *
 * The allocation, where the transition may begin, where it leads, why, and the lease: the present one when none is given.
 */
export const moveSlotsOf = sql(
  'slots-move-of-allocation',
  `with held as materialized (
     select s.id, s.node_id, s.state, s.generation from slots s
     where s.allocation_id = $1 and s.generation = coalesce($5, (
       select a.generation from allocations a where a.id = $1 and mine(a.organization_id)))
     order by s.id for update of s
   ), moved as (
     update slots s set state = $3, version = s.version + 1, state_reason = $4, updated_at = act_time(),
       allocation_id = case when $3 in ('available', 'disabled') then null else s.allocation_id end
     from held h
     where s.id = h.id and h.state <> $3 and (select bool_and(o.state = $3 or o.state = any ($2::text[])) from held o)
     returning s.id
   ), freed as (
     update allocation_claims c set freed_at = act_time()
     from moved m
     where c.slot_id = m.id and c.freed_at is null and mine(c.organization_id) and $3 in ('available', 'disabled')
   )
   select h.id, h.node_id, h.state, h.generation, m.id is not null as moved from held h left join moved m on m.id = h.id`,
);
export const lockSlots = sql(
  'slots-lock',
  `select s.id, s.node_id, s.state, s.generation, s.allocation_id,
     exists (
       select from allocation_claims c join allocations a on a.id = c.allocation_id and a.organization_id = c.organization_id
       where c.slot_id = s.id and c.freed_at is null and a.state not in ('released', 'failed')
         and c.generation = a.generation
         and mine(a.organization_id)
     ) as held
   from slots s where s.id = any ($1::uuid[]) order by s.id for update of s`,
);
export const moveSlotRows = sql(
  'slots-move',
  `update slots set state = $2, version = version + 1, state_reason = $3, updated_at = act_time(),
     allocation_id = case when $2 in ('available', 'disabled') then null else allocation_id end,
     wipe_waived_at = case when $4::uuid is null then wipe_waived_at else act_time() end,
     wipe_waived_by = coalesce($4, wipe_waived_by),
     wipe_waived_reason = case when $4::uuid is null then wipe_waived_reason else $3 end
   where id = any ($1::uuid[])`,
);
export const freeClaimsOfSlots = sql(
  'allocation-claims-free-slots',
  `update allocation_claims set freed_at = act_time()
   where slot_id = any ($1::uuid[]) and freed_at is null and mine(organization_id)`,
);
export const freeClaimsOfAllocation = sql(
  'allocation-claims-free',
  `update allocation_claims set freed_at = act_time()
   where allocation_id = $1 and freed_at is null and mine(organization_id) and generation = coalesce($2, (
     select a.generation from allocations a where a.id = $1 and mine(a.organization_id)))`,
);
export const insertClaims = sql(
  'allocation-claims-insert',
  `insert into allocation_claims (id, allocation_id, organization_id, slot_id, node_id, kind, generation)
   select c.id, $2, $3, c.slot_id, $5, $6, $7 from unnest($1::uuid[], $4::uuid[]) as c (id, slot_id)`,
);
/** Notifies all processes that slots came free; sent with the commit, and lost with it. */
export const announceFree = sql('slots-announce-free', 'select pg_notify($1, $2)');
