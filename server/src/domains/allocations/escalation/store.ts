import { sql, type WriteTx } from '../../../kernel/act.ts';

const destroyNotedSql = sql(
  'allocation-destroy-noted',
  `select exists (
     select from allocation_timeline t
     where t.allocation_id = $1 and mine(t.organization_id) and t.kind = 'phase' and t.name = 'destroy'
       and t.detail ->> 'task_id' = $2
   ) as noted`,
);

export const wasDestroyNoted = async (tx: WriteTx, allocationId: string, taskId: string): Promise<boolean> =>
  (await tx.rows<{ readonly noted: boolean }>(destroyNotedSql, [allocationId, taskId]))[0]?.noted === true;
