import { sliceSku, stockFleet } from '../../src/domains/allocations/testing.ts';
import { systemIds } from '../../src/kernel/id.ts';
import { keepMethod, listMethods } from '../../src/ports/payments/simulated/cards.ts';
import { openTables } from '../../src/ports/payments/simulated/tables.ts';
import { asSystem, type Tenant, type World } from '../../src/testing/world.ts';
import type { MakeExample } from './examples.ts';

const organization: MakeExample = async (_, tenant) => ({ params: { organization_id: tenant.organizationId } });
let count = 1_000;

/** A card that the simulated provider keeps for an organization. */
async function putCard(world: World, { organizationId }: Tenant): Promise<string> {
  const customer = `cus_sim_${organizationId}`;
  await asSystem(
    world.root,
    `insert into payment_customers (organization_id, provider, customer_id) values ($1, 'simulated', $2) on conflict do nothing`,
    [organizationId, customer],
  );
  const tables = openTables(world.schema.url);
  try {
    count += 1;
    await keepMethod(tables, customer, String(count));
    return (await listMethods(tables, customer))[0]?.id ?? '';
  } finally {
    await tables.close();
  }
}
async function putGrant(world: World, tenant: Tenant): Promise<string> {
  const id = systemIds.next();
  await asSystem(
    world.root,
    `insert into ledger_entries (id, organization_id, currency, kind, accounts, amounts, actor_id, correlation_id, reason)
     values ($1, $2, 'USD', 'grant', '{customer,grants}', '{2500,-2500}', 'x', 'x', 'an example')`,
    [id, tenant.organizationId],
  );
  return id;
}
async function putAdjustment(world: World, tenant: Tenant): Promise<string> {
  const [id, grant] = [systemIds.next(), await putGrant(world, tenant)];
  await asSystem(
    world.root,
    `insert into billing_adjustments (id, organization_id, currency, amount_minor, line_id, line_kind, corrects, reason,
       needs_approval, requested_by, expires_at)
     values ($1, $2, 'USD', -100, $3, 'grant', $3, 'an example', true, 'x', act_time() + interval '1 hour')`,
    [id, tenant.organizationId, grant],
  );
  return id;
}
async function putPrice(world: World, tenant: Tenant): Promise<string> {
  const id = systemIds.next();
  await stockFleet(world.root);
  await asSystem(
    world.root,
    `insert into negotiated_prices (id, organization_id, sku, currency, unit_price_minor, effective_from, reason, created_by)
     values ($1, $2, $3, 'USD', 100, timestamptz '2020-01-01 00:00Z' + $4 * interval '1 minute', 'an example', 'x')`,
    [id, tenant.organizationId, sliceSku, count++],
  );
  return id;
}
const card: MakeExample = async (world, tenant) => ({
  params: { organization_id: tenant.organizationId, method_id: await putCard(world, tenant) },
});

export const moneyExamples: Readonly<Record<string, MakeExample>> = {
  admin_adjustment_approve: async (world, tenant) => ({
    params: { adjustment_id: await putAdjustment(world, tenant) },
    body: {},
  }),
  admin_adjustment_create: async (world, tenant) => ({
    params: { organization_id: tenant.organizationId },
    body: {
      ...{ amount_minor: '-100', currency: 'USD', corrects: await putGrant(world, tenant), reason: 'an example' },
    },
  }),
  admin_adjustment_list: async () => ({}),
  admin_adjustment_reject: async (world, tenant) => ({
    params: { adjustment_id: await putAdjustment(world, tenant) },
    body: { note: 'an example' },
  }),
  admin_billing_credit_list: organization,
  admin_billing_ledger_list: organization,
  admin_price_book_add: async (world, tenant) => {
    await stockFleet(world.root);
    return {
      params: { organization_id: tenant.organizationId },
      body: { sku: sliceSku, unit_price_minor: String(count++), currency: 'USD', reason: 'an example' },
    };
  },
  admin_price_book_end: async (world, tenant) => ({
    params: { organization_id: tenant.organizationId, price_id: await putPrice(world, tenant) },
    body: {},
  }),
  admin_price_book_list: organization,
  admin_storage_price_add: async () => ({
    body: {
      currency: 'USD',
      rate_micro: String(count++),
      effective_from: `2099-01-01T00:${String(count % 60).padStart(2, '0')}:00Z`,
      reason: 'an example',
    },
  }),
  admin_storage_price_list: async () => ({}),
  auto_top_up_get: organization,
  auto_top_up_set: async (world, tenant) => {
    await putCard(world, tenant);
    return {
      params: { organization_id: tenant.organizationId },
      body: {
        ...{ enabled: false, currency: 'USD', threshold_minor: String(count++), amount_minor: '2000' },
        monthly_limit_minor: '9000',
      },
    };
  },
  billing_credit_list: organization,
  payment_method_add: async (_, tenant) => ({
    params: { organization_id: tenant.organizationId },
    body: { return_to: `/billing/${count++}` },
  }),
  payment_method_list: organization,
  payment_method_remove: card,
  payment_method_set_default: card,
  price_book_list: organization,
};
