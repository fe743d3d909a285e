import {
  type Webhook,
  type WebhookDelivery,
  webhookCreate,
  webhookDelete,
  webhookDeliveryList,
  webhookList,
  webhookResend,
  webhookRotate,
  webhookUpdate,
} from '@gpuaas/contract';
import { type Database, handlers, type Mounted } from '../../kernel/act.ts';
import type { Clock } from '../../kernel/clock.ts';
import { Fault } from '../../kernel/fault.ts';
import type { Ids } from '../../kernel/id.ts';
import { readPage } from '../../kernel/page.ts';
import type { Seal } from '../../kernel/secrets/seal.ts';
import { hourMs } from '../../kernel/units.ts';
import type { Webhooks } from '../../ports/webhooks/port.ts';
import { type DeliveryRow, listDeliveries, resendDelivery } from './deliveries-store.ts';
import { secretBytes } from './facts.ts';
import { secretPlace } from './secrets-store.ts';
import { secretOf } from './sign.ts';
import {
  deleteWebhook,
  endCurrentSecrets,
  findWebhook,
  holdAndCountWebhooks,
  insertSecret,
  insertWebhook,
  listWebhooks,
  updateWebhook,
  type WebhookRow,
  webhookExists,
} from './store.ts';
import { deliveriesChannel } from './worker.ts';

export interface WebhookParts {
  readonly db: Database;
  readonly ids: Ids;
  readonly clock: Clock;
  /** Seals the secrets; without it none is made. */
  readonly seal: Seal | undefined;
  readonly webhooks: Pick<Webhooks, 'objection'>;
  readonly policy: (key: 'webhooks.max_per_organization' | 'webhooks.secret_overlap_hours') => number;
}
const on = handlers<WebhookParts>();

const show = (row: WebhookRow): Webhook => ({
  id: row.id,
  organization_id: row.organization_id,
  url: row.url,
  description: row.description,
  event_types: row.event_types,
  enabled: row.disabled_reason === null,
  disabled_reason: row.disabled_reason,
  failing_since: row.failing_since?.toISOString() ?? null,
  secret_overlap_until: row.overlap_until?.toISOString() ?? null,
  created_at: row.created_at.toISOString(),
});
const showDelivery = (row: DeliveryRow): WebhookDelivery => ({
  ...row,
  due_at: row.outcome === 'waiting' ? row.due_at.toISOString() : null,
  created_at: row.created_at.toISOString(),
  settled_at: row.settled_at?.toISOString() ?? null,
});
const absent = () => new Fault('webhook_not_found', 'There is no such object.');
const keyless = () =>
  new Fault(
    'service_unavailable',
    'This installation has no sealing key for webhooks: its operator sets GPUAAS_SECRETS_KEY.',
  );
const target = (id: string) => ({ type: 'webhook', id });

const list = on(webhookList, ({ db }, who, { query }) =>
  readPage({
    name: 'webhooks',
    query,
    read: (after, limit) => db.read(who, (tx) => listWebhooks(tx, who.organizationId, after, limit)),
    keyOf: ({ id }) => id,
    show,
  }),
);

const create = on(webhookCreate, async (parts, act, { body }) => {
  const { ids, seal } = parts;
  if (!seal) return keyless();
  const objection = parts.webhooks.objection(body.url);
  if (objection !== undefined) return new Fault('webhook_url_refused', objection);
  return parts.db.write(act, async (tx) => {
    const most = parts.policy('webhooks.max_per_organization');
    if ((await holdAndCountWebhooks(tx, act.organizationId)) >= most) {
      return tx.abandon(new Fault('too_many_webhooks', `An organization may have ${most} webhooks: remove one first.`));
    }
    const row = {
      ...{ id: ids.next(), organization_id: act.organizationId, url: body.url },
      ...{ description: body.description ?? '', event_types: [...(body.event_types ?? [])] },
    };
    await insertWebhook(tx, row, act.actorId);
    const secret = await addSecret(tx, { ids, seal }, row);
    const shown = show({
      ...row,
      ...{ disabled_reason: null, failing_since: null, overlap_until: null, created_at: parts.clock.now() },
    });
    return tx.commit({ ...shown, secret }, { target: target(row.id), change: { url: row.url }, events: 'none' });
  });
});

async function addSecret(
  tx: Parameters<typeof insertSecret>[0],
  { ids, seal }: { readonly ids: Ids; readonly seal: Seal },
  { id: webhookId, organization_id: organizationId }: Pick<WebhookRow, 'id' | 'organization_id'>,
): Promise<string> {
  const secret = secretOf(Buffer.from(ids.secret(secretBytes), 'hex'));
  const id = ids.next();
  await insertSecret(tx, { id, organizationId, webhookId, sealed: seal.close(secret, secretPlace(id)) });
  return secret;
}

const update = on(webhookUpdate, async (parts, act, { params, body }) => {
  const objection = body.url === undefined ? undefined : parts.webhooks.objection(body.url);
  if (objection !== undefined) return new Fault('webhook_url_refused', objection);
  return parts.db.write(act, async (tx) => {
    const row = await findWebhook(tx, act.organizationId, params.webhook_id);
    if (!row) return tx.abandon(absent());
    const next = {
      ...row,
      url: body.url ?? row.url,
      description: body.description ?? row.description,
      event_types: [...(body.event_types ?? row.event_types)],
    };
    await updateWebhook(tx, next, body.enabled ?? row.disabled_reason === null);
    const changed = await findWebhook(tx, act.organizationId, params.webhook_id);
    return tx.commit(show(changed ?? next), { target: target(row.id), change: { ...body }, events: 'none' });
  });
});

const remove = on(webhookDelete, ({ db }, act, { params }) =>
  db.write(act, async (tx) => {
    const row = await findWebhook(tx, act.organizationId, params.webhook_id);
    if (!row) return tx.abandon(absent());
    await deleteWebhook(tx, act.organizationId, row.id);
    return tx.commit(show(row), { target: target(row.id), change: { url: row.url }, events: 'none' });
  }),
);

const rotate = on(webhookRotate, async (parts, act, { params }) => {
  const { ids, seal, clock } = parts;
  if (!seal) return keyless();
  return parts.db.write(act, async (tx) => {
    const row = await findWebhook(tx, act.organizationId, params.webhook_id);
    if (!row) return tx.abandon(absent());
    const until = new Date(clock.now().getTime() + parts.policy('webhooks.secret_overlap_hours') * hourMs);
    await endCurrentSecrets(tx, row.organization_id, row.id, until);
    const secret = await addSecret(tx, { ids, seal }, row);
    const shown = show({ ...row, overlap_until: until });
    return tx.commit({ ...shown, secret }, { target: target(row.id), events: 'none' });
  });
});

const deliveries = on(webhookDeliveryList, async ({ db }, who, { params, query }) => {
  const of = { organizationId: who.organizationId, webhookId: params.webhook_id };
  if (!(await db.read(who, (tx) => webhookExists(tx, of.organizationId, of.webhookId)))) return absent();
  return readPage({
    name: 'webhook-deliveries',
    query,
    read: (before, limit) => db.read(who, (tx) => listDeliveries(tx, of, before, limit)),
    keyOf: ({ event_id }) => event_id,
    show: showDelivery,
  });
});

const resend = on(webhookResend, ({ db }, act, { params }) =>
  db.write(act, async (tx) => {
    const row = await findWebhook(tx, act.organizationId, params.webhook_id);
    if (!row) return tx.abandon(absent());
    if (row.disabled_reason !== null) {
      return tx.abandon(new Fault('webhook_off', 'The webhook is turned off. Turn it on first.'));
    }
    const again = await resendDelivery(tx, act.organizationId, row.id, params.delivery_id);
    if (!again) return tx.abandon(absent());
    tx.wake(deliveriesChannel, 'resend');
    return tx.commit(showDelivery(again), {
      target: target(row.id),
      change: { delivery_id: again.id },
      events: 'none',
    });
  }),
);

export const webhookRoutes = (parts: WebhookParts): Mounted[] =>
  [list, create, update, remove, rotate, deliveries, resend].map((bind) => bind(parts));
