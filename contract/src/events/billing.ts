import { Type } from 'typebox';
import { defineEvent } from '../event.ts';
import { Timestamp, Uuid } from '../ids.ts';
import { ThingName, Word } from '../words.ts';

const strict = { additionalProperties: false } as const;
const Minor = Type.String({ pattern: '^-?(?:0|[1-9][0-9]{0,17})$' });
const orNull = <const S extends Parameters<typeof Type.Union>[0][number]>(schema: S) =>
  Type.Union([schema, Type.Null()]);

/** Where an account stands. The events of one organization have its id as their key, so each consumer gets them in order. */
const standing = {
  organization_id: Uuid,
  currency: Word,
  /** What can still be spent: the balance, and what is held for allocations. */
  balance_minor: Minor,
  /** The hourly cost of everything that is active, and of what is stored. */
  per_hour_minor: Minor,
  /** How long the balance lasts at that rate; null when nothing is active. */
  runway_seconds: orNull(Type.Integer({ minimum: 0 })),
  /** Allocations that were ordered and have not begun to leave. */
  allocations: Type.Integer({ minimum: 0 }),
};

const StopsAt = Type.Optional(
  orNull(
    Type.String({
      format: 'date-time',
      description:
        'When machines are stopped, with their disks kept until the release; null where they are released at once.',
    }),
  ),
);

export const lowBalanceWarning = defineEvent({
  type: 'billing.low_balance_warning',
  version: '1.0',
  summary: 'A balance fell to a threshold: an amount, or a time that it still lasts. Once for each crossing.',
  producer: 'billing-worker',
  consumers: ['notification-relay', 'webhook-worker'],
  payload: Type.Object(
    {
      ...standing,
      threshold: Type.Enum(['runway', 'balance'], { description: 'What was crossed: a runway or an amount.' }),
      threshold_seconds: orNull(Type.Integer({ minimum: 0 })),
      threshold_minor: orNull(Minor),
      depletes_at: orNull(Timestamp),
    },
    strict,
  ),
});

export const autoReleasePending = defineEvent({
  type: 'billing.auto_release_pending',
  version: '1.0',
  summary:
    'A balance is nearly spent: launches are refused. Without a top-up machines are stopped and later released, at the given times.',
  producer: 'billing-worker',
  consumers: ['notification-relay', 'webhook-worker'],
  payload: Type.Object({ ...standing, stops_at: StopsAt, releases_at: Timestamp }, strict),
});

export const balanceDepleted = defineEvent({
  type: 'billing.balance_depleted',
  version: '1.0',
  summary:
    'A balance is spent. Without a top-up what runs is stopped and later released, at the given times. Files stay, and none are added.',
  producer: 'billing-worker',
  consumers: ['notification-relay', 'webhook-worker'],
  payload: Type.Object(
    {
      ...standing,
      depleted_at: Timestamp,
      stops_at: StopsAt,
      releases_at: orNull(Timestamp),
      stored_bytes: Type.Optional(
        Type.Integer({
          minimum: 0,
          description: 'What its projects store. It stays, and nothing more is stored until the balance lasts again.',
        }),
      ),
    },
    strict,
  ),
});

export const machinesStopped = defineEvent({
  type: 'billing.machines_stopped',
  version: '1.0',
  summary:
    'A balance is spent and the announced time has come: machines are being stopped. Their disks are kept until the release; a top-up starts them again.',
  producer: 'billing-worker',
  consumers: ['notification-relay', 'webhook-worker'],
  payload: Type.Object({ ...standing, stopped_at: Timestamp, releases_at: Timestamp }, strict),
});

export const balanceRecovered = defineEvent({
  type: 'billing.balance_recovered',
  version: '1.0',
  summary: 'A balance that was low, or spent, lasts again: what was announced is called off.',
  producer: 'billing-worker',
  consumers: ['notification-relay', 'webhook-worker'],
  payload: Type.Object({ ...standing, was: Type.Enum(['low_balance', 'auto_release_pending', 'depleted']) }, strict),
});

export const budgetThresholdReached = defineEvent({
  type: 'billing.budget_threshold_reached',
  version: '1.0',
  summary: 'The spending of a month reached a threshold of a budget; once a month for each threshold.',
  producer: 'billing-worker',
  consumers: { none: 'The console asks for the budgets anew, over the stream of events.' },
  payload: Type.Object(
    {
      organization_id: Uuid,
      budget_id: Uuid,
      name: ThingName,
      scope: Type.Enum(['organization', 'project', 'user', 'tag']),
      /** The project or the person; null for the organization and for tags, which people type. */
      subject_id: orNull(Uuid),
      period: Type.String({ pattern: '^[0-9]{4}-[0-9]{2}$', description: 'The month, in UTC.' }),
      threshold: Type.Enum(['soft', 'hard']),
      threshold_minor: Minor,
      spent_minor: Minor,
      currency: Word,
    },
    strict,
  ),
});
