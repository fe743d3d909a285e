import type { Envelope, EventKind } from '@gpuaas/contract';
import type { Static, TSchema } from 'typebox';
import { Compile } from 'typebox/compile';
import { type BeginAct, type Database, systemViewer, type WriteTx } from '../../kernel/act.ts';
import { Fault } from '../../kernel/fault.ts';
import { failpoint } from '../../kernel/process/failpoint.ts';
import type { Log } from '../../kernel/telemetry/log.ts';
import type { Bus, Consuming, Delivery } from '../../ports/bus/port.ts';
import { isCommitted, notCommitted, positionOf, takeEvent } from './committed-store.ts';
import { deadSubject, insertDeadLetter } from './dead-letters-routes.ts';
import { ackWaitMs, keysAtOnce, looseAttempts, redelivery } from './facts.ts';

/**
 * A listener turns one kind of event into one effect, once, if the outbox holds the event. The event's id is recorded in the transaction of the effect,
 * so that a second delivery, a replay of the whole outbox or a requeued dead letter finds it and does nothing.
 */
export interface Listener<S extends TSchema = TSchema, P = unknown> {
  readonly event: EventKind<S>;
  /** Names the act: `project.begin_removal`. */
  readonly action: `${string}.${string}`;
  /**
   * What to do inside the transaction; answers what the audit log should name. Left out where `before` is all there is, and
   * finds its own traces when it is repeated: a run that is named after the event, and fenced by the lease in it.
   */
  effect?(
    tx: WriteTx,
    payload: Static<S>,
    envelope: Envelope,
    prepared: P,
  ): Promise<{
    readonly type: string;
    readonly id: string;
    /** Called after the commit, once at most: for hints that may be lost. */
    readonly afterwards?: () => Promise<void>;
  }>;
  /** What to do outside, before: must be harmless when repeated. What it answers is handed to the effect. */
  before?(payload: Static<S>, envelope: Envelope): Promise<P>;
}
export const listener = <S extends TSchema, P = undefined>(spec: Listener<S, P>): Listener =>
  spec as unknown as Listener;

export async function startConsumer(parts: {
  readonly name: string;
  readonly listeners: readonly Listener[];
  readonly db: Database;
  readonly bus: Bus;
  readonly begin: BeginAct;
  readonly log: Log;
  readonly maxAttempts: number;
}): Promise<Consuming> {
  const { name, db, bus } = parts;
  const byType = new Map(
    parts.listeners.map((each) => [each.event.type as string, { ...each, valid: Compile(each.event.payload) }]),
  );
  const actFor = (envelope: Envelope, action: string) =>
    parts.begin(action, {
      correlationId: envelope.correlation_id,
      traceparent: envelope.traceparent,
      organizationId: envelope.organization_id,
      projectId: envelope.project_id,
    });

  const isKnown = ({ message }: Delivery): Promise<boolean> =>
    db.read(systemViewer(name, { correlationId: message.envelope.correlation_id }), (tx) => isCommitted(tx, message));

  async function handle(delivery: Delivery): Promise<void> {
    const { message } = delivery;
    const { envelope } = message;
    const listening = byType.get(envelope.event_type);
    if (!listening) return;
    if (!listening.valid.Check(envelope.payload)) {
      throw new Error(`${envelope.event_type} carries a payload that is not as declared`);
    }
    const payload = envelope.payload as never;
    await failpoint('consumer.before-effect', envelope.event_type);
    // What happens outside cannot be undone: it waits for an answer of its own.
    if (listening.before && !(await isKnown(delivery))) throw notCommitted(envelope);
    const prepared = await listening.before?.(payload, envelope);
    const { effect } = listening;
    if (effect) {
      const written = await db.write(actFor(envelope, listening.action), async (tx) => {
        const taken = await takeEvent(tx, name, message);
        if (taken === 'not committed') throw notCommitted(envelope);
        if (taken === 'repeated') return tx.abandon(new Fault('event_already_settled', 'The effect is there already.'));
        const { afterwards, ...target } = await effect(tx, payload, envelope, prepared);
        return tx.commit(afterwards, { target, change: { event_id: envelope.event_id }, events: 'none' });
      });
      if (!(written instanceof Fault)) await written.value?.();
    }
    await failpoint('consumer.after-effect', envelope.event_type);
  }

  async function dead(delivery: Delivery, reason: string): Promise<void> {
    const { message, attempt } = delivery;
    const { envelope, key } = message;
    const known = await isKnown(delivery);
    parts.log.error(
      { event_id: envelope.event_id, event_type: envelope.event_type, correlation_id: envelope.correlation_id, reason },
      `${name} gave an event up after ${attempt} tries; it is a dead letter now`,
    );
    // A message that nobody committed is no part of the history of the organization that it names.
    const act = known
      ? actFor(envelope, 'event.bury')
      : parts.begin('event.bury', { correlationId: envelope.correlation_id });
    const position = known ? positionOf(message) : undefined;
    await db.write(act, async (tx) => {
      const lost = { envelope, key, origin: 'consume', consumer: name, attempts: attempt, reason, position } as const;
      await insertDeadLetter(tx, lost);
      return tx.commit(undefined, {
        target: { type: 'event', id: envelope.event_id },
        change: { consumer: name, attempts: attempt },
        result: 'failure',
        events: 'none',
      });
    });
    // The table above is the record; the copy on the bus is for those who watch subjects.
    await bus
      .publish([{ id: `dlq:${name}:${message.id}`, subject: deadSubject(envelope), key, envelope }])
      .catch((error: unknown) => parts.log.warn({ err: error }, 'a dead letter could not be announced on the bus'));
  }

  return bus.consume({
    name,
    subjects: [...byType.keys()],
    maxDeliver: parts.maxAttempts,
    ackWaitMs,
    ...redelivery,
    concurrency: keysAtOnce,
    handle,
    dead,
  });
}

/**
 * A consumer without the check against the outbox and without dead letters: its handler verifies the message and is harmless when
 * repeated. A message that it fails on too often is logged and dropped.
 */
export const consumeUnchecked = (
  bus: Bus,
  consumer: {
    readonly name: string;
    readonly subjects: readonly string[];
    readonly log: Log;
    handle(delivery: Delivery): Promise<void>;
  },
): Promise<Consuming> =>
  bus.consume({
    name: consumer.name,
    subjects: consumer.subjects,
    maxDeliver: looseAttempts,
    ackWaitMs,
    ...redelivery,
    concurrency: 1,
    handle: consumer.handle,
    dead: async ({ message: { envelope } }, reason) =>
      consumer.log.error({ event_id: envelope.event_id, reason }, `${consumer.name} could not handle an event`),
  });
