-- Lines that agents push, of their own log and of the consoles of machines. They are written for a node at a time and without an act,
-- like measurements: losing one loses nothing. Lines of a console carry the tenant; lines of an agent carry none, so that no tenant
-- sees one, whatever a statement forgets. Whose a line is the function below finds out, which alone writes here; there is no reference,
-- so that lines neither keep an old allocation from its archive nor cost an index more.

create table node_log_lines (
  id bigint generated always as identity primary key,
  node_id uuid not null references nodes,
  stream text not null check (stream in ('agent', 'console')),
  level text not null check (level in ('debug', 'info', 'warn', 'error')),
  at timestamptz not null,
  allocation_id uuid,
  organization_id uuid,
  task_id uuid,
  correlation_id text check (length(correlation_id) <= 128),
  line text not null check (length(line) <= 5000),
  constraint node_log_lines_owner_known check ((stream = 'console') = (organization_id is not null)),
  constraint node_log_lines_console check (stream = 'agent' or allocation_id is not null)
);
create index node_log_lines_node on node_log_lines (node_id, at, id);
create index node_log_lines_allocation on node_log_lines (allocation_id, at, id) where allocation_id is not null;
create index node_log_lines_correlation on node_log_lines (correlation_id, at, id) where correlation_id is not null;
create index node_log_lines_age on node_log_lines (stream, at);
create index node_log_lines_at on node_log_lines (at, id);

-- Stores lines of one node. A line of a console is taken only for an allocation that was placed on this node and had not ended; an
-- agent may name only allocations of its node. The lock makes ids grow in the order of commits, so that a follower who has read up
-- to an id has missed nothing before it. Answers how many were stored.
create function node_logs_record(p_node uuid, p_oldest timestamptz, p_newest timestamptz, p_lines jsonb)
  returns integer language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
declare
  stored integer;
begin
  perform pg_advisory_xact_lock(hashtext('node_log_lines'));
  insert into node_log_lines (node_id, stream, level, at, allocation_id, organization_id, task_id, correlation_id, line)
  select p_node, s.stream, s.level, date_trunc('milliseconds', s.at), a.id, case when s.stream = 'console' then a.organization_id end,
    s.task_id, s.correlation_id, s.line
  from jsonb_array_elements(p_lines) with ordinality as e (said, place)
    cross join lateral jsonb_to_record(e.said) as s (at timestamptz, stream text, level text, line text, task_id uuid,
      allocation_id uuid, correlation_id text)
    left join allocations a on a.id = s.allocation_id and a.node_id = p_node
      and (s.stream = 'agent' or a.ended_at is null or s.at <= a.ended_at)
  where s.at between p_oldest and p_newest and (s.stream = 'agent' or a.id is not null)
    and exists (select from nodes n where n.id = p_node and n.state <> 'deleted')
  order by e.place;
  get diagnostics stored = row_count;
  return stored;
end
$$;

-- The last id that is committed. A follower reads up to it, and goes on behind it even if none of the lines was for it.
create function node_logs_last() returns bigint
  language sql stable security definer set search_path = pg_catalog, public, pg_temp as $$
  select coalesce(max(l.id), 0) from node_log_lines l
$$;

-- Removes what is older than its time, a bounded number at a time.
create function node_logs_prune(p_agent timestamptz, p_console timestamptz, p_limit integer) returns integer
  language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
declare
  gone integer;
begin
  delete from node_log_lines l where l.id = any (array(
    (select o.id from node_log_lines o where o.stream = 'agent' and o.at < p_agent order by o.at limit p_limit)
    union all
    (select o.id from node_log_lines o where o.stream = 'console' and o.at < p_console order by o.at limit p_limit)));
  get diagnostics gone = row_count;
  return gone;
end
$$;

alter table node_log_lines enable row level security;
create policy reach on node_log_lines using (within_wall(organization_id));
grant select on node_log_lines to gpuaas_api;
grant execute on function node_logs_record(uuid, timestamptz, timestamptz, jsonb) to gpuaas_api;
grant execute on function node_logs_last() to gpuaas_api;
grant execute on function node_logs_prune(timestamptz, timestamptz, integer) to gpuaas_worker;
