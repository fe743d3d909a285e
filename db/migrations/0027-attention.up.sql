-- What somebody has to look at. Each source keeps a set of alerts for a node and replaces it as a whole, so that what has
-- healed is gone with the next look; the audit log has what was there before.
create table alerts (
  id uuid primary key,
  source text not null check (source in ('health', 'presence', 'drift', 'attestation', 'operator', 'breaker')),
  kind text not null check (kind ~ '^[a-z][a-z0-9_]{1,62}$'),
  effect text not null check (effect in ('blocks_sale', 'blocks_transition', 'informs')),
  -- None for an alert about a pool.
  node_id uuid references nodes,
  slot_id uuid references slots,
  allocation_id uuid references allocations (id),
  message text not null check (length(message) between 1 and 1000),
  -- What whoever rents from the target may read; nothing of the host is in it.
  tenant_message text check (length(tenant_message) between 1 and 500),
  raised_by text,
  since timestamptz not null default act_time(),
  check ((slot_id is not null) <= (node_id is not null)),
  check ((effect = 'informs') or node_id is not null)
);
create unique index alerts_target on alerts (source, kind, node_id, slot_id, allocation_id) nulls not distinct;
create index alerts_node on alerts (node_id, id);
create index alerts_slot on alerts (slot_id);
create index alerts_allocation on alerts (allocation_id);

create trigger guard_act before insert or update or delete or truncate on alerts
  for each statement execute function guard_act();
create constraint trigger guard_audit after insert or update or delete on alerts
  deferrable initially deferred for each row execute function guard_audit();

-- A slot is sold only while it is healthy. Its health follows from the alerts in the transaction that changes them, whoever
-- writes them, and whatever state the slot is in: so a slot that comes back is held before anybody could take it.
create function alerts_hold() returns trigger language plpgsql as $$
declare
  host uuid;
begin
  foreach host in array array(select distinct n from unnest(array[
      case when tg_op <> 'INSERT' then old.node_id end, case when tg_op <> 'DELETE' then new.node_id end]) n
    where n is not null)
  loop
    perform 1 from slots s where s.node_id = host order by s.id for update;
    update slots s set health_state = h.state, health_detail = h.detail, version = s.version + 1
    from (
      select t.id, coalesce(b.state, 'healthy') as state, b.message as detail
      from slots t left join lateral (
        select case when a.slot_id is null then 'degraded' else 'failed' end as state, a.message from alerts a
        where a.node_id = host and a.effect = 'blocks_sale' and a.allocation_id is null
          and (a.slot_id is null or a.slot_id = t.id)
        order by a.slot_id is null, a.since, a.id limit 1
      ) b on true
      where t.node_id = host
    ) h
    where s.id = h.id and (s.health_state, s.health_detail) is distinct from (h.state, h.detail);
  end loop;
  return null;
end
$$;
create trigger hold after insert or update or delete on alerts for each row execute function alerts_hold();

grant select, insert, update, delete on alerts to gpuaas_api, gpuaas_worker;
