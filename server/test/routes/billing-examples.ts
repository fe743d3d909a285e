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

export const billingExamples: Readonly<Record<string, MakeExample>> = {
  admin_billing_account_list: async () => ({}),
  admin_billing_grant_create: async (_, tenant) => ({
    params: { organization_id: tenant.organizationId },
    body: { amount_minor: '100', currency: 'USD', reason: 'an example' },
  }),
  billing_balance_get: organization,
  billing_ledger_list: organization,
  billing_ledger_verify: organization,
  billing_proof_get: async (world, tenant) => ({
    params: { organization_id: tenant.organizationId, line_id: await putLine(world, tenant) },
  }),
  billing_usage_get: organization,
  billing_window_list: async (world, tenant) => ({
    params: { organization_id: tenant.organizationId, line_id: await putLine(world, tenant) },
  }),
  project_usage_get: async () => ({}),
};
