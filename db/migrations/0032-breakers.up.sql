-- How much of a pool automation may take. A pool is what is sold of one SKU in one region. What automation took is counted
-- by host within a window that slides; when it would take more than its policy allows, it is stopped for that pool until a
-- person resets it. Only the function below writes what was taken, so no program takes more by forgetting to count.
create table automation_breakers (
  id uuid primary key,
  kind text not null check (kind in ('quarantine', 'drain', 'update')),
  region text not null,
  sku text not null,
  tripped_at timestamptz,
  -- When it was published that it tripped.
  told_at timestamptz,
  constraint automation_breakers_pool unique (kind, region, sku)
);
create table automation_takes (
  id uuid primary key,
  breaker_id uuid not null references automation_breakers,
  node_id uuid not null references nodes,
  source text not null,
  reason text not null,
  taken_at timestamptz not null default act_time()
);
create index automation_takes_lately on automation_takes (breaker_id, taken_at);
create index automation_takes_node on automation_takes (node_id);
create table automation_held_back (
  breaker_id uuid not null references automation_breakers,
  node_id uuid not null references nodes,
  source text not null,
  reason text not null,
  since timestamptz not null default act_time(),
  primary key (breaker_id, node_id)
);
create index automation_held_back_node on automation_held_back (node_id);

create trigger guard_act before insert or update or delete or truncate on automation_breakers
  for each statement execute function guard_act();
create constraint trigger guard_audit after insert or update or delete on automation_breakers
  deferrable initially deferred for each row execute function guard_audit();
create trigger guard_act before insert or update or delete or truncate on automation_takes
  for each statement execute function guard_act();
create constraint trigger guard_audit after insert or update or delete on automation_takes
  deferrable initially deferred for each row execute function guard_audit();
create trigger guard_act before insert or update or delete or truncate on automation_held_back
  for each statement execute function guard_act();
create constraint trigger guard_audit after insert or update or delete on automation_held_back
  deferrable initially deferred for each row execute function guard_audit();

-- A version 7 UUID of the time of the act, for rows that statements make by themselves.
create function uuid_of_now() returns uuid language sql volatile
  return (lpad(to_hex((extract(epoch from act_time()) * 1000)::bigint), 12, '0') || '7'
    || substr(md5(gen_random_uuid()::text), 1, 3) || '8' || substr(md5(gen_random_uuid()::text), 1, 15))::uuid;
grant execute on function uuid_of_now() to gpuaas_api, gpuaas_worker;

-- What a breaker allows now, by the policies that are stored for everybody, or by the defaults that the caller knows. A
-- tenant's act may ask as well (it frees a slot that is faulty), and policies are not for tenants to read.
create function breaker_limits(p_region text, p_sku text, default_percent integer, default_minutes integer)
  returns table (hosts integer, allowed integer, minutes integer)
  language plpgsql stable security definer set search_path = pg_catalog, public, pg_temp as $$
declare
  percent integer;
begin
  select coalesce(max((v.value #>> '{}')::integer) filter (where v.key = 'automation.breaker_percent'), default_percent),
      coalesce(max((v.value #>> '{}')::integer) filter (where v.key = 'automation.breaker_window_minutes'), default_minutes)
    into percent, minutes
    from policy_values v where v.level = 'global' and jsonb_typeof(v.value) = 'number'
      and v.key in ('automation.breaker_percent', 'automation.breaker_window_minutes');
  select count(*) into hosts from nodes n
    where n.region = p_region and n.sku = p_sku and n.state in ('active', 'offline', 'quarantined', 'draining');
  allowed := case when percent = 0 then 0 else greatest(1, hosts * percent / 100) end;
  return next;
end
$$;
revoke execute on function breaker_limits(text, text, integer, integer) from public;
grant execute on function breaker_limits(text, text, integer, integer) to gpuaas_api, gpuaas_worker;

-- Asks for one host. The row of the breaker is held to the end of the transaction, so that two who ask at once are counted
-- one after the other. Whoever is refused finds the breaker tripped, and the host is written down as held back.
create function automation_take(p_kind text, p_node uuid, p_source text, p_reason text,
    default_percent integer, default_minutes integer)
  returns table (breaker uuid, granted boolean, is_news boolean)
  language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
declare
  pool_region text;
  pool_sku text;
  since timestamptz;
  most integer;
  minutes_long integer;
  others integer;
  fresh uuid := uuid_of_now();
begin
  if act_id() is null then
    raise exception 'automation takes hosts inside an act only' using errcode = 'GP001';
  end if;
  select n.region, n.sku into pool_region, pool_sku from nodes n where n.id = p_node;
  insert into automation_breakers (id, kind, region, sku) values (fresh, p_kind, pool_region, pool_sku)
    on conflict (kind, region, sku) do nothing;
  select b.id, b.tripped_at into breaker, since from automation_breakers b
    where b.kind = p_kind and b.region = pool_region and b.sku = pool_sku for update;
  select l.allowed, l.minutes into most, minutes_long
    from breaker_limits(pool_region, pool_sku, default_percent, default_minutes) l;
  select count(distinct t.node_id) into others from automation_takes t
    where t.breaker_id = breaker and t.node_id <> p_node
      and t.taken_at > act_time() - make_interval(mins => minutes_long);
  granted := since is null and others + 1 <= most;
  if granted then
    insert into automation_takes (id, breaker_id, node_id, source, reason)
      values (fresh, breaker, p_node, p_source, p_reason);
    delete from automation_held_back h where h.breaker_id = breaker and h.node_id = p_node;
    delete from automation_takes t where t.breaker_id = breaker and t.taken_at < act_time() - interval '8 days';
    is_news := false;
  else
    update automation_breakers b set tripped_at = act_time(), told_at = null
      where b.id = breaker and b.tripped_at is null;
    is_news := found;
    insert into automation_held_back (breaker_id, node_id, source, reason)
      values (breaker, p_node, p_source, p_reason) on conflict (breaker_id, node_id) do nothing;
    is_news := is_news or found;
  end if;
  return next;
end
$$;
revoke execute on function automation_take(text, uuid, text, text, integer, integer) from public;
grant execute on function automation_take(text, uuid, text, text, integer, integer) to gpuaas_api, gpuaas_worker;

grant select on automation_breakers, automation_takes, automation_held_back to gpuaas_api, gpuaas_worker;
grant update (tripped_at, told_at) on automation_breakers to gpuaas_api;
grant update (told_at) on automation_breakers to gpuaas_worker;
grant delete on automation_held_back to gpuaas_api;

-- What became of alerts and was not published yet. Written by a trigger, so that no writer of alerts can forget it, and
-- published in an act of the platform: the act that changed an alert may be a tenant's, whose events tenants read.
create table alert_changes (
  id bigint generated always as identity primary key,
  what text not null check (what in ('opened', 'changed', 'closed')),
  effect_before text,
  alert jsonb not null
);
create trigger guard_act before insert or update or delete or truncate on alert_changes
  for each statement execute function guard_act();
create constraint trigger guard_audit after insert or update or delete on alert_changes
  deferrable initially deferred for each row execute function guard_audit();
create function alerts_tell() returns trigger
  language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
begin
  insert into alert_changes (what, effect_before, alert)
    select case tg_op when 'INSERT' then 'opened' when 'DELETE' then 'closed' else 'changed' end,
      case when tg_op = 'UPDATE' then old.effect end,
      jsonb_build_object('alert_id', a.id, 'source', a.source, 'kind', a.kind, 'effect', a.effect, 'node_id', a.node_id,
        'slot_id', a.slot_id, 'allocation_id', a.allocation_id, 'message', a.message)
    from (select (case when tg_op = 'DELETE' then old else new end).*) a;
  return null;
end
$$;
create trigger tell after insert or delete on alerts for each row execute function alerts_tell();
create trigger tell_effect after update of effect on alerts for each row
  when (old.effect is distinct from new.effect) execute function alerts_tell();
grant select, delete on alert_changes to gpuaas_worker;
