import pg from 'pg';
import { sayWhy } from '../attempt.ts';
import type { BusLog } from '../log.ts';
import type { BusDepths } from '../port.ts';
import type { PostgresBusOptions } from './postgres.ts';
import { countDepths } from './statements.ts';

/** A bus on which nobody has ever published or listened has no tables yet. */
const noSuchTable = '42P01';

export async function openPostgresDepths(
  options: Pick<PostgresBusOptions, 'url' | 'schema'>,
  log: BusLog,
): Promise<BusDepths> {
  const pool = new pg.Pool({
    connectionString: options.url,
    options: `-c search_path=${options.schema ?? 'bus'}`,
    max: 1,
    connectionTimeoutMillis: 5_000,
    query_timeout: 5_000,
    application_name: 'gpuaas-bus-depths',
  });
  pool.on('error', (error) => log.warn({ reason: sayWhy(error) }, 'a connection of the bus was lost'));
  return {
    async read() {
      try {
        const { rows } = await pool.query<{ consumer: string; waiting: number; oldest: Date | null }>(countDepths);
        return rows.map(({ consumer, waiting, oldest }) => ({ consumer, waiting, oldestAt: oldest ?? undefined }));
      } catch (error) {
        if ((error as { code?: string }).code === noSuchTable) return [];
        throw error;
      }
    },
    close: () => pool.end(),
  };
}
