import { type Act, sql, type WriteTx } from '../../../kernel/act.ts';
import type { Ids } from '../../../kernel/id.ts';
import { insertKeys, type KeyRow } from '../launch/launch-store.ts';
import { redact } from '../placement/explain.ts';
import type { Placed, Refused } from '../placement/place.ts';
import type { UnplacedAllocation } from '../slots/slots.ts';

/** The first two lines of the timeline, and the decision of placement: one statement for all allocations of a request. */
const insertSql = sql(
  'allocation-creation-records',
  `with created as materialized (
     select * from json_to_recordset($1::json) as b (id uuid, organization_id uuid, request_id uuid, request jsonb,
       place_id uuid, place_name text, place jsonb, decision_id uuid, outcome text, decision jsonb)
   ), noted as (
     insert into allocation_timeline
       (id, allocation_id, organization_id, kind, name, from_state, to_state, version, detail, correlation_id)
     select t.id, b.id, b.organization_id, t.kind, t.name, null, t.to_state, t.version, t.detail, $2
     from created b cross join lateral (values
       (b.request_id, 'transition', 'request', 'requested', 1, b.request),
       (b.place_id, 'note', b.place_name, null, null, b.place)
     ) as t (id, kind, name, to_state, version, detail)
   )
   insert into placement_decisions (id, allocation_id, organization_id, outcome, document)
   select b.decision_id, b.id, b.organization_id, b.outcome, b.decision from created b`,
);

export interface CreatedAllocation {
  readonly allocation: UnplacedAllocation;
  readonly place: Placed | Refused;
  readonly keys: readonly KeyRow[];
}

/** Writes what belongs to every new allocation beside its row: timeline, decision and SSH keys. */
export async function insertCreationRecords(
  tx: WriteTx,
  ids: Ids,
  act: Act,
  created: readonly CreatedAllocation[],
): Promise<void> {
  const documents = created.map(({ allocation, place: { decision, reservation } }) => ({
    id: allocation.id,
    organization_id: allocation.organization_id,
    request_id: ids.next(),
    request: { sku: allocation.sku, gpus: allocation.gpu_count, region: allocation.region },
    place_id: ids.next(),
    place_name: reservation ? 'placement_reserved' : 'queued',
    place: redact(decision),
    decision_id: ids.next(),
    outcome: reservation ? 'placed' : 'queued',
    decision,
  }));
  await Promise.all([
    tx.run(insertSql, [JSON.stringify(documents), act.correlationId]),
    ...created
      .filter(({ keys }) => keys.length > 0)
      .map(({ allocation: { id, organization_id }, keys }) => insertKeys(tx, id, organization_id, keys)),
  ]);
}
