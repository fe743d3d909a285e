import type { Envelope } from '@gpuaas/contract';
import { type ReadTx, sql, type WriteTx } from '../../kernel/act.ts';
import type { Message } from '../../ports/bus/port.ts';
import type { OutboxRow } from '../../ports/database/port.ts';
import { storableEnvelope } from './storable.ts';

/**
 * Every process that uses the bus can publish on it, so a message proves nothing. A consumer compares it with the row of
 * the outbox, which only a commit writes: the id of the message names the row by its position, the primary key, and the
 * database compares the whole envelope. What differs, or is not there, is not acted on.
 */
const confirm = sql('event-committed', 'select event_committed($1, $2, $3) as committed');
// One statement, so that the check costs no round trip: it notes the event only if the outbox holds it.
const take = sql(
  'consumed-record',
  `with event as materialized (select event_committed($3, $2, $4) as committed), taken as (
     insert into consumed_events (consumer, event_id) select $1, $2 from event where committed
     on conflict (consumer, event_id) do nothing returning 1
   )
   select committed, exists (select from taken) as first from event`,
);

export const messageIdOf = (row: Pick<OutboxRow, 'position' | 'messageId'>): string =>
  `${row.position}.${row.messageId}`;

const POSITION = /^([1-9]\d{0,17})\./;
/** Where a message says that its row is. */
export const positionOf = (message: Pick<Message, 'id'>): string | undefined => POSITION.exec(message.id)?.[1];

const question = (message: Message) => [
  positionOf(message) ?? null,
  message.envelope.event_id,
  storableEnvelope(message.envelope),
];

export async function isCommitted(tx: ReadTx, message: Message): Promise<boolean> {
  const [answer] = await tx.rows<{ committed: boolean }>(confirm, question(message));
  return answer?.committed ?? false;
}

/** Notes that a consumer handles an event, in the transaction of its effect. */
export async function takeEvent(
  tx: WriteTx,
  consumer: string,
  message: Message,
): Promise<'first' | 'repeated' | 'not committed'> {
  const [position, eventId, envelope] = question(message);
  const [answer] = await tx.rows<{ committed: boolean; first: boolean }>(take, [consumer, eventId, position, envelope]);
  if (!answer?.committed) return 'not committed';
  return answer.first ? 'first' : 'repeated';
}

/** The error for a message that the outbox does not hold. */
export const notCommitted = ({ event_id, event_type }: Envelope): Error =>
  new Error(`The outbox holds no ${event_type} ${event_id} like this one: it was not acted on.`);
