import { type ReadTx, sql, type WriteTx } from '../../../kernel/act.ts';
import type { AllocationRow } from '../store.ts';

/** Serialises the requests of one organization, so that two of them cannot pass a limit together. */
const holdSql = sql(
  'allocation-hold',
  `select pg_advisory_xact_lock(hashtextextended('allocations ' || $1::uuid::text, 0))`,
);
/** An allocation counts from the request, queued or placed, until it ends for its owner. */
const countSql = sql(
  'allocation-count',
  `select count(*) filter (where ended_at is null and requested_by = $2)::int as held,
     count(*) filter (where state = 'releasing' and requested_by = $2)::int as leaving,
     coalesce(sum(gpu_count) filter (where ended_at is null), 0)::int as gpus
   from allocations
   where organization_id = $1 and state not in ('released', 'failed') and mine(organization_id)`,
);
const gpusSql = sql(
  'organization-gpus',
  `select coalesce(sum(gpu_count), 0)::int as gpus from allocations
   where organization_id = $1 and state not in ('released', 'failed') and ended_at is null and mine(organization_id)`,
);
const ofPersonSql = sql(
  'allocation-held',
  `select id, name, state, gpu_count from allocations
   where organization_id = $1 and requested_by = $2 and state not in ('released', 'failed') and ended_at is null
     and mine(organization_id)
   order by id desc limit $3`,
);
const ofProjectSql = sql(
  'allocation-held-in-project',
  `select id, name, state, gpu_count from allocations
   where organization_id = $1 and project_id = $2 and state not in ('released', 'failed') and ended_at is null
     and mine(organization_id)
   order by id desc limit $3`,
);
const inProjectSql = sql(
  'allocation-gpus-in-project',
  `select count(*)::int as allocations, coalesce(sum(gpu_count), 0)::int as gpus from allocations
   where organization_id = $1 and project_id = $2 and state not in ('released', 'failed') and ended_at is null
     and mine(organization_id)`,
);

export interface Held {
  readonly held: number;
  /** Those that have ended for their owner, and whose hosts still clean up. */
  readonly leaving: number;
  /** GPUs of the whole organization, of all its requesters. */
  readonly gpus: number;
}
/** What the caller and the organization hold. Other requests of the organization wait until this one is settled. */
export async function countHeld(tx: WriteTx, organizationId: string, requestedBy: string): Promise<Held> {
  const [, counted] = await Promise.all([
    tx.rows(holdSql, [organizationId]),
    tx.rows<Held>(countSql, [organizationId, requestedBy]),
  ]);
  return counted[0] ?? { held: 0, leaving: 0, gpus: 0 };
}
export const countGpus = async (tx: ReadTx, organizationId: string): Promise<number> =>
  (await tx.rows<{ gpus: number }>(gpusSql, [organizationId]))[0]?.gpus ?? 0;

export type Counted = Pick<AllocationRow, 'id' | 'name' | 'state' | 'gpu_count'>;
/** The allocations that count against the limit of a person. */
export const listHeld = (tx: ReadTx, organizationId: string, requestedBy: string, limit: number) =>
  tx.rows<Counted>(ofPersonSql, [organizationId, requestedBy, limit]);
/** Those of one project that count against the quota of its organization. */
export async function listHeldInProject(tx: ReadTx, organizationId: string, projectId: string, limit: number) {
  const [sums, counted] = await Promise.all([
    tx.rows<{ allocations: number; gpus: number }>(inProjectSql, [organizationId, projectId]),
    tx.rows<Counted>(ofProjectSql, [organizationId, projectId, limit]),
  ]);
  return { ...(sums[0] ?? { allocations: 0, gpus: 0 }), counted };
}
