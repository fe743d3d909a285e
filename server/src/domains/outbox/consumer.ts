import type { Envelope, EventKind } from '@gpuaas/contract';
import type { Static, TSchema } from 'typebox';
import { Compile } from 'typebox/compile';
import { type BeginAct, type Database, sql, type WriteTx } from '../../kernel/act.ts';
import { Fault } from '../../kernel/fault.ts';
import { failpoint } from '../../kernel/process/failpoint.ts';
import type { Log } from '../../kernel/telemetry/log.ts';
import type { Bus, Consuming, Delivery } from '../../ports/bus/port.ts';
import { deadSubject, insertDeadLetter } from './dead-letters.ts';
import { ackWaitMs, keysAtOnce, looseAttempts, redelivery } from './facts.ts';

/**
 * A listener turns one kind of event into one effect, once. The event's id is recorded in the transaction of the effect,
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

const record = sql(
  'consumed-record',
  'insert into consumed_events (consumer, event_id) values ($1, $2) on conflict (consumer, event_id) do nothing',
);

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

  async function handle({ message: { envelope } }: Delivery): Promise<void> {
    const listening = byType.get(envelope.event_type);
    if (!listening) return;
    if (!listening.valid.Check(envelope.payload)) {
      throw new Error(`${envelope.event_type} carries a payload that is not as declared`);
    }
    const payload = envelope.payload as never;
    await failpoint('consumer.before-effect', envelope.event_type);
    const prepared = await listening.before?.(payload, envelope);
    const { effect } = listening;
    if (effect) {
      const written = await db.write(actFor(envelope, listening.action), async (tx) => {
        const first = await tx.run(record, [name, envelope.event_id]);
        if (first === 0) return tx.abandon(new Fault('event_already_settled', 'The effect is there already.'));
        const { afterwards, ...target } = await effect(tx, payload, envelope, prepared);
        return tx.commit(afterwards, { target, change: { event_id: envelope.event_id }, events: 'none' });
      });
      if (!(written instanceof Fault)) await written.value?.();
    }
    await failpoint('consumer.after-effect', envelope.event_type);
  }

  async function dead({ message, attempt }: Delivery, reason: string): Promise<void> {
    const { envelope, key } = message;
    parts.log.error(
      { event_id: envelope.event_id, event_type: envelope.event_type, correlation_id: envelope.correlation_id, reason },
      `${name} gave an event up after ${attempt} tries; it is a dead letter now`,
    );
    await db.write(actFor(envelope, 'event.bury'), async (tx) => {
      await insertDeadLetter(tx, { envelope, key, origin: 'consume', consumer: name, attempts: attempt, reason });
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

/** A consumer that keeps no notes of its own: its handler finds its own traces. What it cannot handle is logged and let go. */
export const consumeCarefully = (
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
