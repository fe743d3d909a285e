import type { Pool } from 'pg';
import type { Clock } from '../../../kernel/clock.ts';
import type { SagaLog } from '../attempts.ts';

const pageSize = 200;
const roundMs = 10 * 60_000;
/** Runs that are stuck or broken have no ending: they are kept until an operator has dealt with them. */
const forgetSql = {
  name: 'saga-forget',
  text: `delete from gpuaas_sagas.runs where name in (
    select name from gpuaas_sagas.runs where ending is not null and ended_at < $1 order by ended_at limit $2)`,
};

/** Deletes, from time to time, the runs that ended long ago; their ids may then be used again. Several processes may do so. */
export function openForgetting(parts: {
  readonly pool: Pool;
  readonly keepMs: number;
  readonly clock: Clock;
  readonly log: SagaLog;
}): { close(): Promise<void> } {
  const { pool, clock, log } = parts;
  const closing = new AbortController();
  const forget = async () => {
    const before = new Date(clock.now().getTime() - parts.keepMs);
    while (!closing.signal.aborted) {
      const { rowCount } = await pool.query({ ...forgetSql, values: [before, pageSize] });
      if ((rowCount ?? 0) < pageSize) return;
    }
  };
  const rounds = async () => {
    while (!closing.signal.aborted) {
      await forget().catch((error: unknown) => log.warn({ error: String(error) }, 'could not delete old saga runs'));
      await clock.sleep(roundMs, closing.signal).catch(() => undefined);
    }
  };
  const forgetting = rounds();
  return {
    async close() {
      closing.abort(new Error('closing'));
      await forgetting;
    },
  };
}
