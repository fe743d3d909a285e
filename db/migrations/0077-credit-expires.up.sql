-- Credit that was granted expires. What is left of each grant is counted along the chain of the ledger.

create table credit_grants (
  -- The entry of the ledger that gave it.
  id uuid primary key,
  organization_id uuid not null,
  currency text not null,
  amount_minor bigint not null check (amount_minor > 0),
  -- What was neither used, taken back nor expired.
  left_minor bigint not null,
  expired_minor bigint not null default 0 check (expired_minor >= 0),
  -- Null: never.
  expires_at timestamptz,
  -- The last link of the ledger's chain that was counted.
  counted_to bigint not null check (counted_to >= 0),
  created_at timestamptz not null default act_time(),
  foreign key (organization_id, currency) references billing_accounts (organization_id, currency),
  constraint credit_grants_left check (left_minor >= 0 and left_minor + expired_minor <= amount_minor)
);
create index credit_grants_account on credit_grants (organization_id, currency);
create index credit_grants_page on credit_grants (organization_id, id);
create index credit_grants_open on credit_grants (organization_id, counted_to) where left_minor > 0;
create index credit_grants_expiry on credit_grants (expires_at) where left_minor > 0 and expires_at is not null;

-- Each grant of the ledger has its row, whoever enters it. The name puts it behind `seal`, which numbers the link.
create function credit_grant_open() returns trigger
  language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
begin
  insert into credit_grants (id, organization_id, currency, amount_minor, left_minor, counted_to)
    select n.id, n.organization_id, n.currency, n.amounts[1], n.amounts[1], b.seal_number
    from new_entries n join billing_accounts b on b.organization_id = n.organization_id where n.kind = 'grant';
  return null;
end
$$;
create trigger track_credit after insert on ledger_entries referencing new table as new_entries
  for each statement execute function credit_grant_open();

insert into credit_grants (id, organization_id, currency, amount_minor, left_minor, counted_to, created_at)
  select e.id, e.organization_id, e.currency, e.amounts[1], e.amounts[1], s.number, e.at
  from ledger_entries e join ledger_seals s on s.organization_id = e.organization_id and e.id = any (s.entry_ids)
  where e.kind = 'grant';

-- Guards.
create trigger guard_act before insert or update or delete or truncate on credit_grants
  for each statement execute function guard_act();
create constraint trigger guard_audit after insert or update or delete on credit_grants
  deferrable initially deferred for each row execute function guard_audit();

-- Walls.
alter table credit_grants enable row level security;
create policy reach on credit_grants using (within_wall(organization_id));
-- The worker also takes back what has expired.
drop policy charges on ledger_entries;
create policy charges on ledger_entries for insert to gpuaas_billing with check (
  kind in ('usage', 'top_up', 'refund', 'hold', 'hold_release')
  or kind = 'correction' and accounts in ('{customer,payments}', '{customer,tax,payments}', '{customer,grants}'));

-- Who may do what.
grant select, update on credit_grants to gpuaas_api, gpuaas_billing;
grant execute on function credit_grant_open() to gpuaas_api, gpuaas_billing;
