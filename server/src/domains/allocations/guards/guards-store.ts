import type { HeldLease } from '@gpuaas/contract/node';
import { type ReadTx, sql, type WriteTx } from '../../../kernel/act.ts';

const expiredSql = sql(
  'guard-expired',
  `select a.id, coalesce(a.max_spend_minor * 3600 / nullif(a.unit_price_minor
       * case k.billing_unit when 'node_hour' then 1 else a.gpu_count end, 0) <= a.max_duration_seconds, false) as spent
   from allocations a join skus k on k.slug = a.sku
   where a.state = 'active' and a.expires_at <= $1 and mine(a.organization_id)
     and ($3::uuid is null or a.id > $3) order by a.id limit $2`,
);
const lostSql = sql(
  'guard-lost',
  `select a.id from allocations a join nodes n on n.id = a.node_id
   where a.state = 'active' and n.state = 'offline' and n.updated_at <= $1 and mine(a.organization_id)
     and ($3::uuid is null or a.id > $3) order by a.id limit $2`,
);
const idleSql = sql(
  'guard-idle',
  `select a.id, a.organization_id, a.project_id, a.version, a.idle_minutes, a.idle_action, a.idle_since, a.idle_warned_at,
     coalesce(n.simulated, false) as simulated,
     (select max(r.gpu_utilization[s.slot_index + 1]) from slots s
      where s.allocation_id = a.id and s.generation = a.generation) as busiest
   from allocations a join node_reports r on r.node_id = a.node_id join nodes n on n.id = a.node_id
   where a.state = 'active' and a.stop_phase is null and a.idle_minutes is not null and r.reported_at > $1 and mine(a.organization_id)
     and ($2::uuid is null or a.id > $2) order by a.id limit $3`,
);
const setIdleSql = sql(
  'guard-idle-set',
  `update allocations set version = version + 1, updated_at = act_time(), idle_since = $2, idle_warned_at = $3
   where id = $1 and state = 'active' and version = $4 and mine(organization_id)`,
);
const unattestedSql = sql(
  'guard-unattested',
  `select a.id, a.organization_id, a.project_id, a.generation,
     (select max(t.created_at) from readiness_attestations t
      where t.allocation_id = a.id and mine(t.organization_id)) as last_at
   from allocations a
   where a.state = 'active' and a.stop_phase is null and mine(a.organization_id) and not exists (
     select from readiness_attestations t
     where t.allocation_id = a.id and t.created_at > $1 and mine(t.organization_id)
   ) and not exists (
     select from node_tasks k where k.allocation_id = a.id and k.task_type = 'allocation.attest'
       and k.created_at > $1 and mine(k.organization_id)
   ) order by a.id limit $2`,
);
const unattendedSql = sql(
  'guard-unattended',
  `select a.id, a.organization_id, a.project_id, a.state, a.generation, a.release_attempts, t.correlation_id,
     t.finished_at is null as is_late,
     a.state = 'releasing' and coalesce((
       select (l.detail ->> 'forced')::boolean from allocation_timeline l
       where l.allocation_id = a.id and l.kind = 'transition' and l.to_state = 'releasing' and mine(l.organization_id)
       order by l.id desc limit 1), false) as forced
   from allocations a cross join lateral (
     select k.finished_at, k.saga_token, k.correlation_id, k.dispatched_at, k.issued_at, k.expires_at from node_tasks k
     where k.allocation_id = a.id and k.generation = a.generation and mine(k.organization_id)
       and k.task_type = any (case a.state when 'provisioning' then $1::text[] else $2::text[] end)
     order by k.id desc limit 1
   ) t
   where a.state in ('provisioning', 'releasing') and mine(a.organization_id)
     and t.saga_token is null and ($3::uuid is null or a.id > $3) and (t.finished_at is not null
       or (t.dispatched_at is null and t.issued_at < $5::timestamptz - $6::float8 * interval '1 ms')
       or $5 > t.issued_at + (t.expires_at - t.issued_at) / 2)
   order by a.id limit $4`,
);
const reportedSql = sql(
  'drift-reports',
  `select r.node_id, r.reported_at, r.boot_id, r.leases,
     array(select s.id::text from slots s where s.node_id = r.node_id order by s.slot_index) as slot_ids,
     exists (select from alerts w where w.node_id = r.node_id and w.source = 'drift') as alerted,
     (select coalesce(jsonb_agg(jsonb_build_object(
         'id', a.id, 'state', a.state, 'generation', a.generation, 'since', coalesce(a.active_at, a.updated_at),
         'missing_boot_id', a.missing_boot_id)), '[]')
       from allocations a where a.node_id = r.node_id and a.state not in ('released', 'failed')
         and mine(a.organization_id)) as desired,
     (select coalesce(array_agg(distinct s.allocation_id::text), '{}') from slots s
      where s.node_id = r.node_id and s.state in ('cleaning', 'cleanup_blocked', 'quarantined')
        and s.allocation_id is not null) as leaving,
     (select coalesce(jsonb_object_agg(e.id, e.at), '{}') from (
        select a.id, a.updated_at as at from allocations a
        where a.node_id = r.node_id and a.state in ('released', 'failed') and mine(a.organization_id)
        union all
        select p.allocation_id, p.cleaned_at from allocation_attempts p
        where p.node_id = r.node_id and p.cleaned_at is not null and mine(p.organization_id)
      ) e where e.id in (select (lease ->> 'allocation_id')::uuid from jsonb_array_elements(r.leases) lease)) as ended
   from node_reports r where r.reported_at > $1 and ($2::uuid is null or r.node_id > $2)
   order by r.node_id limit $3`,
);

const setMissingSql = sql(
  'drift-missing-set',
  `update allocations set version = version + 1, updated_at = act_time(), missing_boot_id = $3
   where id = $1 and generation = $2 and state = 'active' and missing_boot_id is distinct from $3 and mine(organization_id)
   returning organization_id, project_id`,
);
const freeAmongSql = sql(
  'drift-free-slots',
  `select id from slots where node_id = $2 and state = 'available'
     and (id = any ($1::uuid[]) or cardinality($1::uuid[]) = 0) order by id for update`,
);

export interface IdleRow {
  readonly id: string;
  readonly organization_id: string;
  readonly project_id: string;
  readonly version: bigint;
  readonly simulated: boolean;
  readonly idle_minutes: number;
  readonly idle_action: 'warn' | 'release' | null;
  readonly idle_since: Date | null;
  readonly idle_warned_at: Date | null;
  readonly busiest: number | null;
}
export interface UnattestedRow {
  readonly id: string;
  readonly organization_id: string;
  readonly project_id: string;
  readonly generation: bigint;
  readonly last_at: Date | null;
}
export interface UnattendedRow {
  readonly id: string;
  readonly organization_id: string;
  readonly project_id: string;
  readonly state: 'provisioning' | 'releasing';
  readonly generation: bigint;
  readonly release_attempts: number;
  /** Of the act that queued the task. */
  readonly correlation_id: string;
  /** The task has not ended: its node has not fetched it, or has used half of its time. */
  readonly is_late: boolean;
  /** A release whose guest gets no time to shut down, as the transition to `releasing` noted. */
  readonly forced: boolean;
}
export interface ReportedRow {
  readonly node_id: string;
  readonly reported_at: Date;
  readonly boot_id: string;
  readonly leases: readonly HeldLease[];
  /** The slots that the node has, whatever it says. */
  readonly slot_ids: readonly string[];
  /** Whether something was said about it before. */
  readonly alerted: boolean;
  readonly desired: readonly {
    readonly id: string;
    readonly state: string;
    readonly generation: number;
    readonly since: string;
    /** The boot of the host in which its report first did not name it. */
    readonly missing_boot_id: string | null;
  }[];
  readonly leaving: readonly string[];
  readonly ended: Readonly<Record<string, string>>;
}

export const listExpired = (tx: ReadTx, now: Date, after: string | undefined, limit: number) =>
  tx.rows<{ id: string; spent: boolean }>(expiredSql, [now, limit, after ?? null]);
export const listLost = (tx: ReadTx, before: Date, after: string | undefined, limit: number) =>
  tx.rows<{ id: string }>(lostSql, [before, limit, after ?? null]);
export const listIdle = (tx: ReadTx, reportedAfter: Date, after: string | undefined, limit: number) =>
  tx.rows<IdleRow>(idleSql, [reportedAfter, after ?? null, limit]);
export const setIdle = (
  tx: WriteTx,
  row: Pick<IdleRow, 'id' | 'version'>,
  idle: { readonly since: Date | null; readonly warnedAt: Date | null },
) => tx.run(setIdleSql, [row.id, idle.since, idle.warnedAt, row.version]);
/** Notes since which boot an active allocation is missing on its node, or that it is there again. */
export const setMissing = async (tx: WriteTx, id: string, generation: number, bootId: string | null) =>
  (await tx.rows<{ organization_id: string; project_id: string }>(setMissingSql, [id, generation, bootId]))[0];
export const listUnattested = (tx: ReadTx, since: Date, limit: number) =>
  tx.rows<UnattestedRow>(unattestedSql, [since, limit]);
/**
 * Leases on their way whose task has ended without completing them, or is late, and that have no saga: a task that its node
 * has not fetched in time, or that has used half of its time.
 */
export const listUnattended = (
  tx: ReadTx,
  types: { readonly provision: readonly string[]; readonly vacate: readonly string[] },
  late: { readonly now: Date; readonly fetchedWithinMs: number },
  after: string | undefined,
  limit: number,
) =>
  tx.rows<UnattendedRow>(unattendedSql, [
    ...[types.provision, types.vacate, after ?? null, limit, late.now, late.fetchedWithinMs],
  ]);
export const listReported = (tx: ReadTx, since: Date, after: string | undefined, limit: number) =>
  tx.rows<ReportedRow>(reportedSql, [since, after ?? null, limit]);
/** Which of these are free, held until the transaction ends; of the whole node when none is named. */
export const lockFreeAmong = async (tx: WriteTx, nodeId: string, slotIds: readonly string[]): Promise<string[]> =>
  (await tx.rows<{ id: string }>(freeAmongSql, [slotIds, nodeId])).map(({ id }) => id);
