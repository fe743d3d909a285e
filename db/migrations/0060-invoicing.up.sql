-- Documents about money: whose name stands on them, their numbers, and what becomes of invoices.

-- The company that runs the installation. One row.
create table billing_seller (
  only_row boolean primary key default true check (only_row),
  legal_name text not null check (length(legal_name) between 1 and 200),
  address_lines text[] not null check (cardinality(address_lines) between 1 and 3),
  postal_code text,
  city text not null,
  country text not null check (country ~ '^[A-Z]{2}$'),
  tax_id text,
  updated_at timestamptz not null default act_time()
);

-- Whom an organization wants on its documents. May be changed; documents keep a copy.
create table billing_details (
  organization_id uuid primary key references organizations,
  legal_name text not null check (length(legal_name) between 1 and 200),
  address_lines text[] not null check (cardinality(address_lines) between 1 and 3),
  postal_code text,
  city text not null,
  country text not null check (country ~ '^[A-Z]{2}$'),
  tax_id text,
  customer_type text not null check (customer_type in ('business', 'consumer')),
  invoice_email text,
  updated_at timestamptz not null default act_time()
);

-- The last number of each series. Whoever issues a document takes the next one in its own transaction, so that a number is
-- used if and only if its document is committed.
create table billing_series (
  series text primary key check (series in ('invoice', 'credit_note', 'receipt')),
  last bigint not null default 0 check (last >= 0)
);
insert into billing_series (series) values ('invoice'), ('credit_note'), ('receipt');

create table billing_documents (
  id uuid primary key,
  organization_id uuid not null,
  currency text not null,
  kind text not null check (kind in ('invoice', 'credit_note', 'receipt', 'statement')),
  number text not null unique check (length(number) between 1 and 60),
  -- Statements have none: they are numbered by their month.
  series text references billing_series,
  sequence bigint check (sequence > 0),
  -- The number before. It refers to a document, and documents are never removed, so a series has no gaps.
  sequence_before bigint generated always as (nullif(sequence - 1, 0)) stored,
  issued_at timestamptz not null,
  period_from date,
  period_to date,
  -- The entry of the ledger that a receipt or a credit note is about.
  entry_id uuid,
  -- The document that a credit note takes back.
  refers_to uuid references billing_documents,
  tax_minor bigint not null,
  total_minor bigint not null,
  -- Canonical JSON: what the document says.
  content text not null,
  content_sha256 bytea not null,
  -- What its PDF is, as made by this version of the renderer.
  renderer text not null,
  pdf_sha256 bytea not null check (length(pdf_sha256) = 32),
  unique (series, sequence),
  foreign key (series, sequence_before) references billing_documents (series, sequence),
  foreign key (organization_id, currency) references billing_accounts (organization_id, currency),
  constraint billing_documents_series check ((kind = 'statement') = (series is null)
    and (series is null) = (sequence is null) and (series is null or series = kind)),
  constraint billing_documents_period check ((kind in ('invoice', 'statement')) <= (period_from is not null)
    and (period_from is null) = (period_to is null) and period_from < period_to),
  constraint billing_documents_about check ((kind = 'receipt') <= (entry_id is not null)),
  constraint billing_documents_digest check (content_sha256 = sha256(convert_to(content, 'UTF8')))
);
create index billing_documents_account on billing_documents (organization_id, currency);
create index billing_documents_page on billing_documents (organization_id, id);
create index billing_documents_refers_to on billing_documents (refers_to);
create index billing_documents_before on billing_documents (series, sequence_before);
create unique index billing_documents_statement on billing_documents (organization_id, period_from) where kind = 'statement';
create unique index billing_documents_entry on billing_documents (entry_id);

create table invoices (
  id uuid primary key,
  organization_id uuid not null,
  currency text not null,
  state text not null default 'draft',
  version bigint not null default 1,
  period_from date not null,
  period_to date not null,
  net_minor bigint not null check (net_minor >= 0),
  tax_minor bigint not null check (tax_minor >= 0),
  document_id uuid unique references billing_documents,
  credit_note_id uuid unique references billing_documents,
  -- The entry of the ledger that its payment made.
  entry_id uuid unique,
  note text check (length(note) between 1 and 500),
  created_at timestamptz not null default act_time(),
  finalise_at timestamptz not null,
  due_at timestamptz,
  past_due_at timestamptz,
  reminders integer not null default 0 check (reminders >= 0),
  remind_at timestamptz,
  settled_at timestamptz,
  unique (organization_id, period_from),
  foreign key (organization_id, currency) references billing_accounts (organization_id, currency),
  constraint invoices_period check (period_to > period_from),
  constraint invoices_numbered check ((state in ('final', 'past_due', 'paid')) <= (document_id is not null and due_at is not null)),
  constraint invoices_draft check ((state = 'draft') <= (document_id is null)),
  constraint invoices_paid check ((state = 'paid') = (entry_id is not null)),
  constraint invoices_void check ((state = 'void' and document_id is not null) = (credit_note_id is not null)),
  constraint invoices_settled check ((state in ('paid', 'void')) = (settled_at is not null))
);
create index invoices_account on invoices (organization_id, currency);
create index invoices_page on invoices (organization_id, id);
create index invoices_state on invoices (state, id);
create index invoices_finalise on invoices (finalise_at) where state = 'draft';
create index invoices_due on invoices (due_at) where state = 'final';
create index invoices_remind on invoices (remind_at) where state = 'past_due';

-- The smallest id of a moment: ids sort by time.
create function id_floor(p_at timestamptz) returns uuid language sql immutable
  return (select (substr(h.t, 1, 8) || '-' || substr(h.t, 9, 4) || '-0000-0000-000000000000')::uuid
    from (select lpad(to_hex((extract(epoch from p_at) * 1000)::bigint), 12, '0') as t) h);
grant execute on function id_floor(timestamptz) to gpuaas_api, gpuaas_billing;

-- Tax is paid with the payment: what of its amount is tax, and why that much. What was paid is split in the same proportion.
alter table payment_sessions add column tax_minor bigint not null default 0,
  add column tax_treatment jsonb,
  add constraint payment_sessions_tax check (tax_minor >= 0 and tax_minor < amount_minor);
alter table payment_refunds add column tax_minor bigint not null default 0,
  add constraint payment_refunds_tax check (tax_minor >= 0 and tax_minor < amount_minor);
-- A correction of a payment moves its tax as well.
alter table ledger_entries drop constraint ledger_entries_kind, add constraint ledger_entries_kind check ((
    case kind
      when 'usage' then accounts = '{customer,revenue}' and amounts[1] < 0
      when 'grant' then accounts = '{customer,grants}' and amounts[1] > 0
      when 'top_up' then accounts in ('{customer,payments}', '{customer,tax,payments}') and amounts[1] > 0
      when 'refund' then accounts in ('{customer,payments}', '{customer,tax,payments}') and amounts[1] < 0
      when 'hold' then accounts = '{customer,held}' and amounts[1] < 0
      when 'hold_release' then accounts = '{customer,held}' and amounts[1] > 0
      when 'tax' then accounts = '{customer,tax}'
      when 'correction' then accounts in ('{customer,revenue}', '{customer,grants}', '{customer,payments}', '{customer,tax}',
        '{customer,tax,payments}')
      else false end
  ) is true);
drop policy charges on ledger_entries;
create policy charges on ledger_entries for insert to gpuaas_billing
  with check (kind in ('usage', 'top_up', 'refund', 'hold', 'hold_release')
    or (kind = 'correction' and accounts in ('{customer,payments}', '{customer,tax,payments}')));

-- What receipts and credit notes are made from.
create index ledger_entries_paid on ledger_entries (id) where kind in ('top_up', 'refund');

insert into machine_edges (machine, from_state, to_state) values
  ('invoice', '', 'draft'),
  ('invoice', 'draft', 'final'),
  ('invoice', 'draft', 'void'),
  ('invoice', 'final', 'paid'),
  ('invoice', 'final', 'past_due'),
  ('invoice', 'final', 'void'),
  ('invoice', 'past_due', 'paid'),
  ('invoice', 'past_due', 'void');

-- Guards.
create trigger guard_act before insert or update or delete or truncate on billing_seller
  for each statement execute function guard_act();
create constraint trigger guard_audit after insert or update or delete on billing_seller
  deferrable initially deferred for each row execute function guard_audit();
create trigger guard_act before insert or update or delete or truncate on billing_details
  for each statement execute function guard_act();
create constraint trigger guard_audit after insert or update or delete on billing_details
  deferrable initially deferred for each row execute function guard_audit();
create trigger guard_act before insert or update or delete or truncate on billing_series
  for each statement execute function guard_act();
create constraint trigger guard_audit after insert or update or delete on billing_series
  deferrable initially deferred for each row execute function guard_audit();
create trigger guard_act before insert or update or delete or truncate on billing_documents
  for each statement execute function guard_act();
create constraint trigger guard_audit after insert or update or delete on billing_documents
  deferrable initially deferred for each row execute function guard_audit();
create trigger guard_append_only before update or delete on billing_documents
  for each row execute function guard_append_only();
create trigger guard_truncate before truncate on billing_documents for each statement execute function guard_append_only();
create trigger guard_act before insert or update or delete or truncate on invoices
  for each statement execute function guard_act();
create constraint trigger guard_audit after insert or update or delete on invoices
  deferrable initially deferred for each row execute function guard_audit();
create trigger guard_machine before insert or update on invoices for each row execute function guard_machine('invoice');

-- Walls.
alter table billing_details enable row level security;
create policy reach on billing_details using (within_wall(organization_id));
alter table billing_documents enable row level security;
create policy reach on billing_documents using (within_wall(organization_id));
alter table invoices enable row level security;
create policy reach on invoices using (within_wall(organization_id));

-- Who may do what: the worker issues documents, the api as well when finance decides.
grant select, insert, update on billing_seller to gpuaas_api;
grant select on billing_seller to gpuaas_billing;
grant select, insert, update on billing_details to gpuaas_api;
grant select on billing_details to gpuaas_billing;
grant select, update on billing_series to gpuaas_api, gpuaas_billing;
grant select, insert on billing_documents to gpuaas_api, gpuaas_billing;
grant select, update on invoices to gpuaas_api;
grant select, insert, update on invoices to gpuaas_billing;

-- Events that each family but the api may leave, with those of documents.
create or replace function event_of_family(p_family text, p_subject text) returns boolean language sql immutable
  return case p_family
    when 'gpuaas_worker' then p_subject in (
      'provisioning.active',
      'provisioning.alert.changed',
      'provisioning.alert.closed',
      'provisioning.alert.opened',
      'provisioning.attested',
      'provisioning.breaker.tripped',
      'provisioning.cleanup.requested',
      'provisioning.drain_called_off',
      'provisioning.drain_notice',
      'provisioning.failed',
      'provisioning.idle',
      'provisioning.node.admitted',
      'provisioning.node.drained',
      'provisioning.node.lost',
      'provisioning.node.quarantined',
      'provisioning.node.reimaged',
      'provisioning.node.removed',
      'provisioning.node.returned',
      'provisioning.queued',
      'provisioning.release_failed',
      'provisioning.releasing.completed',
      'provisioning.releasing.requested',
      'provisioning.requested',
      'provisioning.retried',
      'tenancy.project.removal_failed',
      'tenancy.project.removed'
    )
    when 'gpuaas_billing' then p_subject in (
      'billing.auto_release_pending',
      'billing.balance_depleted',
      'billing.balance_recovered',
      'billing.document_issued',
      'billing.invoice_past_due',
      'billing.low_balance_warning',
      'payments.balance_credited',
      'payments.reconcile_failed',
      'provisioning.force_release_requested'
    )
    else false
  end;
