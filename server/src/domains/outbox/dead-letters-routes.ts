import {
  type DeadLetter,
  deadLetterMachine,
  dlqDiscard,
  dlqGet,
  dlqList,
  dlqRequeue,
  type Envelope,
  outboxDiscard,
  outboxFailedList,
  outboxRequeue,
  outboxRewind,
} from '@gpuaas/contract';
import { type Database, handlers, type Mounted, type ReadTx, type WriteTx } from '../../kernel/act.ts';
import { Fault } from '../../kernel/fault.ts';
import { makeAdvance } from '../../kernel/machine.ts';
import { type Page, readPage } from '../../kernel/page.ts';
import { redactText } from '../../kernel/telemetry/redact.ts';
import { byEvent, bySeq, confirm, insert, list, lock, move, requeueEvent, rewindRelay } from './dead-letters-store.ts';
import { list as listEvents } from './event-list-routes.ts';
import { maxReasonLength } from './facts.ts';
import { storableEnvelope, storableText } from './storable.ts';

const advance = makeAdvance(deadLetterMachine, { lock, move });

interface Row {
  readonly seq: string;
  readonly event_id: string;
  readonly subject: string;
  readonly origin: DeadLetter['origin'];
  readonly consumer: string | null;
  readonly organization_id: string | null;
  readonly envelope: Envelope;
  readonly attempts: number;
  readonly reason: string;
  readonly state: DeadLetter['state'];
  readonly created_at: Date;
  readonly settled_at: Date | null;
}
const show = ({ seq, envelope, ...row }: Row): DeadLetter => ({
  ...row,
  stream_seq: seq,
  event_type: envelope.event_type,
  correlation_id: envelope.correlation_id,
  created_at: row.created_at.toISOString(),
  settled_at: row.settled_at?.toISOString() ?? null,
});

/** An event that could not be delivered, as the relay or a consumer gives it up. */
export interface Lost {
  readonly envelope: Envelope;
  readonly key: string;
  readonly origin: DeadLetter['origin'];
  readonly consumer: string | undefined;
  readonly attempts: number;
  readonly reason: string;
  /** The row of the outbox; undefined when the outbox holds no such event, which can then not be requeued. */
  readonly position: string | undefined;
}
export const deadSubject = (envelope: Envelope): string => `dlq.${envelope.event_type}`;

/** Writes a dead letter down. Saying it twice makes one, and the one of an event that the outbox holds goes before others. */
export async function insertDeadLetter(tx: WriteTx, lost: Lost): Promise<void> {
  const { event_id } = lost.envelope;
  const reason = storableText(redactText(lost.reason).slice(0, maxReasonLength));
  const inserted = await tx.run(insert, [
    event_id,
    deadSubject(lost.envelope),
    lost.origin,
    lost.consumer ?? null,
    lost.envelope.organization_id ?? null,
    lost.key,
    storableEnvelope(lost.envelope),
    lost.attempts,
    reason,
    lost.position ?? null,
  ]);
  if (inserted > 0 || lost.position === undefined) return;
  await tx.rows<{ confirmed: boolean }>(confirm, [
    event_id,
    lost.consumer ?? null,
    lost.position,
    lost.attempts,
    reason,
  ]);
}

const on = handlers<{ readonly db: Database }>();

const absent = () => new Fault('event_not_found', 'There is no such object.');

function page(
  tx: ReadTx,
  query: { state?: string; cursor?: string; limit?: number; subject_prefix?: string },
  origin: DeadLetter['origin'] | undefined,
): Promise<Page<DeadLetter> | Fault<'cursor_invalid'>> {
  return readPage({
    name: 'dead-letters',
    query,
    key: 'number',
    read: (before, limit) =>
      tx.rows<Row>(list, [query.state ?? 'open', origin ?? null, query.subject_prefix ?? null, before ?? null, limit]),
    keyOf: (row) => row.seq,
    show,
  });
}

async function settle(tx: WriteTx, found: Row, transition: 'requeue' | 'discard', because: string) {
  const moved = await advance(tx, found.seq, transition);
  if (moved === undefined) return tx.abandon(absent());
  if (moved instanceof Fault) return tx.abandon(new Fault('event_already_settled', 'The event is settled already.'));
  const [now] = await tx.rows<Row>(bySeq, [found.seq]);
  if (!now) return tx.abandon(absent());
  return tx.commit(show(now), {
    target: { type: 'dead_letter', id: found.seq },
    change: { event_id: found.event_id, reason: because },
    events: 'none',
  });
}
const discardLetter = async (tx: WriteTx, found: Row | undefined, because: string) =>
  found ? settle(tx, found, 'discard', because) : tx.abandon(absent());

/** The row of the outbox enters it again under a new message id; the relay's next look finds it. */
async function requeueLetter(tx: WriteTx, found: Row | undefined, because: string) {
  if (!found) return tx.abandon(absent());
  const [copy] = await tx.rows<{ requeued: boolean }>(requeueEvent, [found.seq]);
  if (copy?.requeued || found.state !== 'open') return settle(tx, found, 'requeue', because);
  return tx.abandon(
    new Fault('event_not_committed', 'The outbox does not hold this event, so it cannot be sent again. Discard it.'),
  );
}
const ofEvent = async (tx: ReadTx, eventId: string) => (await tx.rows<Row>(byEvent, [eventId]))[0];

const ofSeq = async (tx: ReadTx, seq: string) => (await tx.rows<Row>(bySeq, [seq]))[0];

const failed = on(outboxFailedList, ({ db }, who, { query }) => db.read(who, (tx) => page(tx, query, 'publish')));

const messages = on(dlqList, ({ db }, who, { query }) => db.read(who, (tx) => page(tx, query, undefined)));

const message = on(dlqGet, async ({ db }, who, { params }) => {
  const found = await db.read(who, (tx) => ofSeq(tx, params.stream_seq));
  return found ? { ...show(found), envelope: found.envelope } : absent();
});
const requeueFailed = on(outboxRequeue, ({ db }, act, { params, body }) =>
  db.write(act, async (tx) => requeueLetter(tx, await ofEvent(tx, params.event_id), body.reason)),
);

const discardFailed = on(outboxDiscard, ({ db }, act, { params, body }) =>
  db.write(act, async (tx) => discardLetter(tx, await ofEvent(tx, params.event_id), body.reason)),
);

const requeue = on(dlqRequeue, ({ db }, act, { params, body }) =>
  db.write(act, async (tx) => requeueLetter(tx, await ofSeq(tx, params.stream_seq), body.reason)),
);

const discard = on(dlqDiscard, ({ db }, act, { params, body }) =>
  db.write(act, async (tx) => discardLetter(tx, await ofSeq(tx, params.stream_seq), body.reason)),
);

const rewind = on(outboxRewind, ({ db }, act, { body }) =>
  db.write(act, async (tx) => {
    const [counted] = await tx.rows<{ events: bigint }>(rewindRelay);
    const events = Number(counted?.events ?? 0);
    return tx.commit(
      { events },
      { target: { type: 'relay', id: 'outbox-relay' }, change: { events, reason: body.reason }, events: 'none' },
    );
  }),
);

export const deadLetterRoutes = (parts: { readonly db: Database }): Mounted[] =>
  [failed, messages, message, listEvents, requeueFailed, discardFailed, requeue, discard, rewind].map((bind) =>
    bind(parts),
  );
