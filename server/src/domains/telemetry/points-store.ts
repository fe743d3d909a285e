import { sql } from '../../kernel/act.ts';
import type { Unaudited } from '../../ports/database/port.ts';

/** What hosts measure. It is no act: it leaves no audit row, and the samples of a node are one statement. */
export interface TelemetryPoints {
  /** Stores the samples of one node that lie within the time; answers how many of them. */
  record(
    nodeId: string,
    samples: readonly object[],
    within: { readonly oldest: Date; readonly newest: Date },
  ): Promise<number>;
  /** Makes at most `limit` coarse points anew that samples have come for and whose time is over; answers how many. */
  roll(until: Date, limit: number): Promise<number>;
  /** Removes what is older, at most so many points of each resolution; answers how many. */
  prune(old: { readonly fineBefore: Date; readonly coarseBefore: Date }, limit: number): Promise<number>;
}

const recordSql = sql('telemetry-record', 'select telemetry_record($1, $2, $3, $4::jsonb) as count');
const rollSql = sql('telemetry-roll', 'select telemetry_roll($1, $2) as count');
const pruneSql = sql('telemetry-prune', 'select telemetry_prune($1, $2, $3) as count');

interface Counted {
  readonly count: number;
}
const countIn = (rows: readonly Counted[]): number => rows[0]?.count ?? 0;

export function makeTelemetryPoints(unaudited: Unaudited): TelemetryPoints {
  return {
    record: async (nodeId, samples, { oldest, newest }) =>
      countIn(await unaudited.rows<Counted>(recordSql, [nodeId, oldest, newest, JSON.stringify(samples)])),
    roll: async (until, limit) => countIn(await unaudited.rows<Counted>(rollSql, [until, limit])),
    prune: async ({ fineBefore, coarseBefore }, limit) =>
      countIn(await unaudited.rows<Counted>(pruneSql, [fineBefore, coarseBefore, limit])),
  };
}
