import { sql } from '../../kernel/act.ts';
import type { Unaudited } from '../../ports/database/port.ts';

/** Lines of nodes. Keeping one is no act: it leaves no audit row, and the lines of a push are one statement. */
export interface LogLines {
  /** Stores lines of one node that lie within the time; answers how many of them. */
  record(
    nodeId: string,
    lines: readonly object[],
    within: { readonly oldest: Date; readonly newest: Date },
  ): Promise<number>;
  /** Removes what is older, at most so many lines of each stream; answers how many. */
  prune(old: { readonly agentBefore: Date; readonly consoleBefore: Date }, limit: number): Promise<number>;
}

const recordSql = sql('logs-record', 'select node_logs_record($1, $2, $3, $4::jsonb) as count');
const pruneSql = sql('logs-prune', 'select node_logs_prune($1, $2, $3) as count');

interface Counted {
  readonly count: number;
}
const countIn = (rows: readonly Counted[]): number => rows[0]?.count ?? 0;

export function makeLogLines(unaudited: Unaudited): LogLines {
  return {
    record: async (nodeId, lines, { oldest, newest }) =>
      countIn(await unaudited.rows<Counted>(recordSql, [nodeId, oldest, newest, JSON.stringify(lines)])),
    prune: async ({ agentBefore, consoleBefore }, limit) =>
      countIn(await unaudited.rows<Counted>(pruneSql, [agentBefore, consoleBefore, limit])),
  };
}
