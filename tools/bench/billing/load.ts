import type pg from 'pg';

/** Many allocations with proven time that nobody has charged yet, for tests and benches that look at how accrual grows. */
export interface MeterLoad {
  /** Who asked for them, by which they are found again. */
  readonly requestedBy?: string;
  readonly allocations: number;
  readonly organizations: number;
  /** When the first window begins. Allocations begin at different moments of it. */
  readonly from: Date;
  /** Whole minutes that are proven from then on. */
  readonly minutes: number;
  /** Minutes of these that are behind the meters already. */
  readonly charged?: number;
}
const sku = 'load-slice';
const region = 'load-region';
/** Allocations differ in price and in the moment at which they begin. */
const prices = 10;
const startSpreadMs = 50_000;

const statements: readonly string[] = [
  `insert into regions (slug, name) values ($5, $5) on conflict do nothing`,
  `insert into skus (slug, vendor, display_name, gpu_model, gpu_memory_mib, capacity_shape, gpus_total, allowed_gpu_counts,
     billing_unit) values ($6, 'v', 'Load', 'm', 1, 'gpu_slice', 8, '{1,2,4,8}', 'gpu_hour') on conflict do nothing`,
  `create temporary table load_node as select gen_random_uuid() as id`,
  `insert into nodes (id, name, region, sku, gpus_total, state, schedulable)
   select id, 'load-' || id, $5, $6, 8, 'active', true from load_node`,
  `create temporary table load_home as select n, gen_random_uuid() as organization_id, gen_random_uuid() as project_id
   from generate_series(0, $2::int - 1) n`,
  `insert into organizations (id, name, slug) select organization_id, 'Load', 'load-' || organization_id from load_home`,
  `insert into billing_accounts (organization_id, currency, balance_minor)
   select o.id, o.currency, 0 from organizations o join load_home h on h.organization_id = o.id
   on conflict do nothing`,
  `insert into projects (id, organization_id, department_id, name, slug)
   select project_id, organization_id, project_id, 'Load', 'load' from load_home`,
  `create temporary table load_life as select g.n, gen_random_uuid() as id, h.organization_id, h.project_id, 400 + g.n % $7::int as price,
     $3::timestamptz + make_interval(secs => (g.n * 7919 % $8::int) / 1000.0) as began
   from generate_series(0, $1::int - 1) g (n) join load_home h on h.n = g.n % $2::int`,
  `insert into allocations (id, organization_id, project_id, name, requested_by, state, placement_status, sku, capacity_shape,
     gpu_count, region, unit_price_minor, currency, isolation_model, node_id, generation, active_at)
   select l.id, l.organization_id, l.project_id, 'load-' || l.n, $10, 'active', 'leased', $6, 'gpu_slice', 1, $5, l.price, 'USD',
     'user-revoke', d.id, 1, l.began from load_life l, load_node d`,
  `insert into usage_evidence (allocation_id, organization_id, node_id, generation, sequence, from_at, to_at, counts_from, counts_to,
     gpus, record, digest, result_key)
   select l.id, l.organization_id, d.id, 1, 1 + m, e.from_at, e.to_at, e.from_at, e.to_at, 1, r.record,
     sha256(convert_to(r.record, 'UTF8')), 'k'
   from load_life l, load_node d, generate_series(0, $4::int - 1) m,
     lateral (select greatest(l.began, $3::timestamptz + make_interval(mins => m)) as from_at,
       $3::timestamptz + make_interval(mins => m + 1) as to_at) e,
     lateral (select l.id || ' ' || m as record) r`,
  `insert into usage_meters (resource_id, meter, organization_id, project_id, requested_by, sku, currency, rate_micro, unit, gpus,
     evidence_to, accrued_to)
   select l.id, 'gpu_time', l.organization_id, l.project_id, $10, $6, 'USD', l.price * 1000000::bigint, 'gpu_hour', 1,
     $3::timestamptz + make_interval(mins => $4::int), greatest(l.began, $3::timestamptz + make_interval(mins => $9::int))
   from load_life l`,
  `drop table load_life, load_home, load_node`,
];

/** Adds them past triggers and rights, so that many take seconds. The client is a superuser's. */
export async function addMeters(client: pg.Client, load: MeterLoad): Promise<void> {
  const values = [
    ...[load.allocations, load.organizations, load.from, load.minutes, region, sku, prices, startSpreadMs],
    ...[load.charged ?? 0, load.requestedBy ?? 'load'],
  ];
  await client.query('begin');
  await client.query('set local session_replication_role = replica');
  for (const statement of statements) {
    // A statement may only be given what it names: its parameters are numbered anew.
    const used: unknown[] = [];
    const text = statement.replaceAll(/\$(\d+)/g, (_, number: string) => {
      const value = values[Number(number) - 1];
      if (!used.includes(value)) used.push(value);
      return `$${used.indexOf(value) + 1}`;
    });
    await client.query(text, used);
  }
  await client.query('commit');
}
