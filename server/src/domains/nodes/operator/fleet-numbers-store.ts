import { type ReadTx, sql } from '../../../kernel/act.ts';
import { secondMs } from '../../../kernel/units.ts';
import { countExpiring } from '../enrolment/identity-store.ts';
import { certificateWarningMs } from '../facts.ts';
import { readBacklog } from '../tasks/tasks-store.ts';

const skewSql = sql(
  'node-skew',
  `select coalesce(max(abs(r.clock_skew_ms)), 0) as skew from node_reports r join nodes n on n.id = r.node_id
   where n.state in ('active', 'draining')`,
);

/** Tasks, certificates and clocks of the fleet in numbers, for metrics. */
export async function readFleet(tx: ReadTx, now: Date) {
  const backlog = await readBacklog(tx, now);
  const [skew] = await tx.rows<{ skew: bigint }>(skewSql);
  return {
    tasksWaiting: backlog.waiting,
    oldestTaskSeconds: backlog.oldestSeconds,
    certificatesExpiring: await countExpiring(tx, new Date(now.getTime() + certificateWarningMs)),
    clockSkewMaxSeconds: Number(skew?.skew ?? 0) / secondMs,
  };
}
