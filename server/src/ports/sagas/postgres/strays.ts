import type { Pool } from 'pg';
import type { Clock } from '../../../kernel/clock.ts';
import type { SagaLog } from '../attempts.ts';

/**
 * Runs that this process owns but does not work on. A connection that is cut at the wrong moment leaves such runs: taken and
 * never begun, or broken off because the engine could not write. They are given back to their lanes. A run counts as stray
 * when it was so twice in a row, since between being taken and being begun there is always a moment.
 *
 * The same look finds runs that wait in a lane of ours because their wake-up was lost.
 */
const lookSql = {
  name: 'saga-strays',
  text: `(select name, false as waits from gpuaas_sagas.runs where worker = $1 and name <> all ($2::text[]) limit 100)
    union all
    (select name, true from gpuaas_sagas.runs
      where state = 'open' and worker is null and lane = any ($3::text[]) limit 1)`,
};

export function openStrayWatch(parts: {
  readonly pool: Pool;
  readonly worker: string;
  readonly everyMs: number;
  readonly clock: Clock;
  readonly log: SagaLog;
  /** What this process serves. */
  readonly lanes: () => readonly string[];
  /** What it works on. */
  readonly active: () => readonly string[];
  readonly giveBack: (runs: readonly string[]) => Promise<unknown>;
  /** Takes what waits in the lanes of this process. */
  readonly wake: () => Promise<void>;
}): { close(): Promise<void> } {
  const { pool, clock, log } = parts;
  const closing = new AbortController();
  let suspects = new Set<string>();

  const look = async () => {
    const values = [parts.worker, parts.active(), parts.lanes()];
    const { rows } = await pool.query<{ name: string; waits: boolean }>({ ...lookSql, values });
    const idle = rows.filter(({ waits }) => !waits).map(({ name }) => name);
    // Looked at again: a run may have been begun since.
    const active = new Set(parts.active());
    const strays = idle.filter((name) => suspects.has(name) && !active.has(name));
    suspects = new Set(idle);
    if (strays.length > 0) {
      await parts.giveBack(strays);
      log.warn({ runs: strays }, 'gave back runs that nobody worked on');
    }
    if (rows.length > idle.length || strays.length > 0) await parts.wake();
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
