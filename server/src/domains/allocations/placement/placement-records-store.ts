import { sql, type WriteTx } from '../../../kernel/act.ts';
import type { Ids } from '../../../kernel/id.ts';
import type { Reservation, UnplacedAllocation } from '../slots/slots.ts';
import type { Decision } from './decide.ts';
import { redact } from './explain.ts';

/** The decision of placement and its line of the timeline, after the first line of a new allocation. One statement for all. */
const insertSql = sql(
  'allocation-placement-records',
  `with placed as materialized (
     select * from json_to_recordset($1::json) as b (id uuid, organization_id uuid, request_id uuid, request jsonb,
       note_id uuid, note_name text, note jsonb, decision_id uuid, outcome text, decision jsonb)
   ), noted as (
     insert into allocation_timeline
       (id, allocation_id, organization_id, kind, name, from_state, to_state, version, detail, correlation_id)
     select t.id, b.id, b.organization_id, t.kind, t.name, null, t.to_state, t.version, t.detail, $2
     from placed b cross join lateral (values
       (b.request_id, 'transition', 'request', 'requested', 1, b.request),
       (b.note_id, 'note', b.note_name, null, null, b.note)
     ) as t (id, kind, name, to_state, version, detail)
     where t.id is not null
   )
   insert into placement_decisions (id, allocation_id, organization_id, outcome, document)
   select b.decision_id, b.id, b.organization_id, b.outcome, b.decision from placed b`,
);

export interface PlacementRecord {
  readonly allocation: Pick<UnplacedAllocation, 'id' | 'organization_id' | 'sku' | 'gpu_count' | 'region'>;
  readonly reservation: Reservation | undefined;
  readonly decision: Decision;
  readonly outcome: 'placed' | 'queued';
  /** The timeline of a new allocation begins with its request. */
  readonly isNew: boolean;
}

export async function insertPlacementRecords(
  tx: WriteTx,
  ids: Ids,
  correlationId: string,
  records: readonly PlacementRecord[],
): Promise<void> {
  const documents = records.map(({ allocation, reservation, decision, outcome, isNew }) => ({
    id: allocation.id,
    organization_id: allocation.organization_id,
    request_id: isNew ? ids.next() : null,
    request: { sku: allocation.sku, gpus: allocation.gpu_count, region: allocation.region },
    note_id: ids.next(),
    note_name: outcome === 'placed' ? 'placement_reserved' : 'queued',
    note: { ...redact(decision), ...(reservation && { generation: reservation.generation }) },
    decision_id: ids.next(),
    outcome,
    decision,
  }));
  await tx.run(insertSql, [JSON.stringify(documents), correlationId]);
}
