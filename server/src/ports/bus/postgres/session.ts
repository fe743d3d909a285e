import type pg from 'pg';

/** What the queue library asks of a connection. */
export interface Statements {
  executeSql(text: string, values?: unknown[]): Promise<{ rows: Record<string, unknown>[] }>;
}

/** Runs statements of ours and of the queue library as one transaction. */
export type Transact = <T>(work: (db: Statements) => Promise<T>) => Promise<T>;

export const makeTransact =
  (pool: pg.Pool): Transact =>
  async (work) => {
    const client = await pool.connect();
    let broken: Error | undefined;
    // Between statements nobody else would hear that the connection has died.
    const hear = (error: Error) => {
      broken = error;
    };
    client.on('error', hear);
    try {
      await client.query('begin');
      const result = await work({ executeSql: (text, values) => client.query(text, values) });
      await client.query('commit');
      return result;
    } catch (error) {
      await client.query('rollback').catch(hear);
      throw error;
    } finally {
      client.off('error', hear);
      client.release(broken);
    }
  };
