import type { Pool } from 'pg';
import type { Clock } from '../../../kernel/clock.ts';
import type { SagaLog } from '../attempts.ts';

/**
 * Who is alive. DBOS hands the runs of a dead process on only when a process with the same name starts again; alone, that leaves them until the machine is repaired. So every process that serves sagas keeps a lease here,
 * by the database's clock, and a process that sees a lease expire puts the runs of its holder back into their queues.
 *
 * A process that was only slow may find its runs taken. That is safe: DBOS lets only the present owner of a run record
 * anything, so the slow one's work is dropped, and a step that both began has run twice, as every step may.
 */
export interface Leases {
  /** Ends the lease now, so that others need not wait for it to run out. */
  close(): Promise<void>;
}

export const leaseTables = `
  create schema if not exists saga_leases;
  create table if not exists saga_leases.executor (
    id text primary key,
    until timestamptz not null
  );
`;

const beatSql = `
  insert into saga_leases.executor (id, until) values ($1, now() + $2 * interval '1 ms')
  on conflict (id) do update set until = excluded.until`;
/** Leases that ran out, and owners of unfinished runs that never had one; all but ours, or the one in question. */
const lapsedSql = `
  select id from saga_leases.executor where until < now() and id <> $1 and ($2::text is null or id = $2)
  union
  select distinct executor_id from dbos.workflow_status
   where status = 'PENDING' and executor_id <> $1 and ($2::text is null or executor_id = $2)
     and not exists (select from saga_leases.executor where id = executor_id)`;
/** The sign of life and the look at the others, in one. */
const beatAndLookSql = `with beat as (${beatSql.replace('$2', '$3')}) ${lapsedSql}`;
/** One of the living at a time deals with a dead one. */
const claimSql = `select pg_try_advisory_xact_lock(hashtext('saga_leases ' || $1)) as ours`;
/** Unless it came back to life. */
const forgetSql = `delete from saga_leases.executor where id = $1 and until < now()`;

export async function openLeases(parts: {
  readonly pool: Pool;
  readonly executorId: string;
  readonly leaseMs: number;
  readonly clock: Clock;
  readonly log: SagaLog;
  /** Puts the runs of a dead process back into their queues. Safe to repeat. */
  readonly adopt: (executorId: string) => Promise<number>;
}): Promise<Leases> {
  const { pool, executorId, leaseMs, clock, log } = parts;
  const closing = new AbortController();

  const adoptOne = async (lapsed: string) => {
    const client = await pool.connect();
    try {
      await client.query('begin');
      const claim = await client.query<{ ours: boolean }>(claimSql, [lapsed]);
      // Looked at again under the lock: another one may just have dealt with it.
      const still = claim.rows[0]?.ours ? await client.query(lapsedSql, [executorId, lapsed]) : undefined;
      if (still?.rowCount) {
        const runs = await parts.adopt(lapsed);
        await client.query(forgetSql, [lapsed]);
        log.info({ executor: lapsed, runs }, 'took over the runs of a process that is gone');
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
    const lapsed = await pool.query<{ id: string }>(beatAndLookSql, [executorId, null, leaseMs]);
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

  await pool.query(beatSql, [executorId, leaseMs]);
  const beating = beat();
  return {
    async close() {
      closing.abort(new Error('closing'));
      await beating;
      await pool.query(`update saga_leases.executor set until = '-infinity' where id = $1`, [executorId]);
    },
  };
}
