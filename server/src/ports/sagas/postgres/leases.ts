import type { Pool } from 'pg';
import type { Clock } from '../../../kernel/clock.ts';
import type { SagaLog } from '../attempts.ts';

/**
 * Which workers are alive. Every process that serves sagas keeps a lease, by the database's clock; a process that sees a
 * lease expire gives the runs of its holder back to their lanes.
 *
 * A process that was only slow may find its runs taken. That is safe: only the present owner of a run can record anything,
 * so the slow one's work is dropped, and a step that both began has run twice, as every step may.
 */
export interface Leases {
  /** Ends the lease now, so that others need not wait for it to run out. */
  close(): Promise<void>;
}

const beatSql = `
  insert into gpuaas_sagas.workers (id, until) values ($1, now() + $3 * interval '1 ms')
  on conflict (id) do update set until = excluded.until`;
/** Leases that ran out, and workers of runs that have no lease; all but ours, or the one in question. */
const lapsedSql = `
  select id from gpuaas_sagas.workers where until < now() and id <> $1 and ($2::text is null or id = $2)
  union
  select distinct worker from gpuaas_sagas.runs
   where worker is not null and worker <> $1 and ($2::text is null or worker = $2)
     and not exists (select from gpuaas_sagas.workers where id = worker)`;
/** The sign of life and the look at the others, in one. */
const beatAndLookSql = `with beat as (${beatSql}) ${lapsedSql}`;
/** One of the living at a time deals with a dead one. */
const claimSql = `select pg_try_advisory_xact_lock(hashtext('gpuaas_sagas.workers ' || $1)) as ours`;
/** Unless it came back to life. */
const forgetSql = `delete from gpuaas_sagas.workers where id = $1 and until < now()`;

export async function openLeases(parts: {
  readonly pool: Pool;
  readonly worker: string;
  readonly leaseMs: number;
  readonly clock: Clock;
  readonly log: SagaLog;
  /** Gives the runs of a dead worker back to their lanes. Safe to repeat. */
  readonly adopt: (worker: string) => Promise<number>;
}): Promise<Leases> {
  const { pool, worker, leaseMs, clock, log } = parts;
  const closing = new AbortController();

  const adoptOne = async (lapsed: string) => {
    const client = await pool.connect();
    try {
      await client.query('begin');
      const claim = await client.query<{ ours: boolean }>(claimSql, [lapsed]);
      // Looked at again under the lock: another process may just have dealt with it.
      const still = claim.rows[0]?.ours ? await client.query(lapsedSql, [worker, lapsed]) : undefined;
      if (still?.rowCount) {
        const runs = await parts.adopt(lapsed);
        await client.query(forgetSql, [lapsed]);
        log.info({ worker: lapsed, runs }, 'took over the runs of a process that is gone');
      }
      await client.query('commit');
    } catch (error) {
      await client.query('rollback').catch(() => undefined);
      throw error;
    } finally {
      client.release();
    }
  };
  const turn = async () => {
    const lapsed = await pool.query<{ id: string }>(beatAndLookSql, [worker, null, leaseMs]);
    for (const { id } of lapsed.rows) await adoptOne(id);
  };
  const beat = async () => {
    while (!closing.signal.aborted) {
      try {
        await turn();
      } catch (error) {
        log.warn({ error: String(error) }, 'could not renew the lease on saga runs');
      }
      await clock.sleep(leaseMs / 3, closing.signal).catch(() => undefined);
    }
  };

  await pool.query(beatAndLookSql, [worker, null, leaseMs]);
  const beating = beat();
  return {
    async close() {
      closing.abort(new Error('closing'));
      await beating;
      await pool.query('delete from gpuaas_sagas.workers where id = $1', [worker]);
    },
  };
}
