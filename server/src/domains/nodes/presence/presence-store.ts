import { type ReadTx, sql } from '../../../kernel/act.ts';
import type { NodeBrief } from '../enrolment/identity-store.ts';
import { sweepBatch } from '../facts.ts';

const changedSql = sql(
  'node-presence',
  `select n.id, n.name, n.region, n.state, r.reported_at from nodes n left join node_reports r on r.node_id = n.id
   where (n.state = 'offline' and r.reported_at >= $1)
     or (n.state = 'active' and $2::timestamptz is not null and coalesce(r.reported_at, n.updated_at) < $2)
   order by n.id limit $3`,
);
const newcomersSql = sql(
  'node-newcomers',
  `select n.id, n.enrolled_at from nodes n join node_reports r on r.node_id = n.id
   where n.state = 'enrolling' and r.reported_at >= n.enrolled_at and ($1::uuid is null or n.id > $1)
   order by n.id limit $2`,
);
const unheardSql = sql(
  'node-unheard',
  `select n.id, n.name, n.region, n.state, n.enrolled_at from nodes n left join node_reports r on r.node_id = n.id
   where n.state = 'enrolling' and n.enrolled_at < $1 and (r.reported_at is null or r.reported_at < n.enrolled_at)
   order by n.id limit $2`,
);
const reportSql = sql('node-last-report', 'select reported_at from node_reports where node_id = $1');

export interface EnrolledRow {
  readonly id: string;
  readonly enrolled_at: Date;
}
export interface Unheard extends NodeBrief {
  readonly enrolled_at: Date;
}
export interface Seen extends NodeBrief {
  readonly reported_at: Date | null;
}

/** Nodes whose state does not fit what was last heard of them. */
export const listChanged = (tx: ReadTx, heardAfter: Date, silentBefore: Date | undefined) =>
  tx.rows<Seen>(changedSql, [heardAfter, silentBefore ?? null, sweepBatch]);

/** Nodes that enrolled and were heard since, and are not in service yet. */
export const listNewcomers = (tx: ReadTx, after: string | undefined) =>
  tx.rows<EnrolledRow>(newcomersSql, [after ?? null, sweepBatch]);

/** Nodes that enrolled too long ago and were not heard since. */
export const listUnheard = (tx: ReadTx, enrolledBefore: Date) =>
  tx.rows<Unheard>(unheardSql, [enrolledBefore, sweepBatch]);

export async function isSilent(tx: ReadTx, nodeId: string, before: Date | undefined): Promise<boolean> {
  const [row] = await tx.rows<{ reported_at: Date }>(reportSql, [nodeId]);
  return before !== undefined && (!row || row.reported_at < before);
}
