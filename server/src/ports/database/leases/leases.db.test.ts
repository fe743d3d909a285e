import { type ChildProcess, fork } from 'node:child_process';
import { Client } from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { actsOf } from '../../../kernel/act.ts';
import { systemClock } from '../../../kernel/clock.ts';
import { systemIds } from '../../../kernel/id.ts';
import { type Lease, underFence } from '../../../kernel/process/lease.ts';
import { type Reconciling, startReconciler } from '../../../kernel/process/reconciler.ts';
import { silentLog } from '../../../kernel/telemetry/log.ts';
import { openTestSchema, type TestSchema } from '../../../testing/schema.ts';
import type { DatabasePort } from '../port.ts';
import { openPostgres } from '../postgres.ts';

vi.setConfig({ testTimeout: 120_000 });
const patiently = { timeout: 60_000 };
const begin = actsOf('provisioning-worker', systemIds);

let schema: TestSchema;
let root: Client;
let workers: readonly [DatabasePort, DatabasePort];
const opened: { close(): Promise<void> }[] = [];
const keep = <T extends { close(): Promise<void> }>(thing: T): T => {
  opened.push(thing);
  return thing;
};

const openWorker = (name: string) =>
  openPostgres({
    ...{ url: schema.as('gpuaas_worker'), clock: systemClock, ids: systemIds, log: silentLog, poolSize: 2 },
    name,
  });
beforeAll(async () => {
  schema = await openTestSchema();
  root = new Client({ connectionString: schema.url });
  await root.connect();
  workers = [await openWorker('first'), await openWorker('second')];
});
afterEach(async () => {
  for (const thing of opened.splice(0).reverse()) await thing.close();
});
afterAll(async () => {
  for (const worker of workers) await worker.close();
  await root.end();
  await schema.close();
});

const write = (db: DatabasePort, action: string) =>
  db.database.write(begin(action, { correlationId: 'a lease' }), async (tx) =>
    tx.commit('done', { target: { type: 'lease', id: 'x' }, events: 'none' }),
  );
const written = async (action: string): Promise<number> =>
  (await root.query('select count(*)::int as n from audit_logs where action = $1', [action])).rows[0].n;
/** A job that leaves a row for each round, whatever process does it. */
function startJob(worker: DatabasePort, lease: Lease, action: string) {
  let rounds = 0;
  const job: Reconciling = startReconciler(
    {
      name: action,
      async round() {
        await write(worker, action);
        rounds += 1;
        return 'idle';
      },
    },
    { clock: systemClock, log: silentLog, everyMs: 3_600_000, lease },
  );
  return { ...keep(job), rounds: () => rounds };
}

describe('a lease', () => {
  it('gives a job to one of two workers, and to the other one when the first stops', async () => {
    const [first, second] = workers;
    const [mine, theirs] = [keep(await first.leases.hold('one-job')), await second.leases.hold('one-job')];
    const jobs = [startJob(first, mine, 'lease.tick'), startJob(second, theirs, 'lease.tick')] as const;
    for (let tick = 1; tick <= 3; tick += 1) {
      await expect.poll(() => jobs[0].rounds(), patiently).toBe(tick);
      for (const job of jobs) job.wake();
    }
    await expect.poll(() => jobs[0].rounds(), patiently).toBe(4);
    expect([jobs[1].rounds(), jobs[1].lastRoundAt(), theirs.current()]).toEqual([0, undefined, undefined]);
    expect(await written('lease.tick')).toBe(4);
    await jobs[0].close();
    await mine.close();
    await expect.poll(() => jobs[1].rounds(), patiently).toBe(1);
    expect(theirs.current()?.number).toBe('2');
    await jobs[1].close();
    await theirs.close();
  });

  it('goes to another worker when its holder is killed, long before it would have expired', async () => {
    const url = schema.as('gpuaas_worker');
    const victim: ChildProcess = fork(new URL('./lease-victim.ts', import.meta.url), [
      JSON.stringify({ url, name: 'killed' }),
    ]);
    keep({ close: async () => void victim.kill('SIGKILL') });
    const fence = await new Promise((resolve) => victim.once('message', resolve));
    expect(fence).toBe('1');
    // It would hold for ever: only the end of its connection frees the lease.
    const forever = `update leases set expires_at = 'infinity' where name = 'killed'`;
    const heir = keep(await workers[0].leases.hold('killed'));
    expect(heir.current()).toBeUndefined();
    victim.kill('SIGKILL');
    await root.query(forever);
    await expect.poll(() => heir.current()?.number, patiently).toBe('2');
  });

  it('keeps a holder that stalled from writing after another one took over', async () => {
    const [first, second] = workers;
    const stalled = keep(await first.leases.hold('stalled'));
    const fence = stalled.current();
    if (!fence) throw new Error('the first holder has no lease');
    await underFence(fence, () => write(first, 'lease.before'));
    const heir = keep(await second.leases.hold('stalled'));
    await expect
      .poll(async () => {
        await root.query(`update leases set expires_at = clock_timestamp() where name = 'stalled' and fence = $1`, [
          fence.number,
        ]);
        return heir.current()?.number;
      }, patiently)
      .toBe('2');
    await expect(underFence(fence, () => write(first, 'lease.after'))).rejects.toMatchObject({ code: 'GP012' });
    expect([await written('lease.before'), await written('lease.after')]).toEqual([1, 0]);
    // The stalled holder learns of it, and does not take the lease back from a holder that is well.
    await expect.poll(() => [stalled.current(), fence.signal.aborted], patiently).toEqual([undefined, true]);
    expect(heir.current()?.number).toBe('2');
    const { rows } = await root.query(`select fence::int as fence from leases where name = 'stalled'`);
    expect(rows).toEqual([{ fence: 2 }]);
  });

  it('does not let a write commit under a fence that was never given', async () => {
    const lease = keep(await workers[0].leases.hold('expired'));
    const fence = lease.current();
    if (!fence) throw new Error('there is no lease');
    await expect(underFence({ ...fence, number: '9' }, () => write(workers[0], 'lease.forged'))).rejects.toMatchObject({
      code: 'GP012',
    });
    expect(await written('lease.forged')).toBe(0);
  });

  it('belongs to the family of its holder: another one that takes the name takes another lease', async () => {
    const mine = keep(await workers[0].leases.hold('bound'));
    const fence = mine.current();
    if (!fence) throw new Error('there is no lease');
    for (const family of ['gpuaas_relay', 'gpuaas_billing'] as const) {
      const thief = new Client({ connectionString: schema.as(family) });
      await thief.connect();
      const ask = async (question: string) => (await thief.query(question)).rows[0].answer;
      expect(await ask(`select lease_renew('bound', ${fence.number}, true, 600) as answer`)).toBe(false);
      await thief.query(`select lease_leave('bound', ${fence.number})`);
      await expect(thief.query(`select lease_hold('bound', ${fence.number})`)).rejects.toThrow(/is not held/);
      expect(await ask(`select lease_take('bound', 'thief', true, 600) as answer`)).toBe('1');
      await thief.end();
    }
    await underFence(fence, () => write(workers[0], 'lease.bound'));
    expect([await written('lease.bound'), mine.current()?.number]).toEqual([1, '1']);
    const { rows } = await root.query(
      `select family, fence::int as fence from leases where name = 'bound' order by family`,
    );
    expect(rows).toEqual([
      { family: 'gpuaas_billing', fence: 1 },
      { family: 'gpuaas_relay', fence: 1 },
      { family: 'gpuaas_worker', fence: 1 },
    ]);
  });

  it('is not for the api or the email-worker to take', async () => {
    for (const family of ['gpuaas_api', 'gpuaas_mailer'] as const) {
      const client = new Client({ connectionString: schema.as(family) });
      await client.connect();
      await expect(client.query(`select lease_take('one-job', 'x', true, 10)`)).rejects.toThrow(/permission denied/);
      await client.end();
    }
  });
});
