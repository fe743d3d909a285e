import { Pool } from 'pg';
import type { SagaLog } from '../attempts.ts';

/** A few connections. A lost one is noted, also one that is lost while it is being closed, and ends no process. */
export function openPool(url: string, max: number, log: SagaLog): Pool {
  const pool = new Pool({
    connectionString: url,
    max,
    application_name: 'gpuaas-sagas',
    idle_in_transaction_session_timeout: 60_000,
  });
  pool.on('error', (error) => log.warn({ error: error.message }, 'a connection of the saga port was lost'));
  pool.on('connect', (client) => client.on('error', nameAsCut));
  return pool;
}

/**
 * What was lost with its connection is done again, by us and by DBOS. But DBOS does not count a line that broke while it was
 * written to, and would end a run for it; the statements in work get this very error, after this.
 */
function nameAsCut(error: Error & { code?: string }): void {
  if (error.code === 'EPIPE') error.code = 'ECONNRESET';
}
