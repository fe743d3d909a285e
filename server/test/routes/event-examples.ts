import { systemIds } from '../../src/kernel/id.ts';
import { asSystem, type World } from '../../src/testing/world.ts';
import type { MakeExample } from './examples.ts';

/** A letter of an event that was committed: its row is in the outbox, so it can be sent again. */
const deadLetter = async (world: World, origin: 'publish' | 'consume') => {
  const eventId = systemIds.next();
  const envelope = { event_id: eventId, event_type: 'tenancy.project.created', correlation_id: 'c', payload: {} };
  await asSystem(
    world.root,
    `with committed as (
       insert into outbox_events (event_id, message_id, subject, key, envelope)
       values ($1, $1::uuid::text, 'tenancy.project.created', 'k', $4) returning position)
     insert into dead_letters (event_id, subject, origin, consumer, key, envelope, attempts, reason, position)
     select $1, 'dlq.tenancy.project.created', $2, $3, 'k', $4, 5, 'it failed', position from committed`,
    [eventId, origin, origin === 'consume' ? 'a-consumer' : null, envelope],
  );
  const { rows } = await world.root.query('select seq::text as seq from dead_letters where event_id = $1', [eventId]);
  return { eventId, seq: rows[0].seq as string };
};
const byEvent: MakeExample = async (world) => ({
  params: { event_id: (await deadLetter(world, 'publish')).eventId },
  body: { reason: 'an example' },
});
const bySequence: MakeExample = async (world) => ({
  params: { stream_seq: (await deadLetter(world, 'consume')).seq },
  body: { reason: 'an example' },
});

export const eventExamples: Readonly<Record<string, MakeExample>> = {
  dlq_get: async (world) => ({ params: { stream_seq: (await deadLetter(world, 'consume')).seq } }),
  dlq_requeue: bySequence,
  dlq_discard: bySequence,
  outbox_requeue: byEvent,
  outbox_discard: byEvent,
};
