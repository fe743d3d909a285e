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
import { type Database, handlers, type Mounted, type ReadTx, sql, type WriteTx } from '../../kernel/act.ts';
import { Fault } from '../../kernel/fault.ts';
import { makeAdvance } from '../../kernel/machine.ts';
import { type Page, readPage } from '../../kernel/page.ts';
import { redactText } from '../../kernel/telemetry/redact.ts';
import { list as listEvents } from './event-list.ts';
import { maxReasonLength } from './facts.ts';

const insert = sql(
  'dead-letter-insert',
  `insert into dead_letters (event_id, subject, origin, consumer, organization_id, key, envelope, attempts, reason)
   values ($1, $2, $3, $4, $5, $6, $7, $8, $9)
   on conflict (event_id, coalesce(consumer, '')) where state = 'open' do nothing`,
);
const list = sql(
  'dead-letter-list',
  `select seq::text as seq, event_id, subject, origin, consumer, organization_id, envelope, attempts, reason,
     state, created_at, settled_at
   from dead_letters
   where state = $1 and ($2::text is null or origin = $2) and ($3::text is null or starts_with(subject, $3))
     and ($4::bigint is null or seq < $4)
   order by dead_letters.seq desc limit $5`,
);
const bySeq = sql(
  'dead-letter-get',
  `select seq::text as seq, event_id, subject, origin, consumer, organization_id, envelope, attempts, reason,
     state, created_at, settled_at
   from dead_letters where dead_letters.seq = $1`,
);
const byEvent = sql(
  'dead-letter-of-event',
  `select seq::text as seq, event_id, subject, origin, consumer, organization_id, envelope, attempts, reason,
     state, created_at, settled_at
   from dead_letters where event_id = $1 and origin = 'publish' order by dead_letters.seq desc limit 1`,
);
const lock = sql('dead-letter-lock', 'select state, version from dead_letters where seq = $1 for update');
const move = sql(
  'dead-letter-move',
  'update dead_letters set state = $2, version = $3, settled_at = act_time() where seq = $1',
);
const rewindRelay = sql('outbox-rewind-all', 'select outbox_rewind() as events');
const requeueEvent = sql('dead-letter-requeue', 'select outbox_requeue($1::bigint)');

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
}
export const deadSubject = (envelope: Envelope): string => `dlq.${envelope.event_type}`;

/** Postgres keeps neither zero bytes nor half characters, and a letter that cannot be kept would come back for ever. */
const storableText = (text: string): string => text.toWellFormed().replaceAll('\0', '\ufffd');
const storable = (_field: string, value: unknown): unknown => {
  if (typeof value === 'string') return storableText(value);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([field, inner]) => [storableText(field), inner]));
};

/** Writes a dead letter down. Saying it twice makes one. */
export async function insertDeadLetter(tx: WriteTx, lost: Lost): Promise<void> {
  await tx.run(insert, [
    lost.envelope.event_id,
    deadSubject(lost.envelope),
    lost.origin,
    lost.consumer ?? null,
    lost.envelope.organization_id ?? null,
    lost.key,
    JSON.stringify(lost.envelope, storable),
    lost.attempts,
    storableText(redactText(lost.reason).slice(0, maxReasonLength)),
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

async function settle(tx: WriteTx, found: Row | undefined, transition: 'requeue' | 'discard', because: string) {
  if (!found) return tx.abandon(absent());
  const moved = await advance(tx, found.seq, transition);
  if (moved === undefined) return tx.abandon(absent());
  if (moved instanceof Fault) return tx.abandon(new Fault('event_already_settled', 'The event is settled already.'));
  // The copy enters the outbox under a new message id; the relay's next look finds it.
  if (transition === 'requeue') await tx.rows(requeueEvent, [found.seq]);
  const [now] = await tx.rows<Row>(bySeq, [found.seq]);
  if (!now) return tx.abandon(absent());
  return tx.commit(show(now), {
    target: { type: 'dead_letter', id: found.seq },
    change: { event_id: found.event_id, reason: because },
    events: 'none',
  });
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
  db.write(act, async (tx) => settle(tx, await ofEvent(tx, params.event_id), 'requeue', body.reason)),
);
const discardFailed = on(outboxDiscard, ({ db }, act, { params, body }) =>
  db.write(act, async (tx) => settle(tx, await ofEvent(tx, params.event_id), 'discard', body.reason)),
);
const requeue = on(dlqRequeue, ({ db }, act, { params, body }) =>
  db.write(act, async (tx) => settle(tx, await ofSeq(tx, params.stream_seq), 'requeue', body.reason)),
);
const discard = on(dlqDiscard, ({ db }, act, { params, body }) =>
  db.write(act, async (tx) => settle(tx, await ofSeq(tx, params.stream_seq), 'discard', body.reason)),
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
