-- History that is kept for a time: the audit log lies in months; what is older than its retention is archived, then removed.
-- Builds a unique index on audit_logs and reads it once: writers wait for as long as that takes.

-- The audit log by month. What is there becomes the first part, which ends with the month that follows its newest row.
alter table audit_seals drop constraint audit_seals_audit_id_fkey;
alter table audit_logs rename to audit_logs_before;
alter table audit_logs_before set schema ledger_months;
drop trigger guard_append_only on ledger_months.audit_logs_before;
drop trigger guard_truncate on ledger_months.audit_logs_before;
drop policy reach on ledger_months.audit_logs_before;
drop policy sealer on ledger_months.audit_logs_before;
revoke all on ledger_months.audit_logs_before from gpuaas_api, gpuaas_worker, gpuaas_relay;
alter table ledger_months.audit_logs_before drop constraint audit_logs_pkey;

create table audit_logs (like ledger_months.audit_logs_before including defaults including constraints)
  partition by range (created_at);
alter table audit_logs add constraint audit_logs_pkey primary key (id, created_at);
create index audit_logs_actor on audit_logs (actor_id, id);
create index audit_logs_correlation on audit_logs (correlation_id);
create index audit_logs_organization on audit_logs (organization_id, id) where organization_id is not null;
create index audit_logs_project on audit_logs (project_id, id) where project_id is not null;
create index audit_logs_target on audit_logs (target_id, id);
create index audit_logs_transaction on audit_logs (transaction_id, id);
create table ledger_months.audit_logs_rest partition of audit_logs default;
do $$
declare
  ends timestamptz;
begin
  select date_trunc('month', greatest(max(created_at), now()), 'UTC') + interval '1 month' into ends
    from ledger_months.audit_logs_before;
  execute format('alter table audit_logs attach partition ledger_months.audit_logs_before for values from (minvalue) to (%L)', ends);
end
$$;
create trigger guard_append_only before update or delete on audit_logs for each row execute function guard_append_only();
create trigger guard_truncate before truncate on audit_logs for each statement execute function guard_append_only();
alter table audit_logs enable row level security;
create policy reach on audit_logs for select using (within_wall(organization_id));
create policy sealer on audit_logs for select to gpuaas_relay using (true);
grant select on audit_logs to gpuaas_api, gpuaas_relay, gpuaas_worker;

-- Makes the months that are needed soon, for every table that lies in months. A month that another part covers, or that has
-- rows in the rest already, is passed over: no write is refused for want of a month.
create or replace function ledger_months_ahead(p_at timestamptz) returns integer
  language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
declare
  made integer := 0;
  parent record;
  month timestamptz;
  child text;
  taken boolean;
begin
  perform pg_advisory_xact_lock(hashtextextended('ledger_months', 0));
  for parent in
    select c.relname as name, (select a.attname from pg_attribute a where a.attrelid = c.oid and a.attnum = p.partattrs[0])
      as key
    from pg_partitioned_table p join pg_class c on c.oid = p.partrelid
    where c.relnamespace = 'public'::regnamespace and to_regclass('ledger_months.' || c.relname || '_rest') is not null
    order by 1
  loop
    for month in select date_trunc('month', p_at, 'UTC') + make_interval(months => n) from generate_series(0, 2) n loop
      child := parent.name || to_char(month at time zone 'UTC', '_YYYY_MM');
      continue when to_regclass('ledger_months.' || child) is not null;
      execute format('select exists (select from ledger_months.%I where %I >= $1 and %2$I < $2)',
        parent.name || '_rest', parent.key) into taken using month, month + interval '1 month';
      continue when taken;
      begin
        execute format('create table ledger_months.%I partition of public.%I for values from (%L) to (%L)', child,
          parent.name, month, month + interval '1 month');
        made := made + 1;
      exception when invalid_object_definition then null;
      end;
    end loop;
  end loop;
  return made;
end
$$;
grant execute on function ledger_months_ahead(timestamptz) to gpuaas_relay;

-- What was archived. A row is written before its object, and `archived_at` once the object is there.
create table history_archives (
  id uuid primary key,
  subject text not null check (subject in ('audit', 'allocations', 'attestations', 'node_tasks')),
  part text,
  from_at timestamptz,
  to_at timestamptz not null,
  last_id uuid,
  object_key text not null unique check (object_key ~ '^history/[a-z_]+/[a-z0-9._-]+$'),
  rows bigint check (rows >= 0),
  bytes bigint check (bytes >= 0),
  sha256 text check (sha256 ~ '^[0-9a-f]{64}$'),
  started_at timestamptz not null default act_time(),
  archived_at timestamptz,
  removed_at timestamptz,
  check ((archived_at is null) = (sha256 is null) and (archived_at is null) = (rows is null)),
  check (removed_at is null or archived_at is not null)
);
create unique index history_archives_part on history_archives (part);
create index history_archives_subject on history_archives (subject, to_at desc, id desc);
create unique index history_archives_open on history_archives (subject) where removed_at is null;

-- Which links of an audit chain an archive holds: the first one follows `after_hash`, and what is kept follows `last_hash`.
create table history_links (
  archive_id uuid not null references history_archives,
  organization_id uuid,
  chain text not null,
  first_sequence bigint not null,
  after_hash text not null,
  last_sequence bigint not null,
  last_hash text not null,
  primary key (chain, last_sequence),
  unique (chain, first_sequence),
  check (first_sequence > 0 and last_sequence >= first_sequence)
);
create index history_links_archive on history_links (archive_id, chain);
alter table history_links enable row level security;
create policy reach on history_links for select using (within_wall(organization_id));
create policy sealer on history_links for select to gpuaas_relay using (true);

create trigger guard_act before insert or update or delete or truncate on history_archives
  for each statement execute function guard_act();
create constraint trigger guard_audit after insert or update or delete on history_archives
  deferrable initially deferred for each row execute function guard_audit();
create trigger guard_act before insert or update or delete or truncate on history_links
  for each statement execute function guard_act();
create constraint trigger guard_audit after insert or update or delete on history_links
  deferrable initially deferred for each row execute function guard_audit();
create trigger guard_append_only before update or delete on history_links for each row execute function guard_append_only();
create trigger guard_truncate before truncate on history_links for each statement execute function guard_append_only();
grant select on history_archives, history_links to gpuaas_api, gpuaas_relay;

-- Removes nothing but what an archive holds whose removal has begun in this transaction.
create or replace function guard_append_only() returns trigger language plpgsql as $$
begin
  if tg_op = 'DELETE' and coalesce(current_setting('gpuaas.archive', true), '') <> '' then
    if exists (select from public.history_archives a where a.id::text = current_setting('gpuaas.archive', true)
        and a.archived_at is not null and a.removed_at is null and case a.subject
          when 'audit' then tg_table_name = 'audit_seals'
          when 'allocations' then tg_table_name in ('allocation_timeline', 'placement_decisions')
          when 'attestations' then tg_table_name = 'readiness_attestations'
          else false end) then
      return old;
    end if;
  end if;
  raise exception '% only grows: % is refused', tg_table_name, lower(tg_op)
    using errcode = 'GP003', hint = 'Corrections are new rows.';
end
$$;

create index allocations_ended on allocations (ended_at, id) where ended_at is not null;
create index node_tasks_of_nodes on node_tasks (id) where allocation_id is null;

-- Begins the archive of the oldest part of a subject that lies wholly before a time, or finds the one that was begun. Answers
-- null when nothing is due. What is younger than four weeks is never archived, whatever the policy says.
create function history_begin(p_id uuid, p_subject text, p_before timestamptz, p_limit integer) returns uuid
  language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
declare
  found_id uuid;
  cutoff timestamptz := least(p_before, act_time() - interval '28 days');
  part record;
  since record;
  ends record;
  is_unsealed boolean;
begin
  select a.id into found_id from history_archives a where a.subject = p_subject and a.removed_at is null;
  if found_id is not null then return found_id; end if;
  if p_subject = 'audit' then
    select c.relname as name,
        substring(pg_get_expr(c.relpartbound, c.oid) from $re$FROM \('([^']+)'\)$re$)::timestamptz as from_at,
        substring(pg_get_expr(c.relpartbound, c.oid) from $re$TO \('([^']+)'\)$re$)::timestamptz as to_at
      into part from pg_inherits i join pg_class c on c.oid = i.inhrelid
      where i.inhparent = 'public.audit_logs'::regclass
        and substring(pg_get_expr(c.relpartbound, c.oid) from $re$TO \('([^']+)'\)$re$)::timestamptz <= cutoff
      order by 3 limit 1;
    if not found then return null; end if;
    insert into history_archives (id, subject, part, from_at, to_at, object_key)
      values (p_id, p_subject, part.name, part.from_at, part.to_at, 'history/audit/' || part.name || '-' || p_id || '.ndjson.gz');
    execute format('select exists (select from ledger_months.%I a
      where not exists (select from audit_seals s where s.audit_id = a.id))', part.name) into is_unsealed;
    if is_unsealed then
      raise exception 'the audit part % has rows that are not sealed', part.name using errcode = 'GP003';
    end if;
    execute format('insert into history_links (archive_id, organization_id, chain, first_sequence, after_hash, last_sequence,
        last_hash)
      select $1, s.organization_id, c.chain, coalesce(b.last_sequence, 0) + 1, coalesce(b.last_hash, repeat(''0'', 64)),
        c.last, s.hash
      from (select s.chain, max(s.sequence) as last from ledger_months.%I a join audit_seals s on s.audit_id = a.id group by 1) c
        join audit_seals s on s.chain = c.chain and s.sequence = c.last
        left join lateral (select h.last_sequence, h.last_hash from history_links h where h.chain = c.chain
          order by h.last_sequence desc limit 1) b on true
      where c.last > coalesce(b.last_sequence, 0)', part.name) using p_id;
    return p_id;
  end if;
  select a.to_at, a.last_id into since from history_archives a where a.subject = p_subject order by a.to_at desc, a.id desc limit 1;
  if p_subject = 'node_tasks' then
    select max(b.created_at) as to_at, (array_agg(b.id order by b.id desc))[1] as last_id into ends from (
      select t.id, t.created_at from node_tasks t
      where t.allocation_id is null and t.id > coalesce(since.last_id, '00000000-0000-0000-0000-000000000000')
      order by t.id limit p_limit) b having max(b.created_at) < cutoff;
  else
    select b.ended_at as to_at, b.id as last_id into ends from (
      select a.ended_at, a.id from allocations a where a.ended_at is not null and a.ended_at < cutoff
        and (a.ended_at, a.id) > (coalesce(since.to_at, '-infinity'), coalesce(since.last_id, '00000000-0000-0000-0000-000000000000'))
      order by a.ended_at, a.id limit p_limit) b order by b.ended_at desc, b.id desc limit 1;
  end if;
  if ends.last_id is null then return null; end if;
  insert into history_archives (id, subject, from_at, to_at, last_id, object_key) values (p_id, p_subject, since.to_at,
    ends.to_at, ends.last_id, 'history/' || p_subject || '/' || to_char(ends.to_at at time zone 'UTC', 'YYYY-MM-DD') || '-' || p_id || '.ndjson.gz');
  return p_id;
end
$$;

-- The links of an audit archive, chain by chain, with their rows. What could name a person is not among it: its digests are.
create function history_audit_rows(p_id uuid, p_chain text, p_sequence bigint, p_limit integer)
  returns table (chain text, sequence text, hash text, form smallint, entry jsonb)
  language sql stable security definer set search_path = pg_catalog, public, pg_temp
  as $$
    select s.chain, s.sequence::text, s.hash, s.form, to_jsonb(a) - 'transaction_id' || jsonb_build_object('created_at',
        to_char(a.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US'))
      from history_links h join audit_seals s on s.chain = h.chain and s.sequence between h.first_sequence and h.last_sequence
        left join audit_logs a on a.id = s.audit_id
      where h.archive_id = p_id and (s.chain, s.sequence) > (p_chain, p_sequence)
      order by s.chain, s.sequence limit p_limit;
  $$;

-- The allocations whose history a batch holds.
create function history_allocations(p_id uuid) returns setof uuid
  language sql stable security definer set search_path = pg_catalog, public, pg_temp
  as $$
    select a.id from history_archives h join allocations a on a.ended_at is not null and (a.ended_at, a.id) <= (h.to_at, h.last_id)
        and (a.ended_at, a.id) > (coalesce(h.from_at, '-infinity'), coalesce((select b.last_id from history_archives b
          where b.subject = h.subject and b.to_at = h.from_at and b.id <> h.id order by b.id desc limit 1),
          '00000000-0000-0000-0000-000000000000'))
      where h.id = p_id;
  $$;

-- The rows of a batch, table by table.
create function history_rows(p_id uuid) returns table (source text, entry jsonb)
  language plpgsql stable security definer set search_path = pg_catalog, public, pg_temp as $$
declare
  archive history_archives;
begin
  select * into archive from history_archives a where a.id = p_id;
  if archive.subject = 'allocations' then
    return query select 'allocation_timeline', to_jsonb(t) from allocation_timeline t
      where t.allocation_id in (select history_allocations(p_id)) order by t.id;
    return query select 'placement_decisions', to_jsonb(t) from placement_decisions t
      where t.allocation_id in (select history_allocations(p_id)) order by t.id;
    return query select 'node_tasks', to_jsonb(t) from node_tasks t
      where t.allocation_id in (select history_allocations(p_id)) and t.finished_at is not null order by t.id;
  elsif archive.subject = 'attestations' then
    return query select 'readiness_attestations', to_jsonb(t) from readiness_attestations t
      where t.allocation_id in (select history_allocations(p_id)) order by t.id;
  elsif archive.subject = 'node_tasks' then
    return query select 'node_tasks', to_jsonb(t) from node_tasks t where t.allocation_id is null
      and t.id <= archive.last_id
      and t.finished_at < archive.started_at - interval '1 day' order by t.id;
  end if;
end
$$;

-- Notes that the object of an archive is there.
create function history_archived(p_id uuid, p_rows bigint, p_bytes bigint, p_sha256 text) returns void
  language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
begin
  if exists (select from history_archives a where a.id = p_id and a.subject = 'audit') and p_rows <>
      (select coalesce(sum(h.last_sequence - h.first_sequence + 1), 0) from history_links h where h.archive_id = p_id) then
    raise exception 'the archive % has % rows, which are not those of its links', p_id, p_rows using errcode = 'GP003';
  end if;
  update history_archives set rows = p_rows, bytes = p_bytes, sha256 = p_sha256, archived_at = act_time()
    where id = p_id and archived_at is null;
  if not found then raise exception 'there is no open archive %', p_id using errcode = 'GP003'; end if;
end
$$;

-- Removes what an archive holds, a bounded number at a time: answers where to go on, or null at the end.
create function history_remove(p_id uuid, p_after uuid, p_limit integer) returns uuid
  language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
declare
  archive history_archives;
  counted bigint;
  batch uuid[];
begin
  select * into archive from history_archives a where a.id = p_id and a.archived_at is not null and a.removed_at is null for update;
  if not found then raise exception 'there is nothing to remove of archive %', p_id using errcode = 'GP003'; end if;
  perform set_config('gpuaas.archive', p_id::text, true);
  if archive.subject = 'audit' then
    execute format('select array_agg(b.id) from (select a.id from ledger_months.%I a where a.id > $1 order by a.id limit $2) b',
      archive.part) into batch using coalesce(p_after, '00000000-0000-0000-0000-000000000000'), p_limit;
    if batch is not null then
      delete from audit_seals s where s.audit_id = any (batch);
      delete from audit_particulars p where p.audit_id = any (batch);
      perform set_config('gpuaas.archive', '', true);
      return batch[cardinality(batch)];
    end if;
    perform set_config('lock_timeout', '3s', true);
    execute format('alter table public.audit_logs detach partition ledger_months.%I', archive.part);
    execute format('drop table ledger_months.%I', archive.part);
  else
    select count(*) into counted from history_rows(p_id);
    if counted <> archive.rows then
      -- Rows came after the object was written: it is written again.
      update history_archives set rows = null, bytes = null, sha256 = null, archived_at = null where id = p_id;
      return p_id;
    end if;
    if archive.subject = 'allocations' then
      delete from allocation_timeline t where t.allocation_id in (select history_allocations(p_id));
      delete from placement_decisions t where t.allocation_id in (select history_allocations(p_id));
      delete from node_tasks t where t.allocation_id in (select history_allocations(p_id)) and t.finished_at is not null;
    elsif archive.subject = 'attestations' then
      delete from readiness_attestations t where t.allocation_id in (select history_allocations(p_id));
    else
      delete from node_tasks t where t.allocation_id is null and t.id <= archive.last_id
        and t.finished_at < archive.started_at - interval '1 day';
    end if;
  end if;
  perform set_config('gpuaas.archive', '', true);
  update history_archives set removed_at = act_time() where id = p_id;
  return null;
end
$$;

-- How large each table is, with its months, and how many rows of the last day came without a month.
create function history_sizes() returns table (table_name text, bytes bigint, rows_estimate bigint, parts integer, unplaced bigint)
  language plpgsql stable security definer set search_path = pg_catalog, public, pg_temp as $$
declare
  each record;
begin
  for each in
    select c.relname::text as name, c.oid, c.relkind, (select a.attname from pg_partitioned_table p join pg_attribute a
        on a.attrelid = p.partrelid and a.attnum = p.partattrs[0] where p.partrelid = c.oid) as key
    from pg_class c where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') order by 1
  loop
    table_name := each.name;
    select coalesce(sum(pg_total_relation_size(t.relid)), 0), coalesce(sum(greatest(r.reltuples, 0))::bigint, 0),
        count(*) filter (where t.level > 0)
      into bytes, rows_estimate, parts
      from pg_partition_tree(each.oid) t join pg_class r on r.oid = t.relid where t.isleaf;
    if each.relkind = 'r' then
      bytes := pg_total_relation_size(each.oid);
      select greatest(r.reltuples, 0)::bigint into rows_estimate from pg_class r where r.oid = each.oid;
    end if;
    unplaced := 0;
    if to_regclass('ledger_months.' || quote_ident(each.name || '_rest')) is not null then
      execute format('select count(*) from ledger_months.%I where %I > now() - interval ''1 day''', each.name || '_rest', each.key)
        into unplaced;
    end if;
    return next;
  end loop;
end
$$;

grant execute on function history_begin(uuid, text, timestamptz, integer), history_audit_rows(uuid, text, bigint, integer),
  history_rows(uuid), history_archived(uuid, bigint, bigint, text), history_remove(uuid, uuid, integer) to gpuaas_relay;
grant execute on function history_sizes() to gpuaas_api, gpuaas_relay;
