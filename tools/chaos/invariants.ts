/**
 * What must be true whenever nothing is running, whatever was killed before. Each is a query that answers the rows that
 * break it; none is the proof. They run after every chaos test, and can run as a metric in production.
 *
 * They look over all walls, so they need a role that does.
 */
export interface Invariant {
  readonly name: string;
  /** What it says, for the person who sees it broken. */
  readonly means: string;
  /** Answers one row per violation. */
  readonly sql: string;
}

export const invariants: readonly Invariant[] = [
  {
    name: 'I6 edges',
    means: 'Every change of state in the audit log is an edge of its machine.',
    sql: `select a.id, a.target_id, a.change -> 'state' as state
      from audit_logs a
      where a.result = 'success' and jsonb_typeof(a.change -> 'state') = 'array'
        and exists (select from machine_edges e where e.machine = a.target_type)
        and not exists (
          select from machine_edges e
          where e.machine = a.target_type and e.from_state = a.change -> 'state' ->> 0
            and e.to_state = a.change -> 'state' ->> 1
        )`,
  },
  {
    name: 'I6 paths',
    means:
      'The state of a project follows from its history: it entered the state it is in once more than it left it, and left every other one as often as it entered it.',
    sql: `with steps as (
        select target_id, change -> 'state' ->> 0 as left_state, change -> 'state' ->> 1 as entered
        from audit_logs
        where target_type = 'project' and result = 'success' and jsonb_typeof(change -> 'state') = 'array'
      ), visits as (
        select target_id, entered as state, 1 as net from steps
        union all select target_id, left_state, -1 from steps
        union all select id::text, 'active', 1 from projects
        union all select id::text, state, -1 from projects
      )
      select target_id, state, sum(net) as net from visits group by target_id, state having sum(net) <> 0`,
  },
  {
    name: 'I6 versions',
    means: 'The version of a project is one more than the number of its changes: none is missing, none counted twice.',
    sql: `select p.id, p.version, count(a.id) as changes
      from projects p
      left join audit_logs a on a.target_type = 'project' and a.target_id = p.id::text and a.result = 'success'
        and (a.change ? 'state' or a.action = 'project.update')
      group by p.id, p.version having p.version <> 1 + count(a.id)`,
  },
  {
    name: 'I7 one audit row per transaction',
    means: 'One act is one transaction and leaves one audit row.',
    sql: 'select transaction_id, count(*) as rows from audit_logs group by transaction_id having count(*) > 1',
  },
  {
    name: 'I7 audited rows',
    means:
      'The transaction that last changed a row left an audit row. Holds on the server that wrote the rows: a dump that was loaded elsewhere has other transactions.',
    sql: `with written as (
        select 'users' as relation, id::text as id, xmin from users
        union all select 'platform_role_bindings', user_id::text, xmin from platform_role_bindings
        union all select 'organizations', id::text, xmin from organizations
        union all select 'tenant_memberships', user_id::text, xmin from tenant_memberships
        union all select 'projects', id::text, xmin from projects
        union all select 'dead_letters', seq::text, xmin from dead_letters
        union all select 'outbox_events', position::text, transaction_id::xid from outbox_events
        union all select 'consumed_events', event_id::text, xmin from consumed_events
      )
      select w.relation, w.id from written w
      where not exists (select from audit_logs a where a.transaction_id::xid = w.xmin)`,
  },
  {
    name: 'I8 events are on their way',
    means:
      'Every event older than 30 s is published; what the bus refused is a dead letter, and what lies dead is open or settled.',
    sql: `with mark as (
        select coalesce(max(transaction_from), '0'::xid8) as "from", coalesce(max(transaction_to), '0'::xid8) as "to",
          coalesce(max(position), 0) as position
        from relay_watermarks
      )
      select e.position, e.event_id, e.subject from outbox_events e, mark
      where e.transaction_id >= mark."from" and not (e.transaction_id < mark."to" and e.position <= mark.position)
        and e.created_at < clock_timestamp() - interval '30 seconds'`,
  },
  {
    name: 'I9 effects once',
    means: 'An event has at most one effect per consumer, and what a consumer remembers it has done.',
    sql: `with effects as (
        select actor_id as consumer, change ->> 'event_id' as event_id from audit_logs
        where actor_kind = 'system' and result = 'success' and change ? 'event_id'
      )
      select consumer, event_id, 'more than once' as fault from effects group by 1, 2 having count(*) > 1
      union all
      select c.consumer, c.event_id::text, 'remembered but not done' from consumed_events c
      where not exists (select from effects e where e.consumer = c.consumer and e.event_id = c.event_id::text)`,
  },
  {
    name: 'I9 removed once',
    means: 'A project says at most once that it is gone, and only when it is.',
    sql: `select e.key, count(distinct e.event_id) as times from outbox_events e
      left join projects p on p.id::text = e.key and p.state = 'deleted'
      where e.subject = 'tenancy.project.removed'
      group by e.key having count(distinct e.event_id) > 1 or count(p.id) = 0`,
  },
  {
    name: 'I10 one resource per key',
    means: 'What a stored reply says was created is there, was created once, and belongs to one key.',
    sql: `with created as (
        select principal, route, key, body::jsonb ->> 'id' as id from idempotency_records
        where status = 201
          and route in ('organization_create', 'project_create', 'allocation_create', 'allocation_group_create')
      )
      select c.key, c.id, 'two keys' as fault from created c
      join created d on d.id = c.id and (d.principal, d.route, d.key) <> (c.principal, c.route, c.key)
      union all
      select c.key, c.id, 'created ' || count(a.id) || ' times' from created c
      left join audit_logs a on a.target_id = c.id and a.action like '%.create' and a.result = 'success'
      group by c.key, c.id having count(a.id) <> 1
      union all
      select c.key, c.id, 'not there' from created c
      where not exists (select from organizations o where o.id::text = c.id)
        and not exists (select from projects p where p.id::text = c.id)
        and not exists (select from allocations l where l.id::text = c.id)
        and not exists (select from allocation_groups g where g.id::text = c.id)`,
  },
  {
    name: 'I1 slots of the living',
    means: 'An allocation that lives holds exactly its slots, and one that ended holds none that could be used.',
    sql: `select a.id, a.state, a.gpu_count, count(s.id) as slots from allocations a
      left join slots s on s.allocation_id = a.id and s.generation = a.generation
      where a.state in ('provisioning', 'active', 'releasing') or a.placement_status = 'reserved'
      group by a.id having count(s.id) <> a.gpu_count
      union all
      select a.id, a.state, a.gpu_count, count(s.id) from allocations a
      join slots s on s.allocation_id = a.id and s.state in ('reserved', 'in_use')
      where a.state in ('released', 'failed') group by a.id`,
  },
  {
    name: 'I1 claims',
    means: 'A slot that is held has one live claim, by the allocation that holds it; a free one has none.',
    sql: `select s.id, s.state, count(c.id) as claims from slots s
      left join allocation_claims c on c.slot_id = s.id and c.freed_at is null
      group by s.id
      having (s.state in ('reserved', 'in_use') and (count(c.id) <> 1 or min(c.allocation_id::text) <> s.allocation_id::text))
        or (s.state in ('available', 'disabled') and count(c.id) > 0)`,
  },
  {
    name: 'I2 one NUMA group',
    means: 'A slice that fits into one NUMA group is in one.',
    sql: `select c.allocation_id, count(*) as slots from allocation_claims c
      join slots s on s.id = c.slot_id
      join allocations a on a.id = c.allocation_id and a.capacity_shape = 'gpu_slice'
      where c.freed_at is null and a.gpu_count <= 4
      group by c.allocation_id, c.generation having count(distinct (s.node_id, s.numa_node)) > 1`,
  },
  {
    name: 'I6 timelines',
    means:
      'Every transition in the timeline of an allocation is an edge of its machine, begins where the last one ended, and ends where the allocation is.',
    sql: `with steps as (
        select t.allocation_id, t.from_state, t.to_state, t.version,
          lag(t.to_state) over (partition by t.allocation_id order by t.version) as before,
          row_number() over (partition by t.allocation_id order by t.version desc) = 1 as last
        from allocation_timeline t where t.kind = 'transition'
      )
      select s.allocation_id, s.from_state, s.to_state, s.version from steps s
      join allocations a on a.id = s.allocation_id
      where s.from_state is distinct from s.before or (s.last and s.to_state <> a.state)
        or (s.from_state is null and s.to_state <> 'requested')
        or s.from_state is not null and not exists (select from machine_edges e
          where e.machine = 'allocation' and e.from_state = s.from_state and e.to_state = s.to_state)
      union all
      select a.id, a.state, null, a.version from allocations a
      where a.state <> 'requested' and not exists (
        select from allocation_timeline t where t.allocation_id = a.id and t.kind = 'transition')`,
  },
  {
    name: 'I11 fenced results',
    means: 'A result that counted is of the lease that its task was made for, and says what the task became.',
    sql: `select id, state, generation, result ->> 'generation' as said from node_tasks
      where state in ('succeeded', 'failed')
        and (result is null or (result ->> 'generation')::bigint <> generation or result ->> 'outcome' <> state)`,
  },
  {
    name: 'I12 nothing waits for nobody',
    means: 'An allocation on its way somewhere has a task that is open, or something happened to it within a minute.',
    sql: `select a.id, a.state, a.updated_at from allocations a
      where (a.state in ('provisioning', 'releasing') or (a.state = 'requested' and a.placement_status = 'reserved'))
        and a.updated_at < clock_timestamp() - interval '60 seconds'
        and not exists (select from node_tasks k where k.allocation_id = a.id
          and (k.state in ('queued', 'dispatched') or k.finished_at > clock_timestamp() - interval '60 seconds'))
        and not exists (select from allocation_timeline t
          where t.allocation_id = a.id and t.at > clock_timestamp() - interval '60 seconds')`,
  },
  {
    name: 'I13 charged once',
    means: 'No moment of an allocation counts in two records of its hosts, and none is charged in two windows.',
    sql: `select e.allocation_id, e.from_at, f.from_at as again_from from usage_evidence e
      join usage_evidence f on f.allocation_id = e.allocation_id
        and (f.generation, f.sequence, f.from_at) > (e.generation, e.sequence, e.from_at)
        and f.counts_from < e.counts_to and e.counts_from < f.counts_to
      union all
      select w.resource_id, w.from_at, v.from_at from usage_windows w
      join usage_windows v on v.resource_id = w.resource_id and v.meter = w.meter
        and v.from_at > w.from_at and v.from_at < w.to_at`,
  },
];

/** The names of those that do not hold, each with its first violations. */
export async function brokenInvariants(
  ask: (sql: string) => Promise<readonly object[]>,
): Promise<readonly { readonly name: string; readonly means: string; readonly rows: readonly object[] }[]> {
  const broken: { name: string; means: string; rows: readonly object[] }[] = [];
  for (const { name, means, sql } of invariants) {
    const rows = await ask(sql);
    if (rows.length > 0) broken.push({ name, means, rows: rows.slice(0, 5) });
  }
  return broken;
}
