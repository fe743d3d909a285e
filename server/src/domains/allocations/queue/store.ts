import { type ReadTx, sql, type WriteTx } from '../../../kernel/act.ts';

/**
 * The order of waiting requests. Requests that have waited for the ageing time go first, the oldest before all. The others are
 * ordered by weight, the smallest first: the GPUs that the organization holds, plus those of its earlier waiting requests,
 * less a part that grows with the time that this request has waited.
 *
 * `in_kind` counts requests that need the same of a host: when the first of them does not fit, none does.
 */
const queueSql = sql(
  'allocation-queue',
  `with held as (
     select a.organization_id, sum(a.gpu_count) as gpus from allocations a
     where a.state not in ('released', 'failed') and a.placement_status in ('reserved', 'leased')
       and mine(a.organization_id)
     group by a.organization_id
   ), waiting as (
     select a.id, a.organization_id, a.project_id, a.sku, a.region, a.gpu_count, a.capacity_shape, a.image_id,
       a.max_duration_seconds, a.created_at, a.queue_deadline_at,
       case when a.created_at <= act_time() - make_interval(secs => $1::float8) then a.created_at end as aged_since,
       (coalesce(h.gpus, 0) - a.gpu_count
         + sum(a.gpu_count) over (partition by a.organization_id order by a.created_at, a.id)
         - extract(epoch from act_time() - a.created_at) / $1::float8)::float8 as weight
     from allocations a left join held h on h.organization_id = a.organization_id
     where a.placement_status = 'queued' and a.state = 'requested' and mine(a.organization_id)
   ), placed as (
     select w.*,
       row_number() over (partition by w.sku, w.region
         order by w.aged_since nulls last, w.weight, w.created_at, w.id)::int as position,
       row_number() over (partition by w.sku, w.region, w.gpu_count, w.image_id
         order by w.aged_since nulls last, w.weight, w.created_at, w.id)::int as in_kind
     from waiting w
   )
   select p.*, r.allocation_id is not null as has_host, r.expected_start_at,
     array(select t.node_id::text from allocation_attempts t
       where t.allocation_id = p.id and mine(t.organization_id)) as tried
   from placed p
     left join queue_reservations r on r.allocation_id = p.id
   where ($2::uuid is null or p.id = $2) and ($3::text is null or p.sku = $3) and ($4::text is null or p.region = $4)
     and ($6::int is null or p.in_kind <= $6 or r.allocation_id is not null)
   order by p.sku, p.region, p.position limit $5`,
);
const linesSql = sql(
  'allocation-queue-lines',
  `select a.sku, a.region, coalesce(k.resource_profile ->> 'fabric', 'none') <> 'none' as fabric
   from (
     select distinct w.sku, w.region from allocations w
     where w.placement_status = 'queued' and w.state = 'requested' and mine(w.organization_id)
   ) a join skus k on k.slug = a.sku
   order by a.sku, a.region`,
);
const lateSql = sql(
  'allocation-queue-late',
  `select a.id, a.organization_id, a.project_id from allocations a
   where a.placement_status = 'queued' and a.state = 'requested' and mine(a.organization_id)
     and a.queue_deadline_at <= act_time()
   order by a.queue_deadline_at, a.id limit $1`,
);
/** Those with room first, so that a look that does not see all hosts sees the ones that matter now. */
const hostsSql = sql(
  'allocation-queue-hosts',
  `select n.id from nodes n
   where n.sku = $1 and n.region = $2 and n.state <> 'deleted'
   order by (select count(*) from slots s where s.node_id = n.id and s.state = 'available') desc, n.id limit $3`,
);
/** When what is on these hosts is expected to end. What is being cleaned is as good as gone. */
const endsSql = sql(
  'allocation-queue-ends',
  `select s.id as slot_id, case
       when s.state = 'cleaning' or a.state = 'releasing' then act_time()
       when a.state = 'active' then a.expires_at
       else coalesce(a.provisioning_started_at, a.created_at) + make_interval(secs => $2 + a.max_duration_seconds)
     end as ends_at
   from slots s left join allocations a on a.id = s.allocation_id and mine(a.organization_id)
   where s.node_id = any ($1::uuid[]) and s.state in ('reserved', 'in_use', 'cleaning')`,
);
const reservationSql = sql(
  'queue-reservation',
  'select allocation_id, node_id, slot_ids, expected_start_at from queue_reservations where sku = $1 and region = $2',
);
const dropSql = sql('queue-reservation-drop', 'delete from queue_reservations where sku = $1 and region = $2');
const dropOfSql = sql('queue-reservation-drop-of', 'delete from queue_reservations where allocation_id = $1');
const keepSql = sql(
  'queue-reservation-keep',
  `insert into queue_reservations (allocation_id, node_id, sku, region, expected_start_at, slot_ids)
   values ($1, $2, $3, $4, $5, $6)
   on conflict do nothing`,
);
const expectSql = sql(
  'queue-reservation-expect',
  'update queue_reservations set expected_start_at = $2 where allocation_id = $1 and node_id = $3',
);

export interface QueueRow {
  readonly id: string;
  readonly organization_id: string;
  readonly project_id: string;
  readonly sku: string;
  readonly region: string;
  readonly gpu_count: number;
  readonly capacity_shape: 'baremetal' | 'gpu_slice';
  readonly image_id: string | null;
  readonly max_duration_seconds: number | null;
  readonly created_at: Date;
  readonly queue_deadline_at: Date;
  readonly weight: number;
  readonly position: number;
  /** It has reserved a host, which may be expected to come free at a time. */
  readonly has_host: boolean;
  readonly expected_start_at: Date | null;
  /** Hosts on which its launch has failed: it is placed on others. */
  readonly tried: readonly string[];
}
export interface LineRow {
  readonly sku: string;
  readonly region: string;
  readonly fabric: boolean;
}
export type LateRow = Pick<QueueRow, 'id' | 'organization_id' | 'project_id'>;

export const listQueue = (
  tx: ReadTx,
  look: {
    readonly ageingSeconds: number;
    readonly limit: number;
    readonly sku?: string | undefined;
    readonly region?: string | undefined;
    /** At most so many of those that need the same. */
    readonly ofKind?: number;
  },
) =>
  tx.rows<QueueRow>(queueSql, [
    ...[look.ageingSeconds, null, look.sku ?? null, look.region ?? null, look.limit, look.ofKind ?? null],
  ]);
export const findQueued = async (tx: ReadTx, id: string, ageingSeconds: number): Promise<QueueRow | undefined> =>
  (await tx.rows<QueueRow>(queueSql, [ageingSeconds, id, null, null, 1, null]))[0];

export const listLines = (tx: ReadTx) => tx.rows<LineRow>(linesSql, []);
export const listLate = (tx: ReadTx, limit: number) => tx.rows<LateRow>(lateSql, [limit]);
export const listLineHosts = async (tx: ReadTx, line: LineRow, limit: number): Promise<string[]> =>
  (await tx.rows<{ id: string }>(hostsSql, [line.sku, line.region, limit])).map(({ id }) => id);
export const listEnds = (tx: ReadTx, nodeIds: readonly string[], provisionSeconds: number) =>
  tx.rows<{ slot_id: string; ends_at: Date | null }>(endsSql, [nodeIds, provisionSeconds]);

export interface ReservationRow {
  readonly allocation_id: string;
  readonly node_id: string;
  /** Empty in rows of the release before, which reserved all slots of the host. */
  readonly slot_ids: readonly string[];
  readonly expected_start_at: Date | null;
}
export const findReservation = async (tx: ReadTx, line: LineRow): Promise<ReservationRow | undefined> =>
  (await tx.rows<ReservationRow>(reservationSql, [line.sku, line.region]))[0];
export const dropReservation = (tx: WriteTx, line: LineRow) => tx.run(dropSql, [line.sku, line.region]);
export const dropHostReservationOf = (tx: WriteTx, allocationId: string) => tx.run(dropOfSql, [allocationId]);
export const keepReservation = (tx: WriteTx, line: LineRow, row: ReservationRow) =>
  tx.run(keepSql, [row.allocation_id, row.node_id, line.sku, line.region, row.expected_start_at, row.slot_ids]);
export const expectReservation = (tx: WriteTx, row: Omit<ReservationRow, 'slot_ids'>) =>
  tx.run(expectSql, [row.allocation_id, row.expected_start_at, row.node_id]);
