import { type ReadTx, sql } from '../../kernel/act.ts';

/**
 * The order of those who wait. Behind each request lies a weight: the GPUs that its organization holds already, those that
 * it asked for earlier and still waits for, less what its own waiting makes up for. Whoever has little goes first, and
 * whoever has waited long enough goes before anybody.
 */
const queueSql = sql(
  'allocation-queue',
  `with held as (
     select a.organization_id, sum(a.gpu_count) as gpus from allocations a
     where a.state not in ('released', 'failed') and a.placement_status in ('reserved', 'leased')
       and mine(a.organization_id)
     group by a.organization_id
   ), waiting as (
     select a.id, a.organization_id, a.project_id, a.sku, a.region, a.gpu_count, a.created_at, a.queue_deadline_at,
       (coalesce(h.gpus, 0) - a.gpu_count
         + sum(a.gpu_count) over (partition by a.organization_id order by a.created_at, a.id)
         - extract(epoch from act_time() - a.created_at) / $1::float8)::float8 as weight
     from allocations a left join held h on h.organization_id = a.organization_id
     where a.placement_status = 'queued' and a.state = 'requested' and mine(a.organization_id)
   ), placed as (
     select w.*, row_number() over (partition by w.sku, w.region order by w.weight, w.created_at, w.id)::int as position
     from waiting w
   )
   select p.* from placed p
   where ($2::uuid is null or p.id = $2) and ($3::text is null or p.sku = $3) and ($4::text is null or p.region = $4)
   order by p.weight, p.created_at, p.id limit $5`,
);

export interface QueueRow {
  readonly id: string;
  readonly organization_id: string;
  readonly project_id: string;
  readonly sku: string;
  readonly region: string;
  readonly gpu_count: number;
  readonly created_at: Date;
  readonly queue_deadline_at: Date;
  readonly weight: number;
  readonly position: number;
}
export const listQueue = (
  tx: ReadTx,
  look: {
    readonly ageingSeconds: number;
    readonly limit: number;
    readonly sku?: string | undefined;
    readonly region?: string | undefined;
  },
) => tx.rows<QueueRow>(queueSql, [look.ageingSeconds, null, look.sku ?? null, look.region ?? null, look.limit]);
export const findPosition = async (tx: ReadTx, id: string, ageingSeconds: number): Promise<number | undefined> =>
  (await tx.rows<QueueRow>(queueSql, [ageingSeconds, id, null, null, 1]))[0]?.position;
