import type { Client } from 'pg';
import type { Sql, Viewer } from '../../../server/src/kernel/act.ts';

/** A statement as a route sent it, and for whom. */
export interface Sent {
  readonly route: string;
  readonly who: Viewer;
  readonly statement: Sql;
  readonly values: readonly unknown[];
}
interface Plan {
  readonly 'Node Type': string;
  readonly 'Actual Rows': number;
  readonly 'Actual Loops': number;
  readonly 'Rows Removed by Filter'?: number;
  readonly 'Rows Removed by Index Recheck'?: number;
  readonly 'Relation Name'?: string;
  readonly Plans?: readonly Plan[];
}

/** How many rows a plan read from tables, also those that a filter threw away. */
const rowsRead = (plan: Plan): number => {
  const own = plan['Relation Name']
    ? (plan['Actual Rows'] + (plan['Rows Removed by Filter'] ?? 0) + (plan['Rows Removed by Index Recheck'] ?? 0)) *
      plan['Actual Loops']
    : 0;
  return own + (plan.Plans ?? []).reduce((sum, each) => sum + rowsRead(each), 0);
};

/** Runs a statement as its route did, with the rights and the walls of the api, and answers how many rows it read. */
export async function measure(client: Client, { who, statement, values }: Sent): Promise<number> {
  await client.query('begin');
  try {
    await client.query('select act_look($1, $2, $3, $4)', [
      ...[who.actorId, who.reach, who.organizationId ?? null, new Date().toISOString()],
    ]);
    // Small tables are read whole whatever indexes they have. What matters is whether an index could answer.
    await client.query('set local enable_seqscan = off');
    await client.query('set local enable_hashjoin = off');
    await client.query('set local enable_mergejoin = off');
    const { rows } = await client.query(`explain (analyze, timing off, format json) ${statement.text}`, [...values]);
    return Math.round(rowsRead(rows[0]['QUERY PLAN'][0].Plan));
  } finally {
    await client.query('rollback');
  }
}
