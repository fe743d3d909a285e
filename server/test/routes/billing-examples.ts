import { systemIds } from '../../src/kernel/id.ts';
import { asSystem, type Tenant, type World } from '../../src/testing/world.ts';
import type { MakeExample } from './examples.ts';

const organization: MakeExample = async (_, tenant) => ({ params: { organization_id: tenant.organizationId } });

async function putLine(world: World, tenant: Tenant): Promise<string> {
  const id = systemIds.next();
  await asSystem(
    world.root,
    `insert into usage_days (id, organization_id, day, resource_id, meter, project_id, sku, currency, requested_by,
       quantity_ms, amount_minor, windows)
     values ($1, $2, '2026-01-01', $1, 'gpu_time', $3, 'x', 'USD', 'x', 1, 1, 1)`,
    [id, tenant.organizationId, tenant.projectId],
  );
  return id;
}

async function putPayment(world: World, tenant: Tenant): Promise<string> {
  const [id, entryId] = [systemIds.next(), systemIds.next()];
  await asSystem(
    world.root,
    `with entry as (insert into ledger_entries (id, organization_id, currency, kind, accounts, amounts, actor_id, correlation_id)
       values ($3, $2, 'USD', 'top_up', '{customer,payments}', '{2500,-2500}', 'x', 'x'))
     insert into payment_sessions (id, organization_id, currency, amount_minor, provider, checkout_id, payment_id, url,
       requested_by, expires_at, state, credited_minor, credit_entry_id, settled_at)
     values ($1, $2, 'USD', 2500, 'simulated', $1::uuid::text, $1::uuid::text, 'http://x/', 'x', '2026-01-01', 'open', 0, $3, act_time())`,
    [id, tenant.organizationId, entryId],
  );
  await asSystem(
    world.root,
    `update payment_sessions set state = 'paid', credited_minor = 2500, version = version + 1 where id = $1`,
    [id],
  );
  return id;
}
/** A document of each kind of life: issued, and a draft of an invoice. */
async function putDocument(world: World, tenant: Tenant): Promise<string> {
  const id = systemIds.next();
  const content = JSON.stringify({
    ...{ version: 1, kind: 'statement', number: `ST-${id}`, issued_on: '2026-02-01', currency: 'USD' },
    ...{ period: { from: '2026-01-01', to: '2026-02-01' }, due_on: null, refers_to: null, seller: null, lines: [] },
    customer: { legal_name: 'x', address_lines: [], postal_code: null, city: null, country: null, tax_id: null },
    ...{ tax: null, balance: { opening_minor: '0', closing_minor: '0' } },
  });
  await asSystem(
    world.root,
    `insert into billing_documents (id, organization_id, currency, kind, number, issued_at, period_from, period_to, tax_minor,
       total_minor, content, content_sha256, renderer, pdf_sha256)
     values ($1, $2, 'USD', 'statement', 'ST-' || $1::uuid::text, '2026-02-01', date '1970-01-01' + $4::int,
       date '1970-01-01' + $4::int + 1, 0, 0, $3, sha256(convert_to($3, 'UTF8')), 'x', sha256('x'))`,
    [id, tenant.organizationId, content, days++],
  );
  return id;
}
let days = 0;
async function putDraft(world: World, tenant: Tenant): Promise<string> {
  const id = systemIds.next();
  await asSystem(
    world.root,
    `insert into invoices (id, organization_id, currency, period_from, period_to, net_minor, tax_minor, finalise_at)
     values ($1, $2, 'USD', date '1970-01-01' + $3::int, date '1970-01-01' + $3::int + 1, 100, 0, act_time())`,
    [id, tenant.organizationId, days++],
  );
  return id;
}
async function putFinal(world: World, tenant: Tenant): Promise<string> {
  const [id, document] = [await putDraft(world, tenant), await putDocument(world, tenant)];
  await asSystem(
    world.root,
    `update invoices set state = 'final', document_id = $2, due_at = act_time(), version = version + 1 where id = $1`,
    [id, document],
  );
  return id;
}
const party = {
  ...{ legal_name: 'Lab', address_lines: ['1 Street'], postal_code: null, city: 'Bonn', country: 'DE', tax_id: null },
};
const details = { ...party, customer_type: 'business', invoice_email: null };
const documentOf: MakeExample = async (world, tenant) => ({
  params: { organization_id: tenant.organizationId, document_id: await putDocument(world, tenant) },
});
async function putBudget(world: World, tenant: Tenant): Promise<string> {
  const id = systemIds.next();
  await asSystem(
    world.root,
    `insert into budgets (id, organization_id, name, scope, subject, soft_minor, created_by)
     values ($1, $2, 'Example', 'tag', 'id=' || $1::uuid, 100, 'x')`,
    [id, tenant.organizationId],
  );
  return id;
}
let amounts = 1_000;
/** Each of another amount, so that two of them are two requests. */
const payment = () => {
  amounts += 1;
  return { amount_minor: String(amounts), currency: 'USD' };
};

export const billingExamples: Readonly<Record<string, MakeExample>> = {
  admin_billing_account_list: async () => ({}),
  admin_billing_grant_create: async (_, tenant) => ({
    params: { organization_id: tenant.organizationId },
    body: { amount_minor: '100', currency: 'USD', reason: 'an example' },
  }),
  admin_billing_revenue_get: async () => ({}),
  admin_invoice_finalise: async (world, tenant) => ({ params: { invoice_id: await putDraft(world, tenant) } }),
  admin_invoice_list: async () => ({}),
  admin_invoice_pay: async (world, tenant) => ({
    params: { invoice_id: await putFinal(world, tenant) },
    body: { reason: 'an example' },
  }),
  admin_invoice_void: async (world, tenant) => ({
    params: { invoice_id: await putDraft(world, tenant) },
    body: { reason: 'an example' },
  }),
  admin_seller_get: async () => ({}),
  admin_seller_set: async () => ({ body: { ...party, city: `Bonn ${days++}` } }),
  admin_payment_list: async () => ({}),
  admin_payment_refund: async (world, tenant) => ({
    params: { payment_id: await putPayment(world, tenant) },
    body: { ...payment(), reason: 'an example' },
  }),
  budget_list: organization,
  budget_create: async (_, tenant) => ({
    params: { organization_id: tenant.organizationId },
    body: {
      ...{ name: 'Example', scope: 'tag', subject: `id=${systemIds.next()}`, currency: 'USD', soft_minor: '100' },
    },
  }),
  budget_update: async (world, tenant) => ({
    params: { organization_id: tenant.organizationId, budget_id: await putBudget(world, tenant) },
    body: { hard_minor: '200' },
  }),
  budget_remove: async (world, tenant) => ({
    params: { organization_id: tenant.organizationId, budget_id: await putBudget(world, tenant) },
  }),
  billing_balance_get: organization,
  billing_details_get: organization,
  billing_details_set: async (_, tenant) => ({
    params: { organization_id: tenant.organizationId },
    body: { ...details, city: `Bonn ${days++}` },
  }),
  billing_document_file_get: documentOf,
  billing_document_get: documentOf,
  billing_document_list: organization,
  billing_document_verify: documentOf,
  billing_last_release_get: organization,
  billing_ledger_list: organization,
  billing_ledger_verify: organization,
  billing_proof_get: async (world, tenant) => ({
    params: { organization_id: tenant.organizationId, line_id: await putLine(world, tenant) },
  }),
  billing_forecast_get: organization,
  billing_idle_get: organization,
  billing_ledger_export: organization,
  billing_usage_export: async (_, tenant) => ({
    params: { organization_id: tenant.organizationId },
    query: 'format=csv',
  }),
  billing_usage_get: organization,
  billing_usage_list: organization,
  billing_window_list: async (world, tenant) => ({
    params: { organization_id: tenant.organizationId, line_id: await putLine(world, tenant) },
  }),
  payment_options_get: organization,
  payment_session_create: async (_, tenant) => ({
    params: { organization_id: tenant.organizationId },
    body: payment(),
  }),
  payment_session_get: async (world, tenant) => ({
    params: { organization_id: tenant.organizationId, session_id: await putPayment(world, tenant) },
  }),
  payment_session_list: organization,
  project_usage_get: async () => ({}),
  project_usage_list: async () => ({ query: 'group_by=allocation' }),
};
