import { DBOSClient } from '@dbos-inc/dbos-sdk';
import type { Clock } from '../../../kernel/clock.ts';
import type { Beginning, RunAttempt, SagaLog } from '../attempts.ts';
import type { Letter } from '../standing.ts';
import { makeTurns } from '../turns.ts';
import { openEars } from './ears.ts';
import { openForgetting } from './forget.ts';
import { openLeases } from './leases.ts';
import { type Mailroom, openMailroom } from './mailroom.ts';
import { openPool } from './pool.ts';
import { applicationName, makeRecords, plainJson } from './records.ts';
import { openStrayWatch } from './strays.ts';
import { type DbosMember, type DbosWorker, dbosSchema, openDbosWorker } from './worker.ts';

/**
 * What a Node process has once, however many parts of it serve sagas: DBOS itself, the lease that says this process is
 * alive, the ears for new runs, and the broom for old ones. It opens with the first part that joins, under that part's
 * name, and closes with the last one that leaves.
 */
export interface DbosProcessConfig {
  readonly url: string;
  readonly executorId: string;
  readonly applicationVersion: string;
  readonly leaseMs: number;
  readonly keepEndedMs: number;
  readonly clock: Clock;
  readonly log: SagaLog;
}
export interface DbosSeat extends DbosMember {
  wakeAll(): Promise<void>;
  /** What a run that is worked on in this process began with. */
  beginningOf(run: string): Beginning | undefined;
  /** A letter was posted from here: if its run sleeps in this process, it need not wait for the news. */
  deliver(run: string, step: string, letter: Letter): void;
}
interface Shared {
  readonly url: string;
  readonly worker: DbosWorker;
  readonly mailroom: Mailroom;
  members: number;
  close(): Promise<void>;
}

let shared: Shared | undefined;
const inTurn = makeTurns();

export const joinDbosProcess = (config: DbosProcessConfig, runAttempt: RunAttempt): Promise<DbosSeat> =>
  inTurn(async () => {
    shared ??= await openShared(config);
    if (shared.url !== config.url) throw new Error('DBOS is one per process: it cannot serve sagas of two databases');
    const joined = shared;
    joined.members += 1;
    const member = joined.worker.join(runAttempt);
    return {
      listen: (lane) => member.listen(lane),
      begin: (lane, run, beginning) => member.begin(lane, run, beginning),
      wakeAll: () => joined.worker.wakeAll(),
      beginningOf: (run) => joined.worker.beginningOf(run),
      deliver: (run, step, letter) => joined.mailroom.deliver(run, step, letter),
      async close(withinMs) {
        await member.close(withinMs);
        await inTurn(async () => {
          joined.members -= 1;
          if (joined.members > 0) return;
          shared = undefined;
          await joined.close();
        });
      },
    };
  });

async function openShared(config: DbosProcessConfig): Promise<Shared> {
  const { url, executorId, clock, log, leaseMs } = config;
  const pool = openPool(url, 12, log);
  const records = makeRecords({ pool, clock, log });
  const mailroom = openMailroom({ records, clock, log });
  const worker = await openDbosWorker({ ...config, pool, records, mailroom }).catch(async (error: unknown) => {
    await mailroom.close();
    await pool.end();
    throw error;
  });
  const client = await DBOSClient.create({
    systemDatabaseUrl: url,
    systemDatabasePool: pool,
    systemDatabaseSchemaName: dbosSchema,
    serializer: plainJson,
    applicationName,
  });
  const adopt = async (dead: string) => {
    const runs = await worker.adopt(dead);
    if (runs > 0) await worker.wakeAll();
    return runs;
  };
  const hear = (lane: string) => {
    worker.wake(lane).catch((error: unknown) => log.warn({ lane, error: String(error) }, 'could not look for runs'));
  };
  const lookForMissed = () => {
    Promise.all([worker.wakeAll(), mailroom.look()]).catch((error: unknown) =>
      log.warn({ error: String(error) }, 'could not look for what was missed'),
    );
  };
  const ears = await openEars({ url, log, hear, ring: mailroom.ring, missed: lookForMissed });
  const leases = await openLeases({ pool, executorId, leaseMs, clock, log, adopt });
  const strays = openStrayWatch({
    pool,
    client,
    executorId,
    everyMs: leaseMs / 3,
    clock,
    log,
    lanes: () => worker.lanes(),
    active: () => worker.active(),
    wake: (lane) => worker.wake(lane),
  });
  const forgetting = openForgetting({ client, keepMs: config.keepEndedMs, clock, log });
  return {
    url,
    worker,
    mailroom,
    members: 0,
    async close() {
      await forgetting.close();
      await strays.close();
      await ears.close();
      await mailroom.close();
      await worker.close();
      // Last, so that nobody adopts what this process still works on.
      await leases.close();
      await client.destroy();
      await pool.end();
    },
  };
}
