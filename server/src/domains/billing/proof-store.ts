import { type ReadTx, sql } from '../../kernel/act.ts';

/** Times are whole microseconds, because a date of JavaScript would round them. */
const windowsSql = sql(
  'proof-windows',
  `select u.id, (extract(epoch from u.from_at) * 1000)::bigint as key,
     (extract(epoch from u.from_at) * 1000000)::bigint::text as from_us,
     (extract(epoch from u.to_at) * 1000000)::bigint::text as to_us,
     usage_text(u.id, u.organization_id, u.project_id, u.resource_id, u.meter, u.sku, u.price_id, u.requested_by, u.currency,
       u.unit, u.from_at, u.to_at, u.quantity_ms, u.rate_micro, u.exact, u.charged_minor, u.amount_minor, u.evidence) as text
   from usage_windows u where u.resource_id = $1 and u.meter = $2 and mine(u.organization_id)
     and u.from_at >= $3::date::timestamp at time zone 'UTC' and u.from_at < ($3::date + 1)::timestamp at time zone 'UTC'
     and ($4::bigint is null or u.from_at >= timestamptz 'epoch' + ($4::bigint + 1) * interval '1 millisecond')
   order by u.from_at limit $5`,
);
const beforeSql = sql(
  'proof-before',
  `select u.exact::text as exact, u.charged_minor::text as charged_minor from usage_windows u
   where u.resource_id = $1 and u.meter = $2 and mine(u.organization_id)
     and u.from_at < timestamptz 'epoch' + $3::bigint * interval '1 microsecond'
   order by u.from_at desc limit 1`,
);
/** Records that a release or a cap cut when they came say where it was. */
const meterSql = sql(
  'proof-meter',
  `select m.gpus, (extract(epoch from least(coalesce(a.releasing_at, a.ended_at), c.cut_at)) * 1000000)::bigint::text
     as stop_at
   from usage_meters m left join allocations a on a.id = m.resource_id and mine(a.organization_id)
     left join lateral (select min(e.counts_to) as cut_at from usage_evidence e
       where e.allocation_id = a.id and e.counts_to < e.to_at and mine(e.organization_id)) c on true
   where m.resource_id = $1 and m.meter = $2 and mine(m.organization_id)`,
);
const attestationsSql = sql(
  'proof-attestations',
  `select distinct on (r.node_id, r.generation) r.node_id, r.generation::int as generation,
     (extract(epoch from r.taken_at) * 1000000)::bigint::text as taken_at,
     (select coalesce(array_agg(e ->> 'uuid'), '{}') from jsonb_array_elements(r.document -> 'gpus') e) as gpus
   from readiness_attestations r where r.allocation_id = $1 and r.passed and mine(r.organization_id)
   order by r.node_id, r.generation, r.id`,
);
const evidenceSql = sql(
  'proof-evidence',
  `select e.record, e.result_key
   from (select timestamptz 'epoch' + $2::bigint * interval '1 microsecond' as from_at,
       timestamptz 'epoch' + $3::bigint * interval '1 microsecond' as to_at) w
     join usage_evidence e on e.allocation_id = $1 and e.from_at < w.to_at and e.from_at > w.from_at - interval '1 day'
       and e.counts_from < w.to_at and e.counts_to > w.from_at and mine(e.organization_id)
   order by e.from_at`,
);
const readingsSql = sql(
  'proof-readings',
  `select storage_reading_text(r.project_id, r.organization_id, r.at, r.stored_bytes, r.byte_us) as text
   from storage_readings r where r.project_id = $1 and mine(r.organization_id)
     and r.at < timestamptz 'epoch' + $3::bigint * interval '1 microsecond'
     and r.at >= (select max(q.at) from storage_readings q where q.project_id = $1 and mine(q.organization_id)
       and q.at <= timestamptz 'epoch' + $2::bigint * interval '1 microsecond')
   order by r.at`,
);
/** Of each window, and of the one before the first. */
const countsSql = sql(
  'proof-counts',
  `select app_use_reading_text(r.app_instance_id, r.meter, r.at, r.organization_id, r.app_version_id, r.endpoint_name,
     r.operating_mode, r.correlation_id, r.count) as text
   from app_use_readings r where r.app_instance_id = $1 and r.meter = $4 and mine(r.organization_id)
     and r.at <= timestamptz 'epoch' + $3::bigint * interval '1 microsecond'
     and r.at >= coalesce((select max(q.at) from app_use_readings q where q.app_instance_id = $1 and q.meter = $4
       and q.at <= timestamptz 'epoch' + $2::bigint * interval '1 microsecond' and mine(q.organization_id)), '-infinity')
   order by r.at`,
);
/** The links that hold the given entries. Entries of one link were made in one statement, so their times bound the search. */
const linksSql = sql(
  'proof-links',
  `with wanted as materialized (
     select l.id, l.at from ledger_entries l
     where l.organization_id = $1 and l.id = any ($2::uuid[]) and mine(l.organization_id)
   )
   select s.number::text as number, encode(coalesce(b.hash, ''::bytea), 'hex') as hash_before,
     s.balance_minor::text as balance_minor, s.held_minor::text as held_minor, encode(s.hash, 'hex') as hash,
     (select array_agg(ledger_text(l.id, l.organization_id, l.currency, l.kind, l.at, l.accounts, l.amounts, l.project_id,
        l.actor_id, l.correlation_id, l.reason, l.corrects, l.document) order by l.id)
      from ledger_entries l where l.organization_id = $1 and l.id = any (s.entry_ids) and mine(l.organization_id)) as entries
   from ledger_seals s left join ledger_seals b on b.organization_id = $1 and b.number = s.number - 1
     and mine(b.organization_id)
   where s.organization_id = $1 and mine(s.organization_id)
     and s.last_at >= (select min(w.at) from wanted w) and s.first_at <= (select max(w.at) from wanted w)
     and exists (select from wanted w where w.id = any (s.entry_ids))
   order by s.number`,
);

export interface ProofWindow {
  readonly id: string;
  readonly key: bigint;
  readonly from_us: string;
  readonly to_us: string;
  readonly text: string;
}
export interface ProofOf {
  readonly resource_id: string;
  readonly meter: string;
  readonly day: string;
}

export const listProofWindows = (tx: ReadTx, of: ProofOf, after: string | undefined, limit: number) =>
  tx.rows<ProofWindow>(windowsSql, [of.resource_id, of.meter, of.day, after ?? null, limit]);

/** Everything that the given windows rest on. */
export async function readProof(
  tx: ReadTx,
  of: ProofOf & { readonly organizationId: string },
  windows: readonly ProofWindow[],
) {
  const [first, last] = [windows[0]?.from_us ?? null, windows.at(-1)?.to_us ?? null];
  const [meter] = await tx.rows<{ gpus: number; stop_at: string | null }>(meterSql, [of.resource_id, of.meter]);
  const [before] = await tx.rows<{ exact: string; charged_minor: string }>(beforeSql, [
    of.resource_id,
    of.meter,
    first,
  ]);
  return {
    meter,
    before: before ?? { exact: '0', charged_minor: '0' },
    attestations: await tx.rows<{ node_id: string; generation: number; taken_at: string; gpus: string[] }>(
      attestationsSql,
      [of.resource_id],
    ),
    readings:
      of.meter === 'storage'
        ? await tx.rows<{ text: string }>(readingsSql, [of.resource_id, first, last])
        : of.meter === 'gpu_time'
          ? []
          : await tx.rows<{ text: string }>(countsSql, [of.resource_id, first, last, of.meter]),
    evidence: await tx.rows<{ record: string; result_key: string }>(evidenceSql, [of.resource_id, first, last]),
    links: await tx.rows<{
      number: string;
      hash_before: string;
      balance_minor: string;
      held_minor: string;
      hash: string;
      entries: string[];
    }>(linksSql, [of.organizationId, windows.map(({ id }) => id)]),
  };
}
