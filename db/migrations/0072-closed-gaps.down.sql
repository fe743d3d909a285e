drop function notification_is_for(text, uuid, uuid, uuid, jsonb);
revoke execute on function history_rows(uuid) from gpuaas_api;
drop function history_confirm(uuid, bigint, text);
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
create or replace function history_begin(p_id uuid, p_subject text, p_before timestamptz, p_limit integer) returns uuid
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
create or replace function history_remove(p_id uuid, p_after uuid, p_limit integer) returns uuid
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
drop function history_cutoff(text);
drop function history_now();
alter table history_archives drop column confirmed_at;
delete from leases a using leases b where a.name = b.name and a.family > b.family;
alter table leases drop constraint leases_pkey;
alter table leases drop column family;
alter table leases add primary key (name);
create or replace function lease_take(p_name text, p_holder text, p_guarded boolean, p_seconds integer) returns bigint
  language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
declare
  taken bigint;
begin
  insert into leases (name, fence, holder, guarded, expires_at)
    values (p_name, 1, p_holder, p_guarded, clock_timestamp() + make_interval(secs => p_seconds))
    on conflict (name) do nothing returning fence into taken;
  if taken is not null then return taken; end if;
  perform from leases l where l.name = p_name and (p_guarded and l.guarded or l.expires_at <= clock_timestamp());
  if not found then return null; end if;
  perform from leases l where l.name = p_name for update;
  update leases l set fence = l.fence + 1, holder = p_holder, guarded = p_guarded, taken_at = clock_timestamp(),
      renewed_at = clock_timestamp(), expires_at = clock_timestamp() + make_interval(secs => p_seconds)
    where l.name = p_name and (p_guarded and l.guarded or l.expires_at <= clock_timestamp()) returning l.fence into taken;
  return taken;
end
$$;
create or replace function lease_renew(p_name text, p_fence bigint, p_guarded boolean, p_seconds integer) returns boolean
  language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
begin
  update leases l set guarded = p_guarded, renewed_at = clock_timestamp(),
      expires_at = clock_timestamp() + make_interval(secs => p_seconds)
    where l.name = p_name and l.fence = p_fence;
  return found;
end
$$;
create or replace function lease_leave(p_name text, p_fence bigint) returns void
  language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
begin
  update leases l set expires_at = clock_timestamp() where l.name = p_name and l.fence = p_fence;
end
$$;
create or replace function lease_hold(p_name text, p_fence bigint) returns void
  language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
begin
  perform from leases l where l.name = p_name and l.fence = p_fence and l.expires_at > clock_timestamp() for key share;
  if not found then
    raise exception 'the lease % is not held under fence % any more', p_name, p_fence using errcode = 'GP012';
  end if;
end
$$;
