import { randomUUID } from 'node:crypto';
import { jetstream, jetstreamManager } from '@nats-io/jetstream';
import { connect, type NatsConnection } from '@nats-io/transport-node';
import { type Clock, systemClock } from '../../../kernel/clock.ts';
import { sayWhy } from '../attempt.ts';
import { makeBell } from '../bell.ts';
import type { BusLog } from '../log.ts';
import type { Bus, Consumer, Consuming, Message, Published } from '../port.ts';
import { startPublishSpan } from '../spans.ts';
import type { StreamPlans } from '../subjects.ts';
import { assertConsumer, encodeMessage } from '../wire.ts';
import { campaign } from './lease.ts';
import { openPublisher } from './publisher.ts';
import { leaseSubject, makeRecords } from './records.ts';
import { ensureConsumer, ensureStreams, fromNow, fromStart, RECORD_SUBJECTS, RECORDS, sharesOf } from './streams.ts';
import { startTerm } from './term.ts';

export interface NatsBusOptions {
  readonly url: string;
  readonly streams: StreamPlans;
  readonly log: BusLog;
  readonly clock?: Clock;
  readonly credentials?: { readonly user: string; readonly pass: string } | { readonly token: string };
  readonly maxBytesPerStream?: number;
  readonly replicas?: number;
  /** How long a consumer goes without a leader after one has died. */
  readonly leaseMs?: number;
  /** How many messages may wait for the server's word at once, and for how long. */
  readonly publishWindow?: number;
  readonly publishTimeoutMs?: number;
}

/**
 * The bus on NATS JetStream, from server 2.9 on. Messages keep their subject; their id is `Nats-Msg-Id`, by which the
 * server drops duplicates for two minutes, and their key is in `Gpuaas-Key`, percent-encoded. Of the instances of a
 * consumer one leads and does the work (see `nats-lease.ts`); the others take over within seconds.
 *
 * The server may come back empty: streams and consumers are then set up again, and the outbox fills them.
 */
export async function openNatsBus(options: NatsBusOptions): Promise<Bus> {
  const { streams, log } = options;
  const clock = options.clock ?? systemClock;
  const leaseMs = options.leaseMs ?? 10_000;
  const limits = { maxBytes: options.maxBytesPerStream ?? 1_073_741_824, replicas: options.replicas ?? 1 };
  const windowSize = options.publishWindow ?? 1_024;
  const nc = await connect({
    servers: options.url,
    name: 'gpuaas',
    maxReconnectAttempts: -1,
    reconnectTimeWait: 250,
    pingInterval: 10_000,
    timeout: 5_000,
    ...options.credentials,
  });
  const timeout = options.publishTimeoutMs ?? 5_000;
  const js = jetstream(nc, { timeout });
  const jsm = await jetstreamManager(nc, { timeout }).catch(async (error: unknown) => {
    await nc.close();
    throw error;
  });
  const records = makeRecords(js, jsm);
  const publisher = openPublisher(nc, { timeoutMs: timeout });
  const link = watchLink(nc, log);
  link.onLoss(() => publisher.abandon('the bus was lost on the way'));
  const prepare = () => ensureStreams(jsm, streams, limits);
  try {
    await prepare();
  } catch (error) {
    await nc.close();
    throw error;
  }
  link.onReconnect(() => void prepare().catch((error: unknown) => log.warn({ reason: sayWhy(error) }, 'no streams')));

  const consumings = new Set<Consuming>();
  const holder = randomUUID();

  /** One message on its way. Rejects when the bus is to blame, so that the whole call is repeated. */
  const publishOne = async (message: Message, text: string): Promise<Published> => {
    const span = startPublishSpan('nats', message);
    try {
      const published = await publisher.send(message, text);
      span.end(typeof published === 'string' ? undefined : published.refused);
      return published;
    } catch (error) {
      span.end(sayWhy(error));
      throw error;
    }
  };

  const publish = async (messages: readonly Message[]): Promise<Published[]> => {
    if (!link.up()) throw new Error('the bus cannot be reached');
    const results: Promise<Published>[] = [];
    let failure: { readonly error: unknown } | undefined;
    let onTheWay = 0;
    const room = makeBell();
    const settle = () => {
      onTheWay--;
      room.ring();
    };
    for (const message of messages) {
      const encoded = encodeMessage(message, streams);
      if ('refused' in encoded) {
        results.push(Promise.resolve(encoded));
        continue;
      }
      while (onTheWay >= windowSize) await room.wait();
      // After a failure nothing more is sent: a later message must not be stored while an earlier one was not.
      if (!link.up()) failure ??= { error: new Error('the bus was lost on the way') };
      if (failure) break;
      const result = publishOne(message, encoded.text);
      onTheWay++;
      result.then(settle, (error: unknown) => {
        failure ??= { error };
        settle();
      });
      results.push(result);
    }
    while (onTheWay > 0) await room.wait();
    if (failure) {
      // A server that came back empty has no streams, and says so by not answering.
      await prepare().catch(() => undefined);
      throw failure.error;
    }
    return Promise.all(results);
  };

  const consume = async (consumer: Consumer): Promise<Consuming> => {
    assertConsumer(consumer, streams);
    const shares = sharesOf(consumer, streams);
    const window = Math.min(4_096, Math.max(256, consumer.concurrency * 8));
    const serverVersion = nc.info?.version ?? '2.9.0';
    for (const share of shares) await ensureConsumer(jsm, share, consumer, { serverVersion, window, from: fromNow });
    const led = campaign({
      nc,
      records,
      subject: leaseSubject(consumer.name),
      holder,
      leaseMs,
      clock,
      log,
      lead: (afterTidyEnd) =>
        startTerm({
          ...{ js, jsm, records, consumer, shares, window, afterTidyEnd, clock, log },
          restore: async (share) => {
            await prepare();
            await ensureConsumer(jsm, share, consumer, { serverVersion, window, from: fromStart });
          },
          flush: () => nc.flush(),
          onReconnect: link.onReconnect,
        }),
    });
    const consuming: Consuming = {
      async lag() {
        let count = 0;
        for (const { stream } of shares) {
          const info = await jsm.consumers.info(stream, consumer.name);
          count += info.num_pending + info.num_ack_pending;
        }
        return count;
      },
      async close() {
        consumings.delete(consuming);
        await led.close();
      },
    };
    consumings.add(consuming);
    return consuming;
  };

  return {
    publish,
    consume,
    async check() {
      if (!link.up()) throw new Error('the bus cannot be reached');
      const { seq } = await js.publish(`${RECORD_SUBJECTS}.check.${holder}`, holder);
      const back = await jsm.streams.getMessage(RECORDS, { seq });
      if (back?.string() !== holder) throw new Error('the bus did not give back what it took');
    },
    async close() {
      await Promise.all([...consumings].map((consuming) => consuming.close()));
      link.close();
      await publisher.settled();
      publisher.close();
      const patience = new AbortController();
      await Promise.race([nc.flush(), clock.sleep(timeout, patience.signal)]).catch(() => undefined);
      patience.abort();
      await nc.close();
    },
  };
}

/** Whether the server can be reached, and a word when it can again. */
function watchLink(nc: NatsConnection, log: BusLog) {
  const onLoss = new Set<() => void>();
  const onReturn = new Set<() => void>();
  let up = true;
  let closed = false;
  const watch = async () => {
    for await (const status of nc.status()) {
      if (status.type === 'disconnect') {
        up = false;
        for (const listener of onLoss) listener();
        if (!closed) log.warn({ server: status.server }, 'the bus is gone');
      }
      if (status.type === 'reconnect') {
        up = true;
        log.info({ server: status.server }, 'the bus is back');
        for (const listener of onReturn) listener();
      }
    }
  };
  watch().catch((error: unknown) => log.warn({ err: error }, 'the state of the bus is no longer watched'));
  return {
    up: () => up && !nc.isClosed(),
    onLoss: (listener: () => void) => void onLoss.add(listener),
    onReconnect(listener: () => void) {
      onReturn.add(listener);
      return () => void onReturn.delete(listener);
    },
    close() {
      closed = true;
    },
  };
}
