import { type Static, type TSchema, Type } from 'typebox';
import type { PersonalField } from './words.ts';

declare const brand: unique symbol;

/** Only `of` makes one, so an event outside the catalog cannot be published. */
export interface DeclaredEvent {
  readonly type: string;
  readonly version: string;
  /** Events of one key reach each consumer in the order of their commits. */
  readonly key: string;
  readonly payload: object;
  readonly [brand]: 'event';
}
export interface EventKind<S extends TSchema = TSchema> {
  readonly type: `${string}.${string}`;
  readonly version: string;
  readonly summary: string;
  /** The processes that publish and consume it; `api/events.txt` shows the pairs. */
  readonly producer: string;
  /** Other processes that speak it too. The database takes it from no other family of processes but the api. */
  readonly alsoFrom?: readonly string[];
  readonly consumers: readonly string[] | { readonly none: string };
  readonly payload: S;
  of(key: string, payload: Static<S>): DeclaredEvent;
}

/** A table whose keys are not known has none by name. */
type NamesPerson<K> = string extends K ? false : K & PersonalField extends never ? false : true;

/** Does not take a payload with a field that says who or where a person is; `words.test.ts` looks deeper. */
export const defineEvent = <const S extends TSchema>(
  spec: Omit<EventKind<S>, 'of'> & (NamesPerson<keyof Static<S>> extends true ? never : unknown),
): EventKind<S> => ({
  ...spec,
  of: (key, payload) => ({ type: spec.type, version: spec.version, key, payload: payload as object }) as DeclaredEvent,
});

/** What travels on the bus, and what the outbox keeps. */
export const Envelope = Type.Object(
  {
    event_id: Type.String({ format: 'uuid' }),
    event_type: Type.String(),
    occurred_at: Type.String({ format: 'date-time' }),
    version: Type.String(),
    correlation_id: Type.String(),
    traceparent: Type.Optional(Type.String()),
    organization_id: Type.Optional(Type.String({ format: 'uuid' })),
    project_id: Type.Optional(Type.String({ format: 'uuid' })),
    actor_id: Type.Optional(Type.String({ format: 'uuid' })),
    payload: Type.Unknown(),
  },
  { $id: 'Envelope' },
);
export type Envelope = Static<typeof Envelope>;

/** A stream keeps the events of one family for a while; the first word of an event's type says which. */
export const streams = {
  BILLING: { subjects: 'billing.>', maxAgeDays: 7 },
  PAYMENTS: { subjects: 'payments.>', maxAgeDays: 30 },
  PROVISIONING: { subjects: 'provisioning.>', maxAgeDays: 7 },
  APPS: { subjects: 'apps.>', maxAgeDays: 7 },
  STORAGE: { subjects: 'storage.>', maxAgeDays: 7 },
  NOTIFICATIONS: { subjects: 'notifications.>', maxAgeDays: 7 },
  TENANCY: { subjects: 'tenancy.>', maxAgeDays: 7 },
  TERMINAL: { subjects: 'terminal.>', maxAgeDays: 7 },
  DLQ: { subjects: 'dlq.>', maxAgeDays: 30 },
} as const;
export type Stream = keyof typeof streams;
