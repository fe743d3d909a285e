import { type Envelope, streams } from '@gpuaas/contract';
import { actsOf, type Sql, sql } from '../../kernel/act.ts';
import { type Clock, systemClock } from '../../kernel/clock.ts';
import { systemIds } from '../../kernel/id.ts';
import { silentLog } from '../../kernel/telemetry/log.ts';
import { makeMetrics } from '../../kernel/telemetry/metrics.ts';
import type { Bus, Consuming, Delivery } from '../../ports/bus/port.ts';
import { openPostgresBus } from '../../ports/bus/postgres/postgres.ts';
import type { DatabasePort } from '../../ports/database/port.ts';
import { openPostgres } from '../../ports/database/postgres.ts';
import type { Family } from '../../testing/schema.ts';
import { asSystem, openWorld, type World } from '../../testing/world.ts';
import { type Listener, makeOutbox, type Outbox, startConsumer } from './index.ts';

/** Api, relay and consumers over one real database and one real bus, each under the role it has in production. */
export interface Desk {
  readonly world: World;
  readonly relayDb: DatabasePort;
  readonly workerDb: DatabasePort;
  readonly bus: FlakyBus;
  /** A relay's outbox with metrics of its own. */
  outbox(options?: {
    db?: DatabasePort;
    bus?: Bus;
    clock?: Clock;
    maxAttempts?: number;
  }): Outbox & { scrape(): Promise<string> };
  /** Another connection of the relay's role, as a second instance would have. */
  anotherRelayDb(): Promise<DatabasePort>;
  consumer(
    name: string,
    listeners: readonly Listener[],
    options?: { bus?: Bus; maxAttempts?: number },
  ): Promise<Consuming>;
  /** Puts an event into the outbox that the api would not make. */
  slip(subject: string, payload: object, eventId?: string): Promise<string>;
  /** How often each consumer's effect stands in the database, by event. */
  effects(): Promise<Readonly<Record<string, number>>>;
  close(): Promise<void>;
}

/** A bus that can be taken away and given back. */
export interface FlakyBus extends Bus {
  away: boolean;
  readonly refusedCalls: number;
  /** A new, empty bus stands where the old one was. */
  replace(): Promise<void>;
}

export const addEffect: Sql = sql('test-effect', 'insert into test_effects (consumer, event_id) values ($1, $2)');

export async function openDesk(options: { readonly clock?: Clock; readonly consumersAs?: Family } = {}): Promise<Desk> {
  const clock = options.clock ?? systemClock;
  const closing: (() => Promise<unknown>)[] = [];
  const world = await openWorld({
    clock,
    prepare: async (root) => {
      await root.query('create table test_effects (consumer text, event_id uuid)');
      await root.query('grant select, insert on test_effects to gpuaas_worker');
    },
  });
  closing.push(world.close);
  const open = async (family: Family) => {
    const url = world.schema.as(family);
    const db = await openPostgres({ url, clock, ids: systemIds, log: silentLog, name: family, poolSize: 4 });
    closing.push(db.close);
    return db;
  };
  const relayDb = await open('gpuaas_relay');
  const workerDb = await open(options.consumersAs ?? 'gpuaas_worker');
  const bus = await openFlakyBus(world.schema.url);
  closing.push(bus.close);

  return {
    world,
    relayDb,
    workerDb,
    bus,
    outbox({ db = relayDb, bus: chosen = bus, clock: time = clock, maxAttempts = 3 } = {}) {
      const metrics = makeMetrics('test', '0.0.0');
      const outbox = makeOutbox({
        db: db.database,
        outbox: db.outbox,
        replies: db.replies,
        bus: chosen,
        begin: actsOf('outbox-relay', systemIds),
        policy: (key) => (key === 'events.retention_days' ? 7 : maxAttempts),
        clock: time,
        ids: systemIds,
        log: silentLog,
        metrics,
      });
      return {
        ...outbox,
        startRelay: async () => {
          const relay = await outbox.startRelay();
          closing.push(relay.close);
          return relay;
        },
        scrape: metrics.scrape,
      };
    },
    anotherRelayDb: () => open('gpuaas_relay'),
    async consumer(name, listeners, { bus: chosen = bus, maxAttempts = 2 } = {}) {
      const consuming = await startConsumer({
        ...{ name, listeners, maxAttempts, bus: chosen },
        db: workerDb.database,
        begin: actsOf(name, systemIds),
        log: silentLog,
      });
      closing.push(consuming.close);
      return consuming;
    },
    async slip(subject, payload, eventId = systemIds.next()) {
      const envelope: Envelope = {
        ...{ event_id: eventId, event_type: subject, version: '1.0', correlation_id: `slipped-${eventId}`, payload },
        occurred_at: clock.now().toISOString(),
      };
      await asSystem(
        world.root,
        'insert into outbox_events (event_id, message_id, subject, key, envelope) values ($1, $2, $3, $4, $5)',
        [eventId, eventId, subject, subject, JSON.stringify(envelope)],
      );
      await world.root.query(`select pg_notify('gpuaas_outbox', '')`);
      return eventId;
    },
    async effects() {
      const { rows } = await world.root.query<{ what: string; times: number }>(
        `select consumer || ' ' || event_id as what, count(*)::int as times from test_effects group by 1`,
      );
      return Object.fromEntries(rows.map(({ what, times }) => [what, times]));
    },
    async close() {
      for (const close of closing.reverse()) await close();
    },
  };
}

async function openFlakyBus(url: string): Promise<FlakyBus> {
  const open = () => openPostgresBus({ url, streams, log: silentLog });
  let inner = await open();
  let refusedCalls = 0;
  const flaky: FlakyBus = {
    away: false,
    get refusedCalls() {
      return refusedCalls;
    },
    async publish(messages) {
      if (flaky.away) {
        refusedCalls += 1;
        throw new Error('the bus is away');
      }
      return inner.publish(messages);
    },
    consume: (consumer) => inner.consume(consumer),
    check: () => inner.check(),
    close: () => inner.close(),
    async replace() {
      await inner.close();
      const { default: pg } = await import('pg');
      const client = new pg.Client({ connectionString: url });
      await client.connect();
      await client.query('drop schema bus cascade');
      await client.end();
      inner = await open();
    },
  };
  return flaky;
}

/** Somebody who writes down what arrives, and can be waited for. */
export interface Witness {
  readonly seen: readonly Delivery['message'][];
  /** Resolves once so many messages that match have arrived. */
  until(count: number, matching?: (message: Delivery['message']) => boolean): Promise<void>;
}

export async function openWitness(bus: Bus, name: string, subjects: readonly string[] = ['>']): Promise<Witness> {
  const seen: Delivery['message'][] = [];
  const waiting = new Set<() => void>();
  await bus.consume({
    ...{ name, subjects, maxDeliver: 3, ackWaitMs: 10_000, backoffMs: 50, maxBackoffMs: 500, concurrency: 1 },
    async handle({ message }) {
      seen.push(message);
      for (const look of waiting) look();
    },
    dead: async () => undefined,
  });
  return {
    seen,
    until: (count, matching = () => true) =>
      new Promise((resolve) => {
        const look = () => {
          if (seen.filter(matching).length < count) return;
          waiting.delete(look);
          resolve();
        };
        waiting.add(look);
        look();
      }),
  };
}

/** Asks until the answer is there: for what is only visible in the database. The test's own deadline ends it. */
export async function eventually<T>(look: () => Promise<T | undefined | false>): Promise<T> {
  for (;;) {
    const found = await look();
    if (found !== undefined && found !== false) return found;
    await systemClock.sleep(25);
  }
}
