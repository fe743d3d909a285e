import { jetstream } from '@nats-io/jetstream';
import { connect, headers } from '@nats-io/transport-node';
import { Logger, run } from 'graphile-worker';
import { PgBoss } from 'pg-boss';
import { giveUp } from '../worker.ts';
import { type Event, subject } from './events.ts';

/**
 * The queues that people use for this: each takes jobs from Postgres and publishes every one to the same stream, waiting
 * for its acknowledgement before the job counts as done.
 */
export type PeerKind = 'graphile-worker' | 'pg-boss' | 'pg-boss batched';
export interface PeerOrder {
  readonly kind: PeerKind;
  readonly url: string;
  readonly natsUrl: string;
}

export const queue = 'publish';
const hands = 24;
const batch = 500;
const idleMs = 5;

export const openBoss = (url: string): PgBoss =>
  new PgBoss({ connectionString: url, max: 12, schedule: false, supervise: false, useListenNotify: true });

export async function runPeer({ kind, url, natsUrl }: PeerOrder): Promise<null> {
  const js = jetstream(await connect({ servers: natsUrl }));
  const publish = async ({ key, envelope }: Event) => {
    const attributes = headers();
    attributes.set('Gpuaas-Key', key);
    await js.publish(subject, JSON.stringify(envelope), { msgID: envelope.event_id, headers: attributes });
  };
  if (kind === 'graphile-worker') {
    // What its documentation gives as the fastest: a local queue, and completions gathered without delay.
    await run({
      preset: {
        worker: {
          connectionString: url,
          concurrentJobs: hands,
          maxPoolSize: hands + 2,
          localQueue: { size: batch },
          completeJobBatchDelay: 0,
          failJobBatchDelay: 0,
          logger: new Logger(() => () => undefined),
        },
      },
      noHandleSignals: true,
      taskList: { [queue]: async (payload) => publish(payload as Event) },
    });
    return null;
  }
  const boss = openBoss(url);
  boss.on('error', () => undefined);
  await boss.start();
  if (kind === 'pg-boss batched') {
    await boss.work<Event>(
      queue,
      { batchSize: batch, burstWhenBatchFull: true, pollingIntervalSeconds: 0.5, notifyPollingIntervalSeconds: 0.5 },
      async (jobs) => {
        await Promise.all(jobs.map(({ data }) => publish(data)));
      },
    );
    return null;
  }
  // Its own loop would look for single jobs twice a second; as many hands as above ask by themselves instead.
  const loop = async () => {
    for (;;) {
      const [job] = await boss.fetch<Event>(queue);
      if (job) {
        await publish(job.data);
        await boss.complete(queue, job.id);
      } else await new Promise((resolve) => setTimeout(resolve, idleMs));
    }
  };
  for (let hand = 0; hand < hands; hand += 1) loop().catch(giveUp);
  return null;
}
