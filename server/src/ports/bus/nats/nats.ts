import { randomUUID } from 'node:crypto';
import { jetstream, jetstreamManager } from '@nats-io/jetstream';
import { connect } from '@nats-io/transport-node';
import { type Clock, systemClock } from '../../../kernel/clock.ts';
import type { Adapted } from '../../adapter.ts';
import { sayWhy } from '../attempt.ts';
import type { BusLog } from '../log.ts';
import type { Bus, Consumer, Consuming } from '../port.ts';
import type { StreamPlans } from '../subjects.ts';
import { assertConsumer } from '../wire.ts';
import { campaign } from './lease.ts';
import { watchLink } from './link.ts';
import { makePublish } from './publish.ts';
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
export async function openNatsBus(options: NatsBusOptions): Promise<Bus & Adapted> {
  const { streams, log } = options;
  const clock = options.clock ?? systemClock;
  const leaseMs = options.leaseMs ?? 10_000;
  const limits = { maxBytes: options.maxBytesPerStream ?? 1_073_741_824, replicas: options.replicas ?? 1 };
  const timeout = options.publishTimeoutMs ?? 5_000;
  const nc = await connectTo(options);
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
    adapter: { name: 'nats', kind: 'production' },
    publish: makePublish({ publisher, link, streams, windowSize: options.publishWindow ?? 1_024, restore: prepare }),
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

const connectTo = (options: Pick<NatsBusOptions, 'url' | 'credentials'>) =>
  connect({
    servers: options.url,
    name: 'gpuaas',
    maxReconnectAttempts: -1,
    reconnectTimeWait: 250,
    pingInterval: 10_000,
    timeout: 5_000,
    ...options.credentials,
  });
