import { type Static, Type } from 'typebox';
import { Timestamp, Uuid } from '../../ids.ts';
import { webhookEventTypes } from '../../notifications/webhook-events.ts';
import { page, pageQuery } from '../../pages.ts';
import { defineRoute } from '../../route.ts';
import { recentSignIn } from '../../step-up.ts';

const strict = { additionalProperties: false } as const;
const orNull = <const S extends Parameters<typeof Type.Union>[0][number]>(schema: S) =>
  Type.Union([schema, Type.Null()]);

const EventTypes = Type.Array(Type.Enum([...webhookEventTypes]), {
  maxItems: webhookEventTypes.length,
  uniqueItems: true,
  description: 'Only events of these types; all of them when it is empty.',
});
const Url = Type.String({
  maxLength: 2_000,
  pattern: '^https?://[^\\s]+$',
  description: 'Where events are posted: an https address that everybody can reach.',
});
const Description = Type.String({ maxLength: 200 });

export const Webhook = Type.Object(
  {
    id: Uuid,
    organization_id: Uuid,
    url: Url,
    description: Description,
    event_types: EventTypes,
    enabled: Type.Boolean(),
    disabled_reason: orNull(Type.String()),
    failing_since: orNull(Timestamp),
    secret_overlap_until: orNull(
      Type.String({ format: 'date-time', description: 'Until when the former secret signs as well.' }),
    ),
    created_at: Timestamp,
  },
  { $id: 'Webhook', ...strict },
);
export type Webhook = Static<typeof Webhook>;

const Secret = Type.String({ description: 'What signatures are made with (whsec_…). It is shown once.' });
export const WebhookWithSecret = Type.Object(
  { ...Webhook.properties, secret: Secret },
  { $id: 'WebhookWithSecret', ...strict },
);

export const WebhookDelivery = Type.Object(
  {
    id: Uuid,
    event_id: Uuid,
    event_type: Type.String(),
    outcome: Type.Enum(['waiting', 'delivered', 'failed']),
    attempts: Type.Integer({ minimum: 0 }),
    response_status: orNull(Type.Integer()),
    reason: orNull(Type.String({ description: 'Why the last try failed.' })),
    due_at: orNull(Type.String({ format: 'date-time', description: 'When it is tried next.' })),
    created_at: Timestamp,
    settled_at: orNull(Timestamp),
    tries: Type.Array(
      Type.Object(
        { at: Timestamp, status: orNull(Type.Integer()), reason: orNull(Type.String()), took_ms: Type.Integer() },
        strict,
      ),
      { description: 'The last tries, oldest first.' },
    ),
  },
  { $id: 'WebhookDelivery', ...strict },
);
export type WebhookDelivery = Static<typeof WebhookDelivery>;

const shared = {
  tag: 'Webhooks',
  tenancy: { kind: 'path', param: 'organization_id' },
  lane: 'default',
} as const;
const reads = { kind: 'user', scope: 'webhooks:read', serviceAccounts: 'allowed' } as const;
const writes = { kind: 'user', scope: 'webhooks:write', serviceAccounts: 'refused' } as const;
/** Where events go and what signs them is decided by a person who is present: a stolen token cannot redirect them. */
const present = { auth: { ...writes, personalTokens: 'refused' }, stepUp: recentSignIn } as const;
const ofOrganization = Type.Object({ organization_id: Uuid }, strict);
const ofWebhook = Type.Object({ organization_id: Uuid, webhook_id: Uuid }, strict);
const path = '/api/v1/organizations/{organization_id}/webhooks';

export const webhookList = defineRoute({
  id: 'webhook_list',
  method: 'GET',
  path,
  summary: 'The webhooks of an organization',
  ...shared,
  auth: reads,
  errors: ['organization_not_found', 'cursor_invalid'],
  params: ofOrganization,
  query: Type.Object(pageQuery, strict),
  response: page(Webhook),
});

export const webhookCreate = defineRoute({
  id: 'webhook_create',
  method: 'POST',
  path,
  summary: 'Have events posted to an address, signed; the answer has the secret, once',
  ...shared,
  ...present,
  idempotency: 'key',
  audit: 'webhook.create',
  errors: ['organization_not_found', 'webhook_url_refused', 'too_many_webhooks', 'service_unavailable'],
  status: 201,
  shownOnce: ['secret'],
  params: ofOrganization,
  body: Type.Object(
    { url: Url, description: Type.Optional(Description), event_types: Type.Optional(EventTypes) },
    strict,
  ),
  response: WebhookWithSecret,
});

export const webhookUpdate = defineRoute({
  id: 'webhook_update',
  method: 'PATCH',
  path: `${path}/{webhook_id}`,
  summary: 'Change a webhook, or turn it off or on again',
  ...shared,
  ...present,
  idempotency: 'key',
  audit: 'webhook.update',
  errors: ['organization_not_found', 'webhook_not_found', 'webhook_url_refused'],
  params: ofWebhook,
  body: Type.Object(
    {
      url: Type.Optional(Url),
      description: Type.Optional(Description),
      event_types: Type.Optional(EventTypes),
      enabled: Type.Optional(Type.Boolean()),
    },
    strict,
  ),
  response: Webhook,
});

export const webhookDelete = defineRoute({
  id: 'webhook_delete',
  method: 'DELETE',
  path: `${path}/{webhook_id}`,
  summary: 'Remove a webhook with its deliveries',
  ...shared,
  auth: writes,
  idempotency: 'key',
  audit: 'webhook.delete',
  errors: ['organization_not_found', 'webhook_not_found'],
  params: ofWebhook,
  response: Webhook,
});

export const webhookRotate = defineRoute({
  id: 'webhook_rotate',
  method: 'POST',
  path: `${path}/{webhook_id}/rotate`,
  summary: 'Make a new secret; the former one signs as well for a while',
  ...shared,
  ...present,
  idempotency: 'key',
  audit: 'webhook.rotate',
  errors: ['organization_not_found', 'webhook_not_found', 'service_unavailable'],
  shownOnce: ['secret'],
  params: ofWebhook,
  body: Type.Object({}, strict),
  response: WebhookWithSecret,
});

export const webhookDeliveryList = defineRoute({
  id: 'webhook_delivery_list',
  method: 'GET',
  path: `${path}/{webhook_id}/deliveries`,
  summary: 'What was posted to a webhook, newest first',
  ...shared,
  auth: reads,
  errors: ['organization_not_found', 'webhook_not_found', 'cursor_invalid'],
  params: ofWebhook,
  query: Type.Object(pageQuery, strict),
  response: page(WebhookDelivery),
});

export const webhookResend = defineRoute({
  id: 'webhook_resend',
  method: 'POST',
  path: `${path}/{webhook_id}/deliveries/{delivery_id}/resend`,
  summary: 'Post an event again',
  ...shared,
  auth: writes,
  idempotency: 'key',
  audit: 'webhook.resend',
  errors: ['organization_not_found', 'webhook_not_found', 'webhook_off'],
  params: Type.Object({ organization_id: Uuid, webhook_id: Uuid, delivery_id: Uuid }, strict),
  body: Type.Object({}, strict),
  response: WebhookDelivery,
});
