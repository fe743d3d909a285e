import { type ReadTx, sql, type WriteTx } from '../../../kernel/act.ts';

const readSql = sql(
  'allocation-attempt-read',
  `select a.attempt, a.max_attempts, a.sku, a.capacity_shape, a.gpu_count, a.region, a.image_id, a.max_duration_seconds,
     case when a.queue_deadline_at > act_time() then a.queue_deadline_at end as queue_deadline_at,
     coalesce(k.resource_profile ->> 'fabric', 'none') <> 'none' as fabric,
     array(select p.node_id::text from allocation_attempts p
       where p.allocation_id = a.id and mine(p.organization_id)) as tried
   from allocations a join skus k on k.slug = a.sku where a.id = $1 and mine(a.organization_id)`,
);
const insertSql = sql(
  'allocation-attempt-insert',
  `insert into allocation_attempts
     (allocation_id, organization_id, attempt, node_id, generation, failure_code, failure_reason, cleaned_at)
   values ($1, $2, $3, $4, $5, $6, $7, case when $8 then act_time() end)`,
);
const cleanedSql = sql(
  'allocation-attempt-cleaned',
  `update allocation_attempts set cleaned_at = act_time()
   where allocation_id = $1 and generation = $2 and cleaned_at is null and mine(organization_id)`,
);
const listSql = sql(
  'allocation-attempts',
  `select attempt, failure_code, failure_reason, failed_at from allocation_attempts
   where allocation_id = $1 and mine(organization_id) order by attempt`,
);

/** An allocation whose launch failed, as far as another attempt needs it. */
export interface AttemptRow {
  readonly attempt: number;
  readonly max_attempts: number;
  readonly sku: string;
  readonly capacity_shape: 'baremetal' | 'gpu_slice';
  readonly gpu_count: number;
  readonly region: string;
  readonly image_id: string | null;
  readonly max_duration_seconds: number | null;
  /** Until when its owner is willing to wait; null when not, or not any more. */
  readonly queue_deadline_at: Date | null;
  readonly fabric: boolean;
  /** Hosts on which it has failed before. */
  readonly tried: readonly string[];
}
export interface FailedAttempt {
  readonly attempt: number;
  readonly failure_code: string;
  readonly failure_reason: string;
  readonly failed_at: Date;
}
export const readAttempt = async (tx: ReadTx, allocationId: string): Promise<AttemptRow | undefined> =>
  (await tx.rows<AttemptRow>(readSql, [allocationId]))[0];
export const insertAttempt = (
  tx: WriteTx,
  failed: {
    readonly allocationId: string;
    readonly organizationId: string;
    readonly attempt: number;
    readonly nodeId: string;
    readonly generation: number;
    readonly code: string;
    readonly reason: string;
    readonly isClean: boolean;
  },
) =>
  tx.run(insertSql, [
    ...[failed.allocationId, failed.organizationId, failed.attempt, failed.nodeId, failed.generation],
    ...[failed.code, failed.reason, failed.isClean],
  ]);
/** Nothing of an attempt that failed is left on its host. No row is changed for the last one, which has none. */
export const markCleaned = (tx: WriteTx, allocationId: string, generation: number) =>
  tx.run(cleanedSql, [allocationId, generation]);
export const listAttempts = (tx: ReadTx, allocationId: string) => tx.rows<FailedAttempt>(listSql, [allocationId]);
