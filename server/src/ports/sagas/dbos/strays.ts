import type { DBOSClient } from '@dbos-inc/dbos-sdk';
import type { Pool } from 'pg';
import type { Clock } from '../../../kernel/clock.ts';
import type { SagaLog } from '../attempts.ts';

/**
 * Runs that this process owns but does not work on. A connection that is cut at the wrong moment leaves such runs: taken
 * from the queue and never begun, or broken off because the engine could not write. They are put back into their queues,
 * where a worker takes them up again. A run counts as stray when it was so twice in a row, since between
 * being taken and being begun there is always a moment.
 *
 * The same look finds runs that wait in a queue of ours because the word of them was lost.
 */
const lookSql = {
  name: 'saga-strays',
  text: `(select workflow_uuid as id, queue_name as lane, false as waits from dbos.workflow_status
      where status = 'PENDING' and executor_id = $1 and workflow_uuid <> all ($2::text[]) limit 100)
    union all
    (select workflow_uuid, queue_name, true from dbos.workflow_status
      where status = 'ENQUEUED' and queue_name = any ($3::text[]) limit 100)`,
};

export function openStrayWatch(parts: {
  readonly pool: Pool;
  readonly client: DBOSClient;
  readonly executorId: string;
  readonly everyMs: number;
  readonly clock: Clock;
  readonly log: SagaLog;
  /** What this process serves. */
  readonly lanes: () => readonly string[];
  /** What it works on. */
  readonly active: () => readonly string[];
  readonly wake: (lane: string) => Promise<void>;
}): { close(): Promise<void> } {
  const { pool, client, clock, log } = parts;
  const closing = new AbortController();
  let suspects = new Set<string>();

  const look = async () => {
    const values = [parts.executorId, parts.active(), parts.lanes()];
    const { rows } = await pool.query<{ id: string; lane: string; waits: boolean }>({ ...lookSql, values });
    const idle = rows.filter(({ waits }) => !waits);
    const strays = idle.filter(({ id }) => suspects.has(id));
    for (const { id, lane } of strays) {
      await client.resumeWorkflow(id, { queueName: lane });
      log.warn({ run: id }, 'put a run back into its queue that nobody worked on');
    }
    suspects = new Set(idle.map(({ id }) => id));
    const waiting = new Set([...strays, ...rows.filter(({ waits }) => waits)].map(({ lane }) => lane));
    for (const lane of waiting) await parts.wake(lane);
  };
  const watch = async () => {
    while (!closing.signal.aborted) {
      await look().catch((error: unknown) => log.warn({ error: String(error) }, 'could not look for stray runs'));
      await clock.sleep(parts.everyMs, closing.signal).catch(() => undefined);
    }
  };
  const watching = watch();
  return {
    async close() {
      closing.abort(new Error('closing'));
      await watching;
    },
  };
}
