import { runMigrations } from 'graphile-worker';
import type { PgBoss } from 'pg-boss';
import { openBus } from '../../../server/src/ports/bus/open.ts';
import { commitChannel } from '../../../server/src/ports/database/outbox-log.ts';
import { startNats } from '../../../server/src/testing/servers/nats.ts';
import { type Installation, type Member, startMember } from '../installation.ts';
import { childNamed, cpuSeconds } from '../processes.ts';
import { startWorker, type Worker } from '../worker.ts';
import { intoGraphileWorker, intoOutbox, intoPgBoss, makeBacklog } from './backlog.ts';
import type { ConsumerOrder, Received } from './consumer.ts';
import { nowMs } from './events.ts';
import { openBoss, type PeerKind, queue } from './peers.ts';

/** Everything between a commit and the consumer, for each side: how it is started, and how its backlog gets there. */
export const carriers = ['outbox', 'graphile-worker', 'pg-boss', 'pg-boss batched'] as const;
export type Carrier = (typeof carriers)[number];

export interface Drained {
  readonly perSecond: number;
  readonly cpuUs: number;
  readonly received: Received;
}

export interface RelayBench {
  readonly consumer: Worker;
  /** Starts one side, warms it up, hands it over, and ends it. */
  withCarrier<T>(carrier: Carrier, warmup: number, work: (pids: readonly number[]) => Promise<T>): Promise<T>;
  /** Lets a backlog become visible at one moment, and waits until the consumer has it all. */
  drain(carrier: Carrier, count: number, pids: readonly number[]): Promise<Drained>;
  expect(run: string, count: number): Promise<void>;
  received(): Promise<Received>;
  nextRun(): string;
  close(): Promise<void>;
}

const withinMs = 90_000;

export async function openRelayBench(installation: Installation): Promise<RelayBench> {
  const { admin, postgresPid } = installation;
  const nats = await startNats();
  const natsPid = childNamed('nats-server');
  const killNats = () => process.kill(natsPid, 'SIGKILL');
  process.once('exit', killNats);
  // The product makes its own streams; they serve all sides.
  const bus = await openBus({ kind: 'nats', url: nats.url }, { log: silent });
  await bus.close();
  await runMigrations({ connectionString: installation.adminUrl() });
  const boss: PgBoss = openBoss(installation.adminUrl());
  boss.on('error', () => undefined);
  await boss.start();
  await boss.createQueue(queue, { notify: true });
  const consumer = installation.keep(await startWorker('relay-consumer'));
  const order = (what: ConsumerOrder) => consumer.ask<Received>(what);
  await order({ what: 'open', natsUrl: nats.url });
  let runs = 0;

  const start = async (carrier: Carrier): Promise<Member> => {
    if (carrier === 'outbox') {
      return startMember('outbox-relay', {
        GPUAAS_DATABASE_URL: installation.urlFor('gpuaas_relay'),
        GPUAAS_BUS_URL: nats.url,
        GPUAAS_INSTANCE: 'bench',
      });
    }
    const worker = await startWorker('relay-peer');
    await worker.ask({ kind: carrier satisfies PeerKind, url: installation.adminUrl(), natsUrl: nats.url });
    return worker;
  };

  const bench: RelayBench = {
    consumer,
    nextRun() {
      runs += 1;
      return `r${runs}`;
    },
    expect: async (run, count) => void (await order({ what: 'expect', run, count, withinMs })),
    received: () => order({ what: 'wait' }),

    async withCarrier(carrier, warmup, work) {
      await admin.query('truncate outbox_events');
      await admin.query('checkpoint');
      const member = installation.keep(await start(carrier));
      try {
        await bench.drain(carrier, warmup, []);
        return await work([member.pid]);
      } finally {
        await member.stop();
      }
    },

    async drain(carrier, count, pids) {
      const run = bench.nextRun();
      const events = makeBacklog(run, count);
      await bench.expect(run, count);
      await admin.query('begin');
      if (carrier === 'outbox') await intoOutbox(admin, events);
      else if (carrier === 'graphile-worker') await intoGraphileWorker(admin, events);
      else await intoPgBoss(admin, boss, events);
      const roots = [postgresPid, natsPid, ...pids];
      const cpuBefore = cpuSeconds(roots);
      const beganAt = nowMs();
      await admin.query('commit');
      if (carrier === 'outbox') await admin.query('select pg_notify($1, $2)', [commitChannel, '']);
      const received = await bench.received();
      const cpuUs = ((cpuSeconds(roots) - cpuBefore) * 1e6) / count;
      const endedAt = received.arrivals.at(-1)?.[1] ?? Number.NaN;
      return { perSecond: (received.distinct * 1_000) / (endedAt - beganAt), cpuUs, received };
    },

    async close() {
      await boss.stop({ graceful: false });
      process.off('exit', killNats);
      await nats.close();
    },
  };
  return bench;
}

const silent = { info: () => undefined, warn: () => undefined, error: () => undefined };
