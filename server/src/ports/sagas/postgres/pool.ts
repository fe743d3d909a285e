import { Pool } from 'pg';
import type { SagaLog } from '../attempts.ts';

/** A few connections. A lost connection is logged and ends no process, also when it is lost while the pool closes. */
export function openPool(url: string, max: number, log: SagaLog): Pool {
  const pool = new Pool({
    connectionString: url,
    max,
    application_name: 'gpuaas-sagas',
    idle_in_transaction_session_timeout: 60_000,
  });
  pool.on('error', (error) => log.warn({ error: error.message }, 'a connection of the saga port was lost'));
  // A client that is lent out reports its loss to the pool only after it was returned.
  pool.on('connect', (client) => client.on('error', () => undefined));
  return pool;
}
