import { type ReadTx, sql } from '../../../kernel/act.ts';
import type { CandidateNode, CandidateSlot, PlacementRequest } from './model.ts';

/** Hosts with everything the engine asks about. A slot travels as a row of values: there are many of them. */
const readSql = sql(
  'placement-nodes',
  `select n.id, n.name, n.region, n.sku, n.state,
     host_offered(n.schedulable, n.simulated) as schedulable,
     coalesce(r.reported_at > act_time() - make_interval(secs => $2), false) as reporting,
     case when f.avoided_until > act_time() then f.failed_at end as launch_failed_at,
     case when $3::boolean then capacity_kept(n.id, $4, $5, $6, '{}') else false end as kept,
     array(select c.image_id::text from node_image_cache c where c.node_id = n.id) as images,
     (select json_agg(json_build_array(s.id, s.slot_index, s.state, s.health_state, s.numa_node,
        s.fabric_vf_pci_address is not null, s.nvme_device is not null, s.generation, s.id = any (k.slot_ids))
        order by s.slot_index)
      from slots s where s.node_id = n.id) as slots
   from nodes n left join node_reports r on r.node_id = n.id
     left join node_launch_failures f on f.node_id = n.id
     cross join lateral (
       select case when $3::boolean then reserved_slots(n.id, $4) else '{}' end as slot_ids) k
   where n.id = any ($1::uuid[])`,
);
/** All hosts on which a request fits now; hosts that are avoided after a failed launch come last. */
const fittingSql = sql(
  'placement-fitting',
  `select n.id, count(*) as free
   from nodes n join slots s on s.node_id = n.id left join node_reports r on r.node_id = n.id
     left join node_launch_failures f on f.node_id = n.id and f.avoided_until > act_time()
   where n.sku = $1 and n.region = $2 and n.state = 'active' and host_offered(n.schedulable, n.simulated)
     and r.reported_at > act_time() - make_interval(secs => $3)
     and s.state = 'available' and s.health_state = 'healthy'
     and (not $4 or s.fabric_vf_pci_address is not null) and (not $5 or s.nvme_device is not null)
     and ($6::uuid is null or exists (
       select from node_image_cache c where c.node_id = n.id and c.image_id = $6))
     and n.id <> all ($7::uuid[]) and not capacity_kept(n.id, $11, $6::uuid is not null, $12, array[s.id])
   group by n.id, f.failed_at, case when $8 then 0 else s.numa_node end
   having count(*) >= $9 and (not $8 or count(*) = (select count(*) from slots t where t.node_id = n.id))
   order by f.failed_at nulls first, count(*), n.id limit $10`,
);
const surveySql = sql(
  'placement-survey',
  `select n.id, n.name, n.region, n.sku, n.state,
     host_offered(n.schedulable, n.simulated) as schedulable,
     coalesce(r.reported_at > act_time() - make_interval(secs => $5), false) as reporting,
     case when f.avoided_until > act_time() then f.failed_at end as launch_failed_at,
     n.sku = $2 and n.region = $3 and capacity_kept(n.id, $6, $7, $8, '{}') as kept,
     array(select c.image_id::text from node_image_cache c where c.node_id = n.id) as images,
     (select json_agg(json_build_array(s.id, s.slot_index, s.state, s.health_state, s.numa_node,
        s.fabric_vf_pci_address is not null, s.nvme_device is not null, s.generation, s.id = any (k.slot_ids))
        order by s.slot_index)
      from slots s where s.node_id = n.id) as slots
   from nodes n left join node_reports r on r.node_id = n.id
     left join node_launch_failures f on f.node_id = n.id
     cross join lateral (
       select case when n.sku = $2 and n.region = $3 then reserved_slots(n.id, $6) else '{}' end as slot_ids) k
   where n.sku = any ($1) and n.state <> 'deleted'
   order by n.sku = $2 and n.region = $3 desc, n.id limit $4`,
);
const pageSql = sql(
  'placement-node-page',
  `select id from nodes where state = 'active' and ($1::uuid is null or id > $1) order by id limit $2`,
);

type SlotValues = readonly [string, number, string, string, number, boolean, boolean, number, boolean];
interface Row extends Omit<CandidateNode, 'slots' | 'launchFailedAt'> {
  readonly launch_failed_at: Date | null;
  readonly slots: readonly SlotValues[] | null;
}
const asSlot = ([id, index, state, health, numa, fabric, nvme, generation, kept]: SlotValues): CandidateSlot => ({
  ...{ id, index, state, health, numa, fabric, nvme, generation },
  ...(kept && { kept }),
});
const asNode = ({ launch_failed_at: failedAt, ...row }: Row): CandidateNode => ({
  ...row,
  ...(failedAt && { launchFailedAt: failedAt.toISOString() }),
  slots: (row.slots ?? []).map(asSlot),
});

export const readCandidates = async (
  tx: ReadTx,
  ids: readonly string[],
  lostAfterSeconds: number,
  /** For whom: what is kept from it for those who wait is marked. */
  request?: PlacementRequest,
): Promise<CandidateNode[]> =>
  (
    await tx.rows<Row>(readSql, [
      ...[ids, lostAfterSeconds, request !== undefined, request?.endsAt ?? null],
      ...[request?.image?.mustBeCached ?? false, request?.provisionSeconds ?? 0],
    ])
  ).map(asNode);

export const findFitting = async (
  tx: ReadTx,
  request: PlacementRequest,
  look: {
    readonly lostAfterSeconds: number;
    readonly whole: boolean;
    readonly except: readonly string[];
    readonly limit: number;
  },
): Promise<string[]> =>
  (
    await tx.rows<{ id: string }>(fittingSql, [
      request.sku,
      request.region,
      look.lostAfterSeconds,
      request.fabric,
      request.nvme,
      request.image?.mustBeCached ? request.image.id : null,
      look.except,
      look.whole,
      request.gpus,
      look.limit,
      ...[request.endsAt ?? null, request.provisionSeconds ?? 0],
    ])
  ).map(({ id }) => id);

export const survey = async (
  tx: ReadTx,
  look: {
    readonly skus: readonly string[];
    readonly request: PlacementRequest;
    readonly limit: number;
    readonly lostAfterSeconds: number;
  },
): Promise<CandidateNode[]> =>
  (
    await tx.rows<Row>(surveySql, [
      ...[look.skus, look.request.sku, look.request.region, look.limit, look.lostAfterSeconds],
      ...[look.request.endsAt ?? null, look.request.image?.mustBeCached ?? false, look.request.provisionSeconds ?? 0],
    ])
  ).map(asNode);

export const listNodeIds = async (tx: ReadTx, after: string | undefined, limit: number): Promise<string[]> =>
  (await tx.rows<{ id: string }>(pageSql, [after ?? null, limit])).map(({ id }) => id);
