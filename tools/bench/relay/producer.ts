import { projectCreated } from '@gpuaas/contract';
import pg from 'pg';
import { actsOf } from '../../../server/src/kernel/act.ts';
import { systemClock } from '../../../server/src/kernel/clock.ts';
import { systemIds } from '../../../server/src/kernel/id.ts';
import { silentLog } from '../../../server/src/kernel/telemetry/log.ts';
import { openPostgres } from '../../../server/src/ports/database/postgres.ts';
import { makeEvent, nowMs, slugOf } from './events.ts';
import { openBoss, type PeerKind, queue } from './peers.ts';

/**
 * Commits one event per transaction at a fixed rate, whether or not the earlier ones are done. Each hand has a key of
 * its own and one transaction at a time, so that the order within a key is defined.
 */
export interface ProducerOrder {
  readonly kind: 'outbox' | PeerKind;
  readonly url: string;
  readonly run: string;
  readonly rate: number;
  readonly seconds: number;
}
export interface Produced {
  readonly committed: readonly (readonly [slug: string, dueAtMs: number, committedAtMs: number])[];
  readonly cpuSeconds: number;
}

const hands = 32;

export async function produce(order: ProducerOrder): Promise<Produced> {
  const writer = await openWriter(order);
  const cpuBefore = process.cpuUsage();
  const committed: (readonly [string, number, number])[] = [];
  const due: number[] = [];
  const idle = Array.from({ length: hands }, (_, key) => ({ key, place: 0 }));
  const total = order.rate * order.seconds;
  const { promise: finished, resolve, reject } = Promise.withResolvers<void>();
  const begin = (hand: { key: number; place: number }, dueAtMs: number) => {
    const { key, place } = hand;
    hand.place += 1;
    writer.commit(key, place).then(() => {
      committed.push([slugOf(order.run, key, place), dueAtMs, nowMs()]);
      if (committed.length === total) return resolve();
      const next = due.shift();
      if (next === undefined) idle.push(hand);
      else begin(hand, next);
    }, reject);
  };
  const startMs = nowMs();
  let count = 0;
  const timer = setInterval(() => {
    const now = nowMs();
    for (; count < total && startMs + (count * 1_000) / order.rate <= now; count += 1) {
      const dueAtMs = startMs + (count * 1_000) / order.rate;
      const hand = idle.shift();
      if (hand) begin(hand, dueAtMs);
      else due.push(dueAtMs);
    }
  }, 1);
  try {
    await finished;
  } finally {
    clearInterval(timer);
    await writer.close();
  }
  const cpu = process.cpuUsage(cpuBefore);
  return { committed, cpuSeconds: (cpu.user + cpu.system) / 1e6 };
}

interface Writer {
  commit(key: number, place: number): Promise<void>;
  close(): Promise<void>;
}

async function openWriter({ kind, url, run }: ProducerOrder): Promise<Writer> {
  switch (kind) {
    case 'outbox': {
      const port = await openPostgres({
        ...{ url, clock: systemClock, ids: systemIds, log: silentLog },
        ...{ name: 'bench', poolSize: 16 },
      });
      const begin = actsOf('bench', systemIds);
      return {
        async commit(key, place) {
          const event = makeEvent(run, key, place);
          const id = event.envelope.event_id;
          await port.database.write(begin('bench.event', { correlationId: id }), async (tx) =>
            tx.commit(undefined, {
              target: { type: 'bench', id },
              events: [projectCreated.of(event.key, event.envelope.payload as never)],
            }),
          );
        },
        close: port.close,
      };
    }
    case 'graphile-worker': {
      const pool = new pg.Pool({ connectionString: url, max: 16 });
      return {
        async commit(key, place) {
          await pool.query({
            name: 'add',
            text: 'select from graphile_worker.add_job($1, $2::json)',
            values: [queue, JSON.stringify(makeEvent(run, key, place))],
          });
        },
        close: () => pool.end(),
      };
    }
    case 'pg-boss':
    case 'pg-boss batched': {
      const boss = openBoss(url);
      boss.on('error', () => undefined);
      await boss.start();
      return {
        commit: async (key, place) => void (await boss.send(queue, makeEvent(run, key, place))),
        close: () => boss.stop({ graceful: false }),
      };
    }
  }
}
