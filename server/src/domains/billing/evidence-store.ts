import { type ReadTx, sql, type WriteTx } from '../../kernel/act.ts';

const keysSql = sql('usage-node-keys', 'select id, result_key from nodes where id = any ($1::uuid[])');
/**
 * Stores what nodes have signed, and moves the meters on. A record counts when the same node proved the same lease ready;
 * from that proof on, and until the release was accepted or its cap was reached. Only a simulated host may say that GPU time passes
 * faster, and only as fast as `$5`. What is there already is answered as stored.
 *
 * A cap is a length of GPU time. It is reached when the time since the proof, each stretch as fast as the record that it begins with, adds
 * up to that length, so it holds also where the speed of simulated hosts was changed meanwhile. This is the only place that computes it;
 * proofs show the moment at which records stopped to count.
 */
const storeSql = sql(
  'usage-evidence-store',
  `with given as materialized (
     select g.*, sha256(convert_to(g.record, 'UTF8')) as digest from jsonb_to_recordset($1::jsonb) as g (n int, node_id uuid,
       allocation_id uuid, generation bigint, sequence bigint, from_at timestamptz, to_at timestamptz, gpus text[],
       final boolean, speed integer, record text, result_key text)
   ), judged as materialized (
     select g.*, a.organization_id, a.project_id, a.requested_by, a.sku, a.price_id, a.currency, a.unit_price_minor,
       a.gpu_count, k.billing_unit, coalesce(a.releasing_at, a.ended_at) as stop_at, t.taken_at,
       case when a.max_spend_minor is not null then coalesce(c.since, t.taken_at)
         + make_interval(secs => ((a.max_duration_seconds - coalesce(c.spent, 0)) / g.speed)::float8) end as spent_at,
       (select count(*)::int from jsonb_array_elements(t.document -> 'gpus') e where e ->> 'uuid' = any (g.gpus)) as seen,
       case
         when s.digest = g.digest then 'stored'
         when s.digest is not null or a.id is null then 'refused'
         when g.speed <> 1 and (g.speed <> $5::int or o.simulated is not true) then 'refused'
         when t.taken_at is null then case when a.state = 'provisioning' and a.node_id = g.node_id then 'later' else 'refused' end
         when g.to_at > $4::timestamptz + make_interval(secs => $3 / 1000.0) then 'later'
         when g.from_at < m.accrued_to or exists (select from usage_evidence e where e.allocation_id = g.allocation_id
           and e.from_at < g.to_at and e.to_at > g.from_at and mine(e.organization_id)) then 'refused'
         else 'new' end as outcome
     from given g left join allocations a on a.id = g.allocation_id and mine(a.organization_id)
       left join skus k on k.slug = a.sku left join nodes o on o.id = g.node_id
       left join lateral (select r.taken_at, r.document from readiness_attestations r where r.allocation_id = g.allocation_id
         and r.node_id = g.node_id and r.generation = g.generation and r.passed and mine(r.organization_id) order by r.id limit 1) t on true
       left join usage_evidence s on s.allocation_id = g.allocation_id and s.generation = g.generation
         and s.sequence = g.sequence and s.from_at = g.from_at and mine(s.organization_id)
       left join usage_meters m on m.resource_id = g.allocation_id and m.meter = 'gpu_time' and mine(m.organization_id)
       left join lateral (
         select g.from_at as since, sum(b.speed * greatest(0, extract(epoch from b.next_at - b.begins_at))) as spent
         from (
           select r.speed, lead(r.from_at, 1, g.from_at) over w as next_at,
             case when row_number() over w = 1 then t.taken_at else greatest(r.from_at, t.taken_at) end as begins_at
           from (
             select e.from_at, e.speed from usage_evidence e where e.allocation_id = g.allocation_id and e.generation = g.generation
               and e.from_at < g.from_at and mine(e.organization_id)
             union select h.from_at, h.speed from given h where h.allocation_id = g.allocation_id and h.generation = g.generation
               and h.from_at < g.from_at and (h.speed = 1 or h.speed = $5::int)
           ) r window w as (order by r.from_at)
         ) b having count(*) > 0
       ) c on a.max_spend_minor is not null and o.simulated
   ), stored as (
     insert into usage_evidence (allocation_id, organization_id, node_id, generation, sequence, from_at, to_at, counts_from,
       counts_to, gpus, record, digest, result_key, speed)
     select j.allocation_id, j.organization_id, j.node_id, j.generation, j.sequence, j.from_at, j.to_at,
       greatest(j.from_at, j.taken_at), greatest(j.from_at, j.taken_at, least(j.to_at, j.stop_at, j.spent_at)), j.seen, j.record, j.digest,
       j.result_key, j.speed
     from judged j where j.outcome = 'new' order by j.allocation_id, j.from_at
     returning allocation_id, counts_from, counts_to
   ), metered as (
     insert into usage_meters (resource_id, meter, organization_id, project_id, requested_by, sku, price_id, currency,
       rate_micro, unit, gpus, evidence_to, accrued_to, ended)
     select j.allocation_id, 'gpu_time', j.organization_id, j.project_id, j.requested_by, j.sku, j.price_id, j.currency,
       j.unit_price_minor * $2::bigint, j.billing_unit, j.gpu_count, max(s.counts_to), min(s.counts_from),
       bool_or(j.final or j.stop_at is not null)
     from judged j join (select allocation_id, max(counts_to) as counts_to, min(counts_from) as counts_from from stored
       group by allocation_id) s on s.allocation_id = j.allocation_id
     where j.outcome = 'new'
     group by j.allocation_id, j.organization_id, j.project_id, j.requested_by, j.sku, j.price_id, j.currency,
       j.unit_price_minor, j.billing_unit, j.gpu_count
     order by j.allocation_id
     on conflict (resource_id, meter) do update set evidence_to = greatest(usage_meters.evidence_to, excluded.evidence_to),
       ended = usage_meters.ended or excluded.ended
     returning resource_id
   )
   select n, case outcome when 'new' then 'stored' else outcome end as outcome, outcome = 'new' as is_new
   from judged order by n`,
);

export interface EvidenceRow {
  readonly n: number;
  readonly node_id: string;
  readonly allocation_id: string;
  readonly generation: number;
  readonly sequence: number;
  readonly from_at: string;
  readonly to_at: string;
  readonly gpus: readonly string[];
  readonly final: boolean;
  /** 1, or that of a simulated host. */
  readonly speed: number;
  readonly record: string;
  readonly result_key: string;
}
export interface EvidenceOutcome {
  readonly n: number;
  readonly outcome: 'stored' | 'refused' | 'later';
  readonly is_new: boolean;
}

export const findResultKeys = async (tx: ReadTx, nodeIds: readonly string[]): Promise<Map<string, string | null>> =>
  new Map(
    (await tx.rows<{ id: string; result_key: string | null }>(keysSql, [nodeIds])).map((row) => [
      row.id,
      row.result_key,
    ]),
  );
export const storeEvidence = (
  tx: WriteTx,
  rows: readonly EvidenceRow[],
  how: { readonly microPerMinor: bigint; readonly aheadMs: number; readonly now: Date; readonly speed: number },
) => tx.rows<EvidenceOutcome>(storeSql, [JSON.stringify(rows), how.microPerMinor, how.aheadMs, how.now, how.speed]);
