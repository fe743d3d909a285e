drop function history_sizes(), history_remove(uuid, uuid, integer), history_archived(uuid, bigint, bigint, text), history_rows(uuid),
  history_allocations(uuid), history_audit_rows(uuid, text, bigint, integer), history_begin(uuid, text, timestamptz, integer);
drop index node_tasks_of_nodes;
drop index allocations_ended;
drop table history_links;
drop table history_archives;
create or replace function guard_append_only() returns trigger language plpgsql as $$
begin
  raise exception '% only grows: % is refused', tg_table_name, lower(tg_op)
    using errcode = 'GP003', hint = 'Corrections are new rows.';
end
$$;

revoke execute on function ledger_months_ahead(timestamptz) from gpuaas_relay;
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
      execute format('create table ledger_months.%I partition of public.%I for values from (%L) to (%L)', child,
        parent.name, month, month + interval '1 month');
      made := made + 1;
    end loop;
  end loop;
  return made;
end
$$;

create table audit_logs_whole (like audit_logs including defaults including constraints);
insert into audit_logs_whole select * from audit_logs;
drop table audit_logs;
alter table audit_logs_whole rename to audit_logs;
alter table audit_logs add constraint audit_logs_pkey primary key (id);
create index audit_logs_actor on audit_logs (actor_id, id);
create index audit_logs_correlation on audit_logs (correlation_id);
create index audit_logs_organization on audit_logs (organization_id, id) where organization_id is not null;
create index audit_logs_project on audit_logs (project_id, id) where project_id is not null;
create index audit_logs_target on audit_logs (target_id, id);
create index audit_logs_transaction on audit_logs (transaction_id, id);
create trigger guard_append_only before update or delete on audit_logs for each row execute function guard_append_only();
create trigger guard_truncate before truncate on audit_logs for each statement execute function guard_append_only();
alter table audit_logs enable row level security;
create policy reach on audit_logs for select using (within_wall(organization_id));
create policy sealer on audit_logs for select to gpuaas_relay using (true);
grant select on audit_logs to gpuaas_api, gpuaas_relay, gpuaas_worker;
alter table audit_seals add constraint audit_seals_audit_id_fkey foreign key (audit_id) references audit_logs (id);
