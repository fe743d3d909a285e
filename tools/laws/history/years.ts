import type { Client } from 'pg';

/**
 * Years of history of one project, made by a few statements: allocations that ended, their timelines, decisions, tasks and
 * attestations, audit rows, events, usage and ledger entries. Triggers rest meanwhile, so the rows are as those of busy years and
 * chains are not sealed. Every year is as busy as the others: a longer history reaches further back, and is not a denser one.
 */
interface YearsOf {
  readonly organizationId: string;
  readonly projectId: string;
  readonly nodeId: string;
  readonly sku: string;
  readonly region: string;
  /** How many allocations ended within each year, spread evenly. */
  readonly allocationsPerYear: number;
  /** How many years, and how long before now the newest of them ended. */
  readonly years: number;
  readonly endedYearsAgo: number;
}

/** The times at which the allocations ended, with ids that sort by them. */
const lives = `select n, at, id_at(at) as id from (
    select n, now() - interval '1 day' - interval '365 days' * ($7::float8 + n / $4::float8) as at
    from generate_series(1, ($4::float8 * $8::int)::int) n
  ) each`;
const statements: readonly string[] = [
  `create temporary table year as ${lives}`,
  `insert into allocations (id, organization_id, project_id, name, requested_by, state, version, placement_status, sku,
     capacity_shape, gpu_count, region, unit_price_minor, currency, node_id, generation, isolation_model, active_at, ended_at,
     created_at, updated_at, max_duration_seconds)
   select y.id, $1, $2, 'run-' || y.n, 'requester', 'released', 5, 'freed', $5, 'gpu_slice', 1, $6, 450, 'USD', $3, 1, 'user-revoke',
     y.at, y.at + interval '1 hour', y.at, y.at, 3600 from year y`,
  `insert into allocation_timeline (id, allocation_id, organization_id, at, kind, name, version, correlation_id)
   select id_at(y.at), y.id, $1, y.at, 'transition', 'step', k, 'c-' || y.n from year y, generate_series(1, 6) k`,
  `insert into placement_decisions (id, allocation_id, organization_id, outcome, document, decided_at)
   select id_at(y.at), y.id, $1, 'placed', '{}', y.at from year y`,
  `insert into node_tasks (id, node_id, organization_id, allocation_id, task_type, generation, state, version, envelope,
     correlation_id, issued_at, expires_at, finished_at, created_at, saga_answered_at)
   select id_at(y.at), $3, $1, y.id, 'slice.vacate', 1, 'succeeded', 3, '{}', 'c-' || y.n, y.at, y.at, y.at, y.at, y.at
   from year y, generate_series(1, 2) k`,
  `insert into readiness_attestations (id, allocation_id, organization_id, node_id, task_id, generation, passed, document,
     signed_result, taken_at, created_at)
   select id_at(y.at), y.id, $1, $3, gen_random_uuid(), 1, true, '{"gpus": []}', '{}', y.at, y.at from year y`,
  `insert into audit_logs (id, organization_id, project_id, actor_id, actor_kind, actor_role, action, target_type, target_id,
     result, correlation_id, created_at)
   select id_at(y.at), $1, $2, case k when 1 then 'requester' else 'provisioning-worker' end, case k when 1 then 'user'
     else 'system' end, 'system', 'allocation.step', 'allocation', y.id::text, 'success', 'c-' || y.n, y.at
   from year y, generate_series(1, 10) k`,
  `insert into outbox_events (event_id, message_id, subject, key, organization_id, envelope, created_at)
   select gen_random_uuid(), gen_random_uuid()::text, 'provisioning.active', y.id::text, $1,
     jsonb_build_object('project_id', $2::text, 'event_type', 'provisioning.active', 'payload', '{}'::jsonb), now()
   from year y, generate_series(1, 2) k`,
  `insert into usage_meters (resource_id, meter, organization_id, project_id, requested_by, sku, currency, rate_micro, unit, gpus,
     evidence_to, accrued_to, ended)
   select y.id, 'gpu_time', $1, $2, 'requester', $5, 'USD', 1, 'gpu_hour', 1, y.at, y.at, true from year y`,
  `insert into usage_windows (id, organization_id, project_id, resource_id, meter, sku, requested_by, currency, unit, from_at,
     to_at, quantity_ms, rate_micro, exact, charged_minor, amount_minor, evidence)
   select id_at(y.at), $1, $2, y.id, 'gpu_time', $5, 'requester', 'USD', 'gpu_hour', y.at + k * interval '10 minutes',
     y.at + (k + 1) * interval '10 minutes', 600000, 1, 0, 0, 0, sha256('x') from year y, generate_series(1, 5) k`,
  `insert into usage_days (id, organization_id, day, resource_id, meter, project_id, sku, currency, requested_by, quantity_ms,
     amount_minor, windows)
   select id_at(y.at), $1, y.at::date, y.id, 'gpu_time', $2, $5, 'USD', 'requester', 600000, 75, 5 from year y`,
  `insert into ledger_entries (id, organization_id, currency, kind, at, accounts, amounts, project_id, actor_id, correlation_id,
     document)
   select id_at(y.at), $1, 'USD', 'usage', y.at, '{customer,revenue}', '{-75,75}', $2, 'billing-worker', 'c-' || y.n, sha256('x')
   from year y, generate_series(1, 5) k`,
  // The relay and the sealer are through with all of it.
  `insert into relay_watermarks (relay, transaction_from, transaction_to, position)
   select 'outbox-relay', x.next, x.next, 0 from (select (pg_current_xact_id()::text::bigint + 1)::text::xid8 as next) x
   on conflict (relay) do update set transaction_from = excluded.transaction_from, transaction_to = excluded.transaction_to`,
  `drop table year`,
];

/** Adds years of one project. The client is a superuser's. */
export async function addYears(client: Client, of: YearsOf): Promise<void> {
  const { organizationId, projectId, nodeId, allocationsPerYear, sku, region, endedYearsAgo, years } = of;
  const values = [organizationId, projectId, nodeId, allocationsPerYear, sku, region, endedYearsAgo, years];
  await client.query('begin');
  await client.query('set local session_replication_role = replica');
  for (const statement of statements) {
    const used = values.map((_, at) => (statement.includes(`$${at + 1}`) ? at : -1)).filter((at) => at >= 0);
    // A statement names only what it uses: numbers are given anew, in order.
    const text = used.reduce((sum, at, place) => sum.replaceAll(`$${at + 1}`, `$~${place + 1}`), statement);
    await client.query(
      text.replaceAll('$~', '$'),
      used.map((at) => values[at]),
    );
  }
  await client.query('commit');
}
