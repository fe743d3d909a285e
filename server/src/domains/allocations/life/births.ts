import { type Act, sql, type WriteTx } from '../../../kernel/act.ts';
import type { Ids } from '../../../kernel/id.ts';
import { redact } from '../placement/explain.ts';
import type { Placed, Refused } from '../placement/place.ts';
import type { Unplaced } from '../slots/slots.ts';
import { insertKeys, type KeyRow } from './wish-store.ts';

/**
 * What is written beside every new allocation: the first two lines of its timeline, and why it got its place or has to
 * wait. One statement for as many as were made together.
 */
const insertBirths = sql(
  'allocation-births-insert',
  `with born as materialized (
     select * from json_to_recordset($1::json) as b (id uuid, organization_id uuid, request_id uuid, request jsonb,
       place_id uuid, place_name text, place jsonb, decision_id uuid, outcome text, decision jsonb)
   ), told as (
     insert into allocation_timeline
       (id, allocation_id, organization_id, kind, name, from_state, to_state, version, detail, correlation_id)
     select t.id, b.id, b.organization_id, t.kind, t.name, null, t.to_state, t.version, t.detail, $2
     from born b cross join lateral (values
       (b.request_id, 'transition', 'request', 'requested', 1, b.request),
       (b.place_id, 'note', b.place_name, null, null, b.place)
     ) as t (id, kind, name, to_state, version, detail)
   )
   insert into placement_decisions (id, allocation_id, organization_id, outcome, document)
   select b.decision_id, b.id, b.organization_id, b.outcome, b.decision from born b`,
);

export interface Birth {
  readonly allocation: Unplaced;
  readonly place: Placed | Refused;
  readonly keys: readonly KeyRow[];
}

export async function writeBirths(tx: WriteTx, ids: Ids, act: Act, births: readonly Birth[]): Promise<void> {
  const documents = births.map(({ allocation, place: { decision, reservation } }) => ({
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
    tx.run(insertBirths, [JSON.stringify(documents), act.correlationId]),
    ...births
      .filter(({ keys }) => keys.length > 0)
      .map(({ allocation: { id, organization_id }, keys }) => insertKeys(tx, id, organization_id, keys)),
  ]);
}
