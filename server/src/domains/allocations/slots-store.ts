import { sql } from '../../kernel/act.ts';

/** All of them or none; see the function. The state is `reserved` from here on. */
export const reserveSlots = sql(
  'slots-reserve',
  'select id, node_id, slot_index, generation from slots_reserve($1::uuid[], $2, $3)',
);
export const lockSlots = sql(
  'slots-lock',
  `select s.id, s.node_id, s.state, s.generation, s.allocation_id,
     exists (
       select from allocation_claims c join allocations a on a.id = c.allocation_id
       where c.slot_id = s.id and c.freed_at is null and a.state not in ('released', 'failed')
         and mine(a.organization_id)
     ) as held
   from slots s where s.id = any ($1::uuid[]) or s.allocation_id = $2 order by s.id for update of s`,
);
export const moveSlotRows = sql(
  'slots-move',
  `update slots set state = $2, version = version + 1, state_reason = $3, updated_at = act_time(),
     allocation_id = case when $2 in ('available', 'disabled') then null else allocation_id end
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
   where allocation_id = $1 and freed_at is null and mine(organization_id)`,
);
export const insertClaims = sql(
  'allocation-claims-insert',
  `insert into allocation_claims (id, allocation_id, organization_id, slot_id, node_id, kind, generation)
   select c.id, $2, $3, c.slot_id, $5, $6, $7 from unnest($1::uuid[], $4::uuid[]) as c (id, slot_id)`,
);
/** Tells everybody that capacity came free; sent with the commit, and lost with it. */
export const announceFree = sql('slots-announce-free', 'select pg_notify($1, $2)');
