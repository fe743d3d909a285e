-- Money: one account for each organization and a ledger that only grows.

do $$
begin
  if not exists (select from pg_roles where rolname = 'gpuaas_billing') then
    create role gpuaas_billing nologin nosuperuser nocreatedb nocreaterole nobypassrls;
  end if;
exception
  when duplicate_object or unique_violation then null;
end
$$;
grant usage on schema public to gpuaas_billing;

-- Months lie in a schema of their own, which no role may enter: rows are reached through the tables that they belong to.
create schema ledger_months;

-- One account for each organization, in its currency, which cannot change any more: the key says so. The balance is the sum
-- of the ledger, and only the trigger of the ledger changes it.

alter table organizations add constraint organizations_id_currency_key unique (id, currency);

create table billing_accounts (
  organization_id uuid primary key,
  currency text not null,
  -- What the organization may spend, before tax; below zero it owes.
  balance_minor bigint not null default 0,
  -- What is set aside for what was ordered.
  held_minor bigint not null default 0 check (held_minor >= 0),
  entries bigint not null default 0,
  seal_number bigint not null default 0,
  seal_hash bytea not null default '\x'::bytea,
  created_at timestamptz not null default act_time(),
  unique (organization_id, currency),
  foreign key (organization_id, currency) references organizations (id, currency)
);
insert into billing_accounts (organization_id, currency) select id, currency from organizations;

create function billing_account_open() returns trigger
  language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
begin
  insert into billing_accounts (organization_id, currency) values (new.id, new.currency);
  return null;
end
$$;
create trigger billing_account after insert on organizations for each row execute function billing_account_open();

-- The ledger. An entry is a set of postings over named accounts, as two lists of the same length: `customer` first, and the
-- amounts add up to nothing. Its kind says which accounts it may touch.

create function ledger_adds_up(p_accounts text[], p_amounts bigint[]) returns boolean language sql immutable
  return (select count(*) = cardinality(p_accounts) and count(distinct p.account) = count(*) and bool_and(p.amount <> 0)
      and sum(p.amount) = 0
    from unnest(p_accounts, p_amounts) p (account, amount));

create table ledger_entries (
  id uuid not null,
  organization_id uuid not null,
  currency text not null,
  kind text not null,
  at timestamptz not null default act_time(),
  accounts text[] not null,
  amounts bigint[] not null,
  project_id uuid,
  actor_id text not null,
  correlation_id text not null,
  reason text check (length(reason) between 1 and 500),
  -- The entry that this one sets right.
  corrects uuid,
  -- SHA-256 of the usage row that this entry charges.
  document bytea check (length(document) = 32),
  primary key (organization_id, currency, id, at),
  foreign key (organization_id, currency) references billing_accounts (organization_id, currency),
  constraint ledger_entries_add_up check ((
    array_ndims(accounts) = 1 and array_lower(accounts, 1) = 1 and array_lower(amounts, 1) = 1
    and cardinality(accounts) = cardinality(amounts) and accounts[1] = 'customer'
    and case cardinality(amounts)
      when 2 then amounts[1] + amounts[2] = 0 and amounts[1] <> 0 and accounts[2] <> 'customer'
      else cardinality(amounts) > 2 and ledger_adds_up(accounts, amounts) end
  ) is true),
  constraint ledger_entries_kind check ((
    case kind
      when 'usage' then accounts = '{customer,revenue}' and amounts[1] < 0
      when 'grant' then accounts = '{customer,grants}' and amounts[1] > 0
      when 'top_up' then accounts in ('{customer,payments}', '{customer,tax,payments}') and amounts[1] > 0
      when 'refund' then accounts in ('{customer,payments}', '{customer,tax,payments}') and amounts[1] < 0
      when 'hold' then accounts = '{customer,held}' and amounts[1] < 0
      when 'hold_release' then accounts = '{customer,held}' and amounts[1] > 0
      when 'tax' then accounts = '{customer,tax}'
      when 'correction' then accounts in ('{customer,revenue}', '{customer,grants}', '{customer,payments}', '{customer,tax}')
      else false end
  ) is true),
  constraint ledger_entries_usage
    check ((kind = 'usage') = (document is not null) and (kind = 'usage') = (project_id is not null)),
  constraint ledger_entries_reason check ((kind in ('grant', 'correction', 'refund')) <= (reason is not null)),
  constraint ledger_entries_corrects check ((kind = 'correction') = (corrects is not null))
) partition by range (at);
create table ledger_months.ledger_entries_rest partition of ledger_entries default;
-- Pages of a ledger: usage is shown by day.
create index ledger_entries_page on ledger_entries (organization_id, ((at at time zone 'UTC')::date), id)
  where kind <> 'usage';

create view ledger_postings with (security_invoker = true) as
  select e.id as entry_id, e.organization_id, e.currency, e.kind, e.at, p.account, p.amount as amount_minor
  from ledger_entries e cross join lateral unnest(e.accounts, e.amounts) p (account, amount);

-- The chain. Whatever one statement adds to an account is one link: it covers every column of each entry, the balance that
-- followed, and the link before.
create table ledger_seals (
  organization_id uuid not null references billing_accounts,
  number bigint not null check (number > 0),
  entry_ids uuid[] not null,
  first_at timestamptz not null,
  last_at timestamptz not null,
  amount_minor bigint not null,
  balance_minor bigint not null,
  held_minor bigint not null,
  hash bytea not null check (length(hash) = 32),
  created_at timestamptz not null default act_time(),
  primary key (organization_id, number)
);

create function ledger_text(
  p_id uuid, p_organization uuid, p_currency text, p_kind text, p_at timestamptz, p_accounts text[], p_amounts bigint[],
  p_project uuid, p_actor text, p_correlation text, p_reason text, p_corrects uuid, p_document bytea
) returns text language sql stable
  return p_id::text || chr(31) || p_organization::text || chr(31) || p_currency || chr(31) || p_kind || chr(31)
    || (extract(epoch from p_at) * 1000000)::bigint::text || chr(31) || array_to_string(p_accounts, ',') || chr(31)
    || array_to_string(p_amounts, ',') || chr(31) || coalesce(p_project::text, '') || chr(31) || p_actor || chr(31)
    || p_correlation || chr(31) || coalesce(p_reason, '') || chr(31) || coalesce(p_corrects::text, '') || chr(31)
    || coalesce(encode(p_document, 'hex'), '');

create function ledger_hash(
  p_before bytea, p_number bigint, p_balance bigint, p_held bigint, p_entries text
) returns bytea language sql stable
  return sha256(p_before || convert_to(
    p_number::text || chr(31) || p_balance::text || chr(31) || p_held::text || chr(31) || p_entries, 'UTF8'));

create function ledger_seal() returns trigger
  language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
begin
  perform 1 from billing_accounts b where b.organization_id in (select n.organization_id from new_entries n)
    order by b.organization_id for no key update;
  with added as (
    select n.organization_id, count(*) as entries, sum(n.amounts[1])::bigint as amount,
      coalesce(sum(n.amounts[2]) filter (where n.accounts[2] = 'held'), 0)::bigint as held,
      array_agg(n.id order by n.id) as ids, min(n.at) as first_at, max(n.at) as last_at,
      string_agg(ledger_text(n.id, n.organization_id, n.currency, n.kind, n.at, n.accounts, n.amounts, n.project_id,
        n.actor_id, n.correlation_id, n.reason, n.corrects, n.document), chr(30) order by n.id) as text
    from new_entries n group by n.organization_id
  ), moved as (
    update billing_accounts b set balance_minor = b.balance_minor + a.amount, held_minor = b.held_minor + a.held,
      entries = b.entries + a.entries, seal_number = b.seal_number + 1,
      seal_hash = ledger_hash(b.seal_hash, b.seal_number + 1, b.balance_minor + a.amount, b.held_minor + a.held, a.text)
    from added a where b.organization_id = a.organization_id
    returning b.organization_id, b.seal_number, a.ids, a.first_at, a.last_at, a.amount, b.balance_minor, b.held_minor,
      b.seal_hash
  )
  insert into ledger_seals (organization_id, number, entry_ids, first_at, last_at, amount_minor, balance_minor,
      held_minor, hash)
    select m.organization_id, m.seal_number, m.ids, m.first_at, m.last_at, m.amount, m.balance_minor, m.held_minor,
      m.seal_hash from moved m;
  return null;
end
$$;
create trigger seal after insert on ledger_entries referencing new table as new_entries
  for each statement execute function ledger_seal();

-- Makes the months that are needed soon. What came before its month was made stays where it is.
create function ledger_months_ahead(p_at timestamptz) returns integer
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

-- Guards.
create trigger guard_act before insert or update or delete or truncate on billing_accounts
  for each statement execute function guard_act();
create constraint trigger guard_audit after insert or update or delete on billing_accounts
  deferrable initially deferred for each row execute function guard_audit();
create trigger guard_act before insert or update or delete or truncate on ledger_entries
  for each statement execute function guard_act();
create constraint trigger guard_audit after insert or update or delete on ledger_entries
  deferrable initially deferred for each row execute function guard_audit();
create trigger guard_append_only before update or delete on ledger_entries
  for each row execute function guard_append_only();
create trigger guard_truncate before truncate on ledger_entries for each statement execute function guard_append_only();
create trigger guard_act before insert or update or delete or truncate on ledger_seals
  for each statement execute function guard_act();
create constraint trigger guard_audit after insert or update or delete on ledger_seals
  deferrable initially deferred for each row execute function guard_audit();
create trigger guard_append_only before update or delete on ledger_seals
  for each row execute function guard_append_only();
create trigger guard_truncate before truncate on ledger_seals for each statement execute function guard_append_only();

-- Walls.
alter table billing_accounts enable row level security;
create policy reach on billing_accounts using (within_wall(organization_id));
alter table ledger_entries enable row level security;
create policy reach on ledger_entries for select using (within_wall(organization_id));
-- The worker charges usage and nothing else; everything else is somebody's decision, and comes through the api.
create policy charges on ledger_entries for insert to gpuaas_billing with check (kind = 'usage');
create policy decisions on ledger_entries for insert to gpuaas_api
  with check (kind <> 'usage' and within_wall(organization_id));
alter table ledger_seals enable row level security;
create policy reach on ledger_seals for select using (within_wall(organization_id));

-- Who may do what.
grant select on billing_accounts, ledger_entries, ledger_postings, ledger_seals to gpuaas_api, gpuaas_billing;
grant insert on ledger_entries to gpuaas_api, gpuaas_billing;
grant select on schema_migrations, machine_edges, organizations, tenant_memberships, projects, policy_values, token_denials
  to gpuaas_billing;
grant execute on function act_id(), act_time(), mine(uuid), is_me(uuid), within_wall(uuid), within_self(uuid), guard_act(),
  guard_audit(), guard_machine(), guard_append_only(), act_look(text, text, text, text),
  act_view(text, text, text, text, text), act_open(text, text, text, text, text, text, text, text),
  act_begin(text, text, text, text, text, text, text, text, text) to gpuaas_billing;
grant execute on function act_commit(text, text, text, text, text, text, text, text, text, text, text, jsonb, text, text,
  text[], text[], text[], text[], text[], text, text, text, text, int, text, text) to gpuaas_billing;
grant execute on function ledger_adds_up(text[], bigint[]), ledger_seal(),
  ledger_text(uuid, uuid, text, text, timestamptz, text[], bigint[], uuid, text, text, text, uuid, bytea),
  ledger_hash(bytea, bigint, bigint, bigint, text) to gpuaas_api, gpuaas_billing;
grant execute on function billing_account_open() to gpuaas_api, gpuaas_worker;
grant execute on function ledger_months_ahead(timestamptz) to gpuaas_billing;
