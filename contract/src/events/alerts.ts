import { Type } from 'typebox';
import { defineEvent } from '../event.ts';
import { Timestamp, Uuid } from '../ids.ts';
import { Sentence, Word } from '../words.ts';

const watched = { none: 'Read by the operator console, over the event stream.' };
const strict = { additionalProperties: false } as const;
const orNull = <const S extends Parameters<typeof Type.Union>[0][number]>(schema: S) =>
  Type.Union([schema, Type.Null()]);
const alert = {
  alert_id: Uuid,
  source: Word,
  kind: Word,
  effect: Word,
  node_id: orNull(Uuid),
  slot_id: orNull(Uuid),
  allocation_id: orNull(Uuid),
  message: Sentence,
  simulated: Type.Optional(
    Type.Boolean({ description: 'Whether the host is simulated. Left out for alerts that are about no host.' }),
  ),
};
const pool = { breaker_id: Uuid, kind: Word, region: Word, sku: Word };

export const alertOpened = defineEvent({
  type: 'provisioning.alert.opened',
  version: '1.0',
  summary: 'A host, a slot, an allocation or a pool has a problem; the effect says what follows.',
  producer: 'provisioning-worker',
  consumers: ['notification-relay'],
  payload: Type.Object(alert, strict),
});

export const alertChanged = defineEvent({
  type: 'provisioning.alert.changed',
  version: '1.0',
  summary: 'An open alert has another effect.',
  producer: 'provisioning-worker',
  consumers: watched,
  payload: Type.Object({ ...alert, effect_before: Word }, strict),
});

export const alertClosed = defineEvent({
  type: 'provisioning.alert.closed',
  version: '1.0',
  summary: 'An alert has healed, or was cleared.',
  producer: 'provisioning-worker',
  consumers: watched,
  payload: Type.Object(alert, strict),
});

export const breakerTripped = defineEvent({
  type: 'provisioning.breaker.tripped',
  version: '1.0',
  summary:
    'Automation would have taken more of a pool than its policy allows. It is stopped until a person resets the breaker.',
  producer: 'provisioning-worker',
  consumers: ['notification-relay'],
  payload: Type.Object({ ...pool, tripped_at: Timestamp }, strict),
});

export const breakerResetEvent = defineEvent({
  type: 'provisioning.breaker.reset',
  version: '1.0',
  summary: 'A person reset the breaker of a pool.',
  producer: 'api',
  consumers: watched,
  payload: Type.Object({ ...pool, reason: Word }, strict),
});
