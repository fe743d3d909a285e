import { type ReadTx, sql } from '../../../kernel/act.ts';

/**
 * The first project whose readings do not follow from each other, or whose windows charge something else than its readings say.
 * A reading carries bytes times microseconds since the first one; a window charges the difference of two such sums.
 */
const verifySql = sql(
  'storage-verify',
  `with readings as (
     select r.project_id, r.digest is distinct from sha256(convert_to(storage_reading_text(r.project_id, r.organization_id, r.at,
         r.stored_bytes, r.byte_us), 'UTF8'))
       or r.byte_us is distinct from coalesce(lag(r.byte_us) over w + lag(r.stored_bytes) over w::numeric
         * (extract(epoch from r.at - lag(r.at) over w) * 1000000)::bigint, 0) as wrong
     from storage_readings r where r.organization_id = $1 and mine(r.organization_id)
     window w as (partition by r.project_id order by r.at)
   ), windows as (
     select u.resource_id as project_id, u.quantity_ms is distinct from (
       select (div(max(t.byte_us), 1073741824000) - div(min(t.byte_us), 1073741824000))::bigint
       from (values (u.from_at), (u.to_at)) x (at) cross join lateral (
         select r.byte_us + r.stored_bytes::numeric * (extract(epoch from x.at - r.at) * 1000000)::bigint as byte_us
         from storage_readings r where r.project_id = u.resource_id and r.at <= x.at and mine(r.organization_id)
         order by r.at desc limit 1) t) as wrong
     from usage_windows u where u.organization_id = $1 and u.meter = 'storage' and mine(u.organization_id)
   )
   select project_id::text from (select * from readings where wrong union all select * from windows where wrong) f
   order by 1 limit 1`,
);
export const findWrongStorage = async (tx: ReadTx, organizationId: string): Promise<string | undefined> =>
  (await tx.rows<{ project_id: string }>(verifySql, [organizationId]))[0]?.project_id;
