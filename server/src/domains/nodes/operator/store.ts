import type { FleetNode, FleetTask, NodeDetail, ResourceSlot } from '@gpuaas/contract';
import type { HostTopology } from '@gpuaas/contract/node';
import { type ReadTx, sql, type WriteTx } from '../../../kernel/act.ts';
import { type ActionableNode, type Allowed, nodeActionsOf } from '../rules/node.ts';
import { type SlotProof, whyNoClear } from '../rules/proof.ts';
import { slotActionsOf } from '../rules/slot.ts';

/**
 * When the newest probe of the host `n` was asked for that found it healthy. It counts from the moment it was asked for: a probe
 * that began before something was put aside says nothing about what put it aside.
 */
const probedAt = `(select max(t.created_at) from node_tasks t where t.node_id = n.id and t.allocation_id is null
     and (t.organization_id is null or mine(t.organization_id))
     and t.task_type = 'diag.health_probe' and t.state = 'succeeded' and t.result -> 'output' ->> 'healthy' = 'true')`;
/** When the newest alert was raised that keeps the slot `s` from being sold. */
const alertedAt = `(select max(a.since) from alerts a where a.node_id = s.node_id and a.effect = 'blocks_sale'
     and a.allocation_id is null and (a.slot_id is null or a.slot_id = s.id))`;

const ofSlotsSql = sql(
  'slot-proofs',
  `select s.id, s.updated_at, ${probedAt} as probed_at, ${alertedAt} as alerted_at
   from slots s join nodes n on n.id = s.node_id where s.id = any ($1::uuid[])`,
);

/** Which allocations the node `n` still serves, or is cleaning up after. */
const busy = `select a.id from allocations a
   where a.node_id = n.id and a.state not in ('released', 'failed') and mine(a.organization_id)
   union
   select s.allocation_id from slots s
   where s.node_id = n.id and s.allocation_id is not null and s.state in ('reserved', 'in_use', 'cleaning')`;
/** Images that are offered for a node's kind of slices and that it does not have. */
const lacked = `select i.slug from skus k join os_images i on i.active and k.slug = any (i.skus)
   where k.slug = n.sku and k.capacity_shape = 'gpu_slice' and not exists (
     select from node_image_cache c where c.node_id = n.id and c.image_id = i.id and c.digest = i.digest)`;

const columns = `n.id, n.name, n.region, n.sku, n.gpus_total, n.onboarding_mode, n.address, n.labels, n.simulated, n.abilities, n.state, n.state_reason,
     n.schedulable, n.cordon_reason, n.version, n.enrolled_at, n.drain_deadline_at, n.topology_at, n.created_at,
     n.updated_at, r.reported_at as last_report_at, r.agent_version,
     (select coalesce(jsonb_object_agg(c.state, c.many), '{}') from (
       select s.state, count(*) as many from slots s where s.node_id = n.id group by s.state
     ) c) as slots,
     (select count(*)::int from slots s where s.node_id = n.id and s.state = 'available' and s.health_state = 'healthy'
       and n.state = 'active' and host_offered(n.schedulable, n.simulated)) as sellable_slots,
     (select coalesce(jsonb_agg(jsonb_build_object('id', a.id, 'source', a.source, 'kind', a.kind, 'effect', a.effect,
        'message', a.message, 'tenant_message', a.tenant_message, 'slot_id', a.slot_id, 'slot_index', s.slot_index,
        'allocation_id', a.allocation_id, 'raised_by', a.raised_by,
        'since', to_char(a.since at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')) order by a.effect, a.since), '[]')
      from alerts a left join slots s on s.id = a.slot_id where a.node_id = n.id) as alerts,
     (select count(*)::int from allocation_claims c
      where c.node_id = n.id and c.freed_at is null and mine(c.organization_id)) as claims,
     exists (select from node_tasks t where t.node_id = n.id and t.task_type = 'node.reimage_prepare'
       and t.state in ('queued', 'dispatched') and mine(t.organization_id)) as imaging,
     exists (select from skus k where k.slug = n.sku and k.capacity_shape = 'gpu_slice'
       and not n.abilities @> '["slices"]') as lacks_slices`;
const insertSql = sql(
  'node-insert',
  `insert into nodes (id, name, region, sku, gpus_total, onboarding_mode, address, labels)
   values ($1, $2, $3, $4, $5, $6, $7, $8) on conflict do nothing`,
);
const getSql = sql(
  'node-get',
  `select ${columns}, ${probedAt} as probed_at, array(${busy}) as busy,
     array(${lacked} order by i.slug) as lacked_images
   from nodes n left join node_reports r on r.node_id = n.id where n.id = $1`,
);
const filtered = `($3::text is null or n.region = $3) and ($4::text is null or n.sku = $4)
     and (n.state = $5 or ($5::text is null and n.state <> 'deleted')) and ($6::boolean is null or n.schedulable = $6)
     and ($7::text is null or strpos(n.name, lower($7)) > 0 or strpos(lower(n.address), lower($7)) > 0 or n.id::text = lower($7))`;
const listSql = sql(
  'node-list',
  `select ${columns}, ${probedAt} as probed_at, array(${busy}) as busy,
     array(${lacked} order by i.slug) as lacked_images
   from nodes n left join node_reports r on r.node_id = n.id
   where ($1::uuid is null or n.id > $1) and ${filtered}
   order by n.id limit $2`,
);
const listByNameSql = sql(
  'node-list-by-name',
  `select ${columns}, ${probedAt} as probed_at, array(${busy}) as busy,
     array(${lacked} order by i.slug) as lacked_images
   from nodes n left join node_reports r on r.node_id = n.id
   where ($1::text is null or n.name collate "C" > $1) and ${filtered}
   order by n.name collate "C" limit $2`,
);
const detailSql = sql(
  'node-detail',
  `select n.topology, r.reported_at, r.boot_id, r.clock_skew_ms, r.conditions, r.leases, r.running_tasks,
     r.gpu_utilization, c.serial, c.not_after, c.revoked_at
   from nodes n
   left join node_reports r on r.node_id = n.id
   left join lateral (
     select serial, not_after, revoked_at from node_certificates where node_id = n.id order by not_after desc limit 1
   ) c on true
   where n.id = $1`,
);
const changeSql = sql(
  'node-change',
  `update nodes set labels = coalesce($2::jsonb, labels), address = case when $3 then $4 else address end,
     version = version + 1, updated_at = act_time()
   where id = $1`,
);
const scheduleSql = sql(
  'node-schedule',
  `update nodes set schedulable = $2, cordon_reason = $3, version = version + 1, updated_at = act_time() where id = $1`,
);
const lockSql = sql('node-operator-lock', 'select id, state, version from nodes where id = $1 for update');
const slotsSql = sql(
  'node-slots',
  `select s.*, ${probedAt} as probed_at, ${alertedAt} as alerted_at,
     case when s.wipe_owed_since is not null then slot_wipe_proof(s) end as wipe_proof_task_id,
     exists (select from allocation_claims c join allocations a on a.id = c.allocation_id and a.organization_id = c.organization_id
       where c.slot_id = s.id and c.freed_at is null and a.state not in ('released', 'failed')
         and mine(a.organization_id)) as claimed
   from slots s join nodes n on n.id = s.node_id where s.node_id = $1 order by s.slot_index`,
);
const busySql = sql('node-busy', `select unnest(array(${busy})) as id from nodes n where n.id = $1`);
const tasksSql = sql(
  'node-task-list',
  `select id, task_type, state, generation, allocation_id, failure_code, correlation_id, issued_at, expires_at,
     dispatched_at, finished_at
   from node_tasks where node_id = $1 and ($2::uuid is null or id < $2) and (organization_id is null or mine(organization_id))
     and ($4::text is null or state = $4)
     and ($5::text is null or strpos(task_type, lower($5)) > 0 or allocation_id::text = lower($5))
   order by id desc limit $3`,
);

export interface NodeRow
  extends Omit<
      FleetNode,
      | 'version'
      | 'actions'
      | 'enrolled_at'
      | 'drain_deadline_at'
      | 'topology_at'
      | 'last_report_at'
      | 'created_at'
      | 'updated_at'
    >,
    Pick<ActionableNode, 'probed_at' | 'busy' | 'claims' | 'imaging' | 'lacked_images' | 'lacks_slices'> {
  readonly version: bigint;
  readonly enrolled_at: Date | null;
  readonly drain_deadline_at: Date | null;
  readonly topology_at: Date | null;
  readonly last_report_at: Date | null;
  readonly created_at: Date;
  readonly updated_at: Date;
}
interface DetailRow {
  readonly topology: HostTopology | null;
  readonly reported_at: Date | null;
  readonly boot_id: string;
  readonly clock_skew_ms: bigint;
  readonly conditions: NodeDetail['conditions'] | null;
  readonly leases: NonNullable<NodeDetail['report']>['leases'];
  readonly running_tasks: string[];
  readonly gpu_utilization: number[] | null;
  readonly serial: string | null;
  readonly not_after: Date;
  readonly revoked_at: Date | null;
}
export interface SlotRow
  extends Omit<ResourceSlot, 'version' | 'generation' | 'updated_at' | 'actions' | 'wipe_owed_since' | 'wipe_waived'> {
  readonly claimed: boolean;
  readonly probed_at: Date | null;
  /** When the newest alert was raised that keeps it from being sold. */
  readonly alerted_at: Date | null;
  readonly wipe_owed_since: Date | null;
  readonly wipe_waived_at: Date | null;
  readonly wipe_waived_by: string | null;
  readonly wipe_waived_reason: string | null;
  readonly version: bigint;
  readonly generation: bigint;
  readonly updated_at: Date;
}
type TaskRow = Omit<FleetTask, 'generation' | 'issued_at' | 'expires_at' | 'dispatched_at' | 'finished_at'> & {
  readonly generation: bigint;
  readonly issued_at: Date;
  readonly expires_at: Date;
  readonly dispatched_at: Date | null;
  readonly finished_at: Date | null;
};

const when = (date: Date | null): string | null => date?.toISOString() ?? null;

export const showNode = (
  { probed_at, busy, claims, imaging, lacked_images, lacks_slices, ...row }: NodeRow,
  allowed: Allowed,
): FleetNode => ({
  ...row,
  actions: nodeActionsOf({ ...row, probed_at, busy, claims, imaging, lacked_images, lacks_slices }, allowed),
  version: Number(row.version),
  enrolled_at: when(row.enrolled_at),
  drain_deadline_at: when(row.drain_deadline_at),
  topology_at: when(row.topology_at),
  last_report_at: when(row.last_report_at),
  created_at: row.created_at.toISOString(),
  updated_at: row.updated_at.toISOString(),
});
export const showSlot = (row: SlotRow): ResourceSlot => ({
  id: row.id,
  slot_index: row.slot_index,
  state: row.state,
  state_reason: row.state_reason,
  health_state: row.health_state,
  health_detail: row.health_detail,
  version: Number(row.version),
  generation: Number(row.generation),
  allocation_id: row.allocation_id,
  gpu_uuid: row.gpu_uuid,
  gpu_model: row.gpu_model,
  gpu_memory_mib: row.gpu_memory_mib,
  pci_address: row.pci_address,
  fabric_vf_pci_address: row.fabric_vf_pci_address,
  nvme_device: row.nvme_device,
  mac_address: row.mac_address,
  private_ip: row.private_ip,
  numa_node: row.numa_node,
  wipe_owed_since: when(row.wipe_owed_since),
  wipe_proof_task_id: row.wipe_proof_task_id,
  wipe_waived: waiverOf(row),
  actions: slotActionsOf(row),
  updated_at: row.updated_at.toISOString(),
});
const waiverOf = ({ wipe_waived_at: at, wipe_waived_by: by, wipe_waived_reason: reason }: SlotRow) =>
  at && by && reason ? { at: at.toISOString(), by, reason } : null;
export const showTask = (row: TaskRow): FleetTask => ({
  ...row,
  generation: Number(row.generation),
  issued_at: row.issued_at.toISOString(),
  expires_at: row.expires_at.toISOString(),
  dispatched_at: when(row.dispatched_at),
  finished_at: when(row.finished_at),
});

/** False when a node of this name is there. */
export const insertNode = async (
  tx: WriteTx,
  node: Pick<FleetNode, 'id' | 'name' | 'region' | 'sku' | 'gpus_total' | 'onboarding_mode' | 'address' | 'labels'>,
): Promise<boolean> =>
  (await tx.run(insertSql, [
    node.id,
    node.name,
    node.region,
    node.sku,
    node.gpus_total,
    node.onboarding_mode,
    node.address,
    node.labels,
  ])) > 0;
export const findNode = async (tx: ReadTx, id: string): Promise<NodeRow | undefined> =>
  (await tx.rows<NodeRow>(getSql, [id]))[0];
export const findDetail = async (tx: ReadTx, id: string): Promise<DetailRow | undefined> =>
  (await tx.rows<DetailRow>(detailSql, [id]))[0];
export const listNodes = (
  tx: ReadTx,
  of: {
    readonly after: string | undefined;
    readonly limit: number;
    readonly region: string | undefined;
    readonly sku: string | undefined;
    readonly state: string | undefined;
    readonly schedulable: boolean | undefined;
    readonly q: string | undefined;
    readonly byName: boolean;
  },
) =>
  tx.rows<NodeRow>(of.byName ? listByNameSql : listSql, [
    of.after ?? null,
    of.limit,
    of.region ?? null,
    of.sku ?? null,
    of.state ?? null,
    of.schedulable ?? null,
    of.q ?? null,
  ]);
export const lockNode = async (tx: WriteTx, id: string) =>
  (await tx.rows<{ id: string; state: FleetNode['state']; version: bigint }>(lockSql, [id]))[0];
export const changeNode = (
  tx: WriteTx,
  id: string,
  to: { readonly labels: object | undefined; readonly address: string | null | undefined },
) =>
  tx.run(changeSql, [id, to.labels ? JSON.stringify(to.labels) : null, to.address !== undefined, to.address ?? null]);
export const scheduleNode = (tx: WriteTx, id: string, schedulable: boolean, reason: string | undefined) =>
  tx.run(scheduleSql, [id, schedulable, reason ?? null]);
export const listSlots = (tx: ReadTx, nodeId: string) => tx.rows<SlotRow>(slotsSql, [nodeId]);
/** Which allocations a node still serves, or is cleaning up after. */
export const busyWith = async (tx: ReadTx, nodeId: string): Promise<string[]> =>
  (await tx.rows<{ id: string }>(busySql, [nodeId])).map(({ id }) => id);
export const listTasks = (
  tx: ReadTx,
  nodeId: string,
  of: {
    readonly before: string | undefined;
    readonly limit: number;
    readonly state: string | undefined;
    readonly q: string | undefined;
  },
) => tx.rows<TaskRow>(tasksSql, [nodeId, of.before ?? null, of.limit, of.state ?? null, of.q ?? null]);
/** Why slots that are locked may not be cleared yet, as far as proof of their health goes: the first reason that there is. */
export async function whyNoneMayClear(tx: ReadTx, slotIds: readonly string[]): Promise<string | null> {
  const proofs = await tx.rows<SlotProof>(ofSlotsSql, [slotIds]);
  return proofs.map(whyNoClear).find((why) => why !== null) ?? null;
}
