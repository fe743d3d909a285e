import { systemIds } from '../../src/kernel/id.ts';
import { asSystem, type Tenant, type World } from '../../src/testing/world.ts';
import type { MakeExample } from './examples.ts';

/** Two examples in a row differ. */
let asked = 0;
const nothing: MakeExample = async () => ({});

/** A webhook of the tenant, so that what changes one does not disturb others. */
async function freshWebhook(world: World, tenant: Tenant) {
  const made = await world.call('POST', `/api/v1/organizations/${tenant.organizationId}/webhooks`, {
    as: tenant.token,
    key: systemIds.next(),
    body: { url: 'https://example.com/hook' },
  });
  return { organization_id: tenant.organizationId, webhook_id: made.body.id as string };
}
const ofWebhook: MakeExample = async (world, tenant) => ({ params: await freshWebhook(world, tenant) });
async function freshDelivery(world: World, params: { organization_id: string; webhook_id: string }): Promise<string> {
  const id = systemIds.next();
  await asSystem(
    world.root,
    `insert into webhook_deliveries (id, organization_id, webhook_id, event_id, event_type, body, due_at)
     values ($1, $2, $3, $1, 'provisioning.active', '{}', '2999-01-01')`,
    [id, params.organization_id, params.webhook_id],
  );
  return id;
}

export const notificationExamples: Readonly<Record<string, MakeExample>> = {
  webhook_list: async (_, tenant) => ({ params: { organization_id: tenant.organizationId } }),
  webhook_create: async (_, tenant) => ({
    params: { organization_id: tenant.organizationId },
    body: { url: `https://example.com/${systemIds.next()}` },
  }),
  webhook_update: async (world, tenant) => ({
    params: await freshWebhook(world, tenant),
    body: { description: systemIds.next() },
  }),
  webhook_delete: ofWebhook,
  webhook_rotate: ofWebhook,
  webhook_delivery_list: ofWebhook,
  webhook_resend: async (world, tenant) => {
    const params = await freshWebhook(world, tenant);
    return { params: { ...params, delivery_id: await freshDelivery(world, params) } };
  },
  notification_list: nothing,
  notification_count: nothing,
  notification_read: async () => ({ body: { ids: [systemIds.next()] } }),
  notification_preferences_get: nothing,
  notification_preference_set: async () => {
    asked += 1;
    return { params: { kind: 'allocation_idle' }, body: { mail: asked % 2 ? 'daily' : 'none', inbox: asked % 4 < 2 } };
  },
};
