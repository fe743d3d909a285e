import { AckPolicy, type ConsumerMessages, DeliverPolicy, jetstream, jetstreamManager } from '@nats-io/jetstream';
import { connect } from '@nats-io/transport-node';
import { giveUp } from '../worker.ts';
import { nowMs, readSlug, stream } from './events.ts';

/**
 * The one durable consumer at the end of every side. It records each event with its time, and then looks at what it
 * has: every event, once after the bus has dropped repetitions by id, and in order within its key.
 */
export type ConsumerOrder =
  | { readonly what: 'open'; readonly natsUrl: string }
  | { readonly what: 'expect'; readonly run: string; readonly count: number; readonly withinMs: number }
  | { readonly what: 'wait' };

export interface Received {
  readonly distinct: number;
  readonly repeated: number;
  /** Events that came after a later one of their key. */
  readonly outOfOrder: number;
  /** By slug, in the order of arrival. */
  readonly arrivals: readonly (readonly [slug: string, atMs: number])[];
}

const ackEvery = 100;

export function makeConsumer(): (order: ConsumerOrder) => Promise<Received | null> {
  let opened: { expect(run: string, count: number, withinMs: number): Promise<Received> } | undefined;
  let waiting: Promise<Received> | undefined;
  return async (order) => {
    if (order.what === 'open') opened = await open(order.natsUrl);
    if (order.what === 'wait') return (await waiting) ?? null;
    if (order.what === 'expect') waiting = opened?.expect(order.run, order.count, order.withinMs);
    return null;
  };
}

async function open(natsUrl: string) {
  const nc = await connect({ servers: natsUrl });
  const js = jetstream(nc);
  const jsm = await jetstreamManager(nc);
  await jsm.consumers.add(stream, {
    durable_name: 'bench',
    ack_policy: AckPolicy.All,
    deliver_policy: DeliverPolicy.All,
    max_ack_pending: 20_000,
  });
  const consumer = await js.consumers.get(stream, 'bench');
  let current: ReturnType<typeof makeRecord> | undefined;
  const messages: ConsumerMessages = await consumer.consume({ max_messages: 4_000 });
  const read = async () => {
    let unacknowledged = 0;
    for await (const message of messages) {
      const { payload } = message.json<{ payload: { slug: string } }>();
      current?.add(payload.slug);
      unacknowledged += 1;
      if (unacknowledged >= ackEvery || message.info.pending === 0) {
        message.ack();
        unacknowledged = 0;
      }
    }
  };
  read().catch(giveUp);
  return {
    expect(run: string, count: number, withinMs: number) {
      current = makeRecord(run, count, withinMs);
      return current.done;
    },
  };
}

function makeRecord(run: string, count: number, withinMs: number) {
  const arrivals = new Map<string, number>();
  const lastPlaces = new Map<string, number>();
  let [repeated, outOfOrder] = [0, 0];
  const { promise: done, resolve } = Promise.withResolvers<Received>();
  const finish = () => {
    clearTimeout(timer);
    // A moment longer, so that a repetition right behind the last event is seen too.
    setTimeout(() => resolve({ distinct: arrivals.size, repeated, outOfOrder, arrivals: [...arrivals] }), 50);
  };
  const timer = setTimeout(finish, withinMs);
  return {
    done,
    add(slug: string) {
      const event = readSlug(slug);
      if (event.run !== run) return;
      if (arrivals.has(slug)) {
        repeated += 1;
        return;
      }
      arrivals.set(slug, nowMs());
      if ((lastPlaces.get(event.key) ?? -1) > event.place) outOfOrder += 1;
      else lastPlaces.set(event.key, event.place);
      if (arrivals.size === count) finish();
    },
  };
}
