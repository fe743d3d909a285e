import { type ReadTx, sql, type WriteTx } from '../../kernel/act.ts';

export interface WebhookRow {
  readonly id: string;
  readonly organization_id: string;
  readonly url: string;
  readonly description: string;
  readonly event_types: string[];
  readonly disabled_reason: string | null;
  readonly failing_since: Date | null;
  readonly created_at: Date;
  readonly overlap_until: Date | null;
}
const list = sql(
  'webhook-list',
  `select w.id, w.organization_id, w.url, w.description, w.event_types, w.disabled_reason, w.failing_since, w.created_at,
     (select max(s.ends_at) from webhook_secrets s
      where s.webhook_id = w.id and mine(s.organization_id) and s.ends_at > act_time()) as overlap_until
   from webhooks w
   where w.organization_id = $1 and mine(w.organization_id) and ($2::uuid is null or w.id > $2) order by w.id limit $3`,
);
const find = sql(
  'webhook-find',
  `select w.id, w.organization_id, w.url, w.description, w.event_types, w.disabled_reason, w.failing_since, w.created_at,
     (select max(s.ends_at) from webhook_secrets s
      where s.webhook_id = w.id and mine(s.organization_id) and s.ends_at > act_time()) as overlap_until
   from webhooks w where w.organization_id = $1 and w.id = $2 and mine(w.organization_id) for update of w`,
);
const exists = sql(
  'webhook-exists',
  'select id from webhooks where organization_id = $1 and id = $2 and mine(organization_id)',
);
/** Locks the webhooks of an organization, so that concurrent creations cannot exceed the limit together. */
const hold = sql('webhooks-hold', `select pg_advisory_xact_lock(hashtextextended('webhooks ' || $1::uuid::text, 0))`);
const count = sql(
  'webhook-count',
  'select count(*)::int as webhooks from webhooks where organization_id = $1 and mine(organization_id)',
);
const insert = sql(
  'webhook-insert',
  `insert into webhooks (id, organization_id, url, description, event_types, created_by) values ($1, $2, $3, $4, $5, $6)`,
);
// Turning one on again forgets that it failed.
const update = sql(
  'webhook-update',
  `update webhooks set url = $3, description = $4, event_types = $5,
     disabled_at = case when $6 then null else coalesce(disabled_at, act_time()) end,
     disabled_reason = case when $6 then null else coalesce(disabled_reason, $7) end,
     failing_since = case when $6 and disabled_at is not null then null else failing_since end
   where organization_id = $1 and id = $2 and mine(organization_id)`,
);
const remove = sql(
  'webhook-delete',
  'delete from webhooks where organization_id = $1 and id = $2 and mine(organization_id)',
);
const addSecret = sql(
  'webhook-secret-insert',
  'insert into webhook_secrets (id, organization_id, webhook_id, sealed) values ($1, $2, $3, $4)',
);
const endSecrets = sql(
  'webhook-secret-end',
  `update webhook_secrets set ends_at = $3
   where organization_id = $1 and webhook_id = $2 and ends_at is null and mine(organization_id)`,
);

export const listWebhooks = (tx: ReadTx, organizationId: string, after: string | undefined, limit: number) =>
  tx.rows<WebhookRow>(list, [organizationId, after ?? null, limit]);
export const webhookExists = async (tx: ReadTx, organizationId: string, id: string): Promise<boolean> =>
  (await tx.rows<{ id: string }>(exists, [organizationId, id])).length > 0;
export const findWebhook = async (tx: WriteTx, organizationId: string, id: string): Promise<WebhookRow | undefined> =>
  (await tx.rows<WebhookRow>(find, [organizationId, id]))[0];
/** How many there are; nobody else adds one until this act ends. */
export async function holdAndCountWebhooks(tx: WriteTx, organizationId: string): Promise<number> {
  await tx.rows(hold, [organizationId]);
  return (await tx.rows<{ webhooks: number }>(count, [organizationId]))[0]?.webhooks ?? 0;
}
export const insertWebhook = (
  tx: WriteTx,
  one: Pick<WebhookRow, 'id' | 'organization_id' | 'url' | 'description' | 'event_types'>,
  createdBy: string,
) => tx.run(insert, [one.id, one.organization_id, one.url, one.description, one.event_types, createdBy]);
export const updateWebhook = (
  tx: WriteTx,
  one: Pick<WebhookRow, 'id' | 'organization_id' | 'url' | 'description' | 'event_types'>,
  isEnabled: boolean,
) =>
  tx.run(update, [
    ...[one.organization_id, one.id, one.url, one.description, one.event_types, isEnabled],
    'It was turned off by a person.',
  ]);
export const deleteWebhook = (tx: WriteTx, organizationId: string, id: string) => tx.run(remove, [organizationId, id]);
export const insertSecret = (
  tx: WriteTx,
  secret: { readonly id: string; readonly organizationId: string; readonly webhookId: string; readonly sealed: Buffer },
) => tx.run(addSecret, [secret.id, secret.organizationId, secret.webhookId, secret.sealed]);
/** The secrets that sign now go on until the given time. */
export const endCurrentSecrets = (tx: WriteTx, organizationId: string, webhookId: string, at: Date) =>
  tx.run(endSecrets, [organizationId, webhookId, at]);
