import { Type } from 'typebox';
import { defineEvent } from '../event.ts';
import { Uuid } from '../ids.ts';
import { Sentence } from '../words.ts';

export const webhookDisabled = defineEvent({
  type: 'notifications.webhook.disabled',
  version: '1.0',
  summary: 'A webhook was turned off: its receiver said that it is gone, or did not take anything for too long.',
  producer: 'webhook-worker',
  consumers: ['notification-relay'],
  payload: Type.Object({ organization_id: Uuid, webhook_id: Uuid, reason: Sentence }, { additionalProperties: false }),
});
