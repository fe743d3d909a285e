import type { Alert } from '@gpuaas/contract';
import { type ReadTx, sql, type WriteTx } from '../../kernel/act.ts';
import type { Finding, Host, KnownSlot, ReportedCondition } from './evaluate-report.ts';

/** Lock order: writers of alerts of a node lock this row before any of its slots. */
const holdSql = sql('alerts-hold-node', `select pg_advisory_xact_lock(hashtextextended('alerts ' || $1::text, 0))`);
/** Replaces what one source says of one node: what it says no more is gone, what it says still keeps its time. */
const replaceSql = sql(
  'alerts-replace',
  `with wanted as materialized (
     select w.*, uuid_of_now() as id
     from jsonb_to_recordset($3::jsonb) as w (kind text, effect text, message text,
       "tenantMessage" text, "slotId" uuid, "allocationId" uuid)
   ), gone as (
     delete from alerts a where a.source = $1 and a.node_id = $2 and ($4::uuid is null or a.allocation_id = $4)
       and not exists (select from wanted w where w.kind = a.kind and w."slotId" is not distinct from a.slot_id
         and w."allocationId" is not distinct from a.allocation_id)
     returning a.kind, a.slot_id
   ), kept as (
     insert into alerts (id, source, kind, effect, node_id, slot_id, allocation_id, message, tenant_message)
     select w.id, $1, w.kind, w.effect, $2, w."slotId", w."allocationId", w.message, w."tenantMessage" from wanted w
     on conflict (source, kind, node_id, slot_id, allocation_id) do update
       set effect = excluded.effect, message = excluded.message, tenant_message = excluded.tenant_message
       where (alerts.effect, alerts.message, alerts.tenant_message)
         is distinct from (excluded.effect, excluded.message, excluded.tenant_message)
     returning kind, slot_id
   )
   select 'raised' as what, kind, slot_id from kept union all select 'cleared', kind, slot_id from gone`,
);
const alertsOfSql = sql(
  'alerts-of-source',
  'select effect, slot_id as "slotId" from alerts where source = $1 and node_id = $2',
);
const columns = `a.id, a.source, a.kind, a.effect, a.message, a.tenant_message, a.node_id, n.name as node_name, a.slot_id,
     s.slot_index, a.allocation_id, a.raised_by, a.since`;
const listSql = sql(
  'alert-list',
  `select ${columns} from alerts a left join nodes n on n.id = a.node_id left join slots s on s.id = a.slot_id
   where ($1::uuid is null or a.node_id = $1) and ($2::text is null or a.source = $2)
     and ($3::text is null or a.effect = $3) and ($4::uuid is null or a.id < $4) and ($5::uuid is null or a.id = $5)
   order by a.id desc limit $6`,
);
const insertSql = sql(
  'alert-insert',
  `insert into alerts (id, source, kind, effect, node_id, slot_id, message, tenant_message, raised_by)
   values ($1, 'operator', $2, $3, $4, $5, $6, $7, $8)`,
);
const deleteSql = sql('alert-delete', `delete from alerts where id = $1 and source = 'operator'`);
const targetSql = sql(
  'alert-target',
  `select n.id, exists (select from slots s where s.node_id = n.id and s.id = $2) as has_slot
   from nodes n where n.id = $1 and n.state <> 'deleted'`,
);
/** Nodes whose report has findings, or had some. */
const reportsSql = sql(
  'alert-reports',
  `select n.id, k.capacity_shape as shape, coalesce(r.conditions, '[]') as conditions,
     (select coalesce(jsonb_agg(jsonb_build_object('id', s.id, 'slot_index', s.slot_index, 'pci_address', s.pci_address,
        'state', s.state)), '[]') from slots s where s.node_id = n.id) as slots,
     (select coalesce(jsonb_agg(jsonb_build_object('kind', a.kind, 'effect', a.effect, 'message', a.message,
        'tenantMessage', a.tenant_message, 'slotId', a.slot_id, 'allocationId', a.allocation_id)), '[]')
      from alerts a where a.node_id = n.id and a.source = 'health') as alerts,
     exists (select from automation_breakers b where b.kind = 'quarantine' and b.region = n.region and b.sku = n.sku
       and b.tripped_at is not null) as tripped
   from nodes n join skus k on k.slug = n.sku left join node_reports r on r.node_id = n.id
   where n.state <> 'deleted' and ($1::uuid[] is null or n.id = any ($1::uuid[])) and ($2::uuid is null or n.id > $2)
     and (r.conditions @? '$[*] ? (@.status == "False")'
       or exists (select from alerts a where a.node_id = n.id and a.source = 'health'))
   order by n.id limit $3`,
);
const nodesOfSlotsSql = sql('alert-nodes-of-slots', 'select distinct node_id from slots where id = any ($1::uuid[])');
const nodesOfHolderSql = sql('alert-nodes-of-holder', 'select distinct node_id from slots where allocation_id = $1');
const countSql = sql('alert-count', 'select source, effect, count(*)::int as n from alerts group by source, effect');
/** Alerts about allocations that are over. */
const overSql = sql(
  'alert-over',
  `select distinct a.node_id, a.allocation_id, a.source from alerts a join allocations l on l.id = a.allocation_id
   where a.node_id is not null and l.ended_at is not null and mine(l.organization_id) limit $1`,
);

export type AlertRow = Omit<Alert, 'since'> & { readonly since: Date };
export interface ReportRow extends Host {
  readonly id: string;
  readonly conditions: readonly ReportedCondition[];
  readonly slots: readonly KnownSlot[];
  readonly alerts: readonly Finding[];
  /** Nothing more of its pool is taken: the breaker has tripped. */
  readonly tripped: boolean;
}

/** Writes what a source says of a node, or of one allocation there. The caller holds the node. */
export async function writeAlerts(
  tx: WriteTx,
  of: { readonly source: Alert['source']; readonly nodeId: string; readonly allocationId?: string },
  findings: readonly Finding[],
): Promise<{ readonly raised: readonly string[]; readonly cleared: readonly string[] }> {
  const changed = await tx.rows<{ what: 'raised' | 'cleared'; kind: string }>(replaceSql, [
    ...[of.source, of.nodeId, JSON.stringify(findings), of.allocationId ?? null],
  ]);
  const kinds = (what: string) => changed.filter((each) => each.what === what).map(({ kind }) => kind);
  return { raised: kinds('raised'), cleared: kinds('cleared') };
}
export const holdNode = (tx: WriteTx, nodeId: string | null) => tx.rows(holdSql, [nodeId]);
/** What a source says of a node now. */
export const listAlertsOf = (tx: ReadTx, source: Alert['source'], nodeId: string) =>
  tx.rows<Pick<Finding, 'effect' | 'slotId'>>(alertsOfSql, [source, nodeId]);
export const listAlerts = (
  tx: ReadTx,
  filter: {
    readonly node?: string | undefined;
    readonly source?: string | undefined;
    readonly effect?: string | undefined;
    readonly id?: string | undefined;
  },
  before: string | undefined,
  limit: number,
) =>
  tx.rows<AlertRow>(listSql, [
    ...[filter.node ?? null, filter.source ?? null, filter.effect ?? null, before ?? null, filter.id ?? null, limit],
  ]);
export const findAlert = async (tx: ReadTx, id: string): Promise<AlertRow | undefined> =>
  (await listAlerts(tx, { id }, undefined, 1))[0];
export async function insertAlert(
  tx: WriteTx,
  alert: Pick<AlertRow, 'id' | 'kind' | 'effect' | 'node_id' | 'slot_id' | 'message' | 'tenant_message' | 'raised_by'>,
): Promise<void> {
  await Promise.all([
    holdNode(tx, alert.node_id),
    tx.run(insertSql, [
      ...[alert.id, alert.kind, alert.effect, alert.node_id, alert.slot_id, alert.message, alert.tenant_message],
      alert.raised_by,
    ]),
  ]);
}
export const deleteAlert = (tx: WriteTx, id: string) => tx.run(deleteSql, [id]);
export const findTarget = async (tx: ReadTx, nodeId: string, slotId: string | undefined) =>
  (await tx.rows<{ id: string; has_slot: boolean }>(targetSql, [nodeId, slotId ?? null]))[0];
export const listReports = (
  tx: ReadTx,
  nodeIds: readonly string[] | undefined,
  after: string | undefined,
  limit: number,
) => tx.rows<ReportRow>(reportsSql, [nodeIds ?? null, after ?? null, limit]);
export const nodesOf = async (
  tx: ReadTx,
  which: { readonly allocationId: string } | { readonly slotIds: readonly string[] },
): Promise<string[]> =>
  (
    await ('slotIds' in which
      ? tx.rows<{ node_id: string }>(nodesOfSlotsSql, [which.slotIds])
      : tx.rows<{ node_id: string }>(nodesOfHolderSql, [which.allocationId]))
  ).map(({ node_id }) => node_id);
export const countAlerts = (tx: ReadTx) =>
  tx.rows<{ source: Alert['source']; effect: Alert['effect']; n: number }>(countSql);
export const listOver = (tx: ReadTx, limit: number) =>
  tx.rows<{ node_id: string; allocation_id: string; source: Alert['source'] }>(overSql, [limit]);
