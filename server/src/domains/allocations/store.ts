import { type ReadTx, sql, type WriteTx } from '../../kernel/act.ts';
import type { AllocationState, PlacementStatus } from './life/machine.ts';
import type { StopPhase } from './stops/decide.ts';

/** What its owner should know about its host and its GPUs: whether it is simulated, and whether it is heard. */
const concerns = `coalesce(n.simulated, false) as simulated,
     case when a.ended_at is null then not exists (select from alerts w
       where w.node_id = a.node_id and w.source = 'presence') else true end as reachable,
     case when a.ended_at is null then
       (select coalesce(jsonb_agg(jsonb_build_object('kind', w.kind, 'message', w.tenant_message, 'since', w.since,
          'deadline_at', null) order by w.since), '[]') from alerts w
        where w.node_id = a.node_id and w.tenant_message is not null and (w.allocation_id = a.id
          or (w.allocation_id is null and (w.slot_id is null
            or exists (select from slots h where h.id = w.slot_id and h.allocation_id = a.id
              and h.generation = a.generation)))))
       || case when n.state = 'draining' then jsonb_build_array(jsonb_build_object('kind', 'draining',
          'message', 'Its host is being emptied. It is released at the deadline if it is still there.',
          'since', n.updated_at, 'deadline_at', n.drain_deadline_at)) else '[]' end
     else '[]' end as concerns,
     case when a.stop_phase is null or a.state <> 'active' then null else jsonb_build_object('phase', a.stop_phase,
       'since', a.stop_since, 'kept_until', (select l.releases_at from account_ladders l
         where l.organization_id = a.organization_id and mine(l.organization_id))) end as stop`;
const insertSql = sql(
  'allocation-insert',
  `insert into allocations (id, organization_id, project_id, group_id, name, tags, requested_by, placement_status, sku,
     capacity_shape, gpu_count, region, profile, image_id, price_id, unit_price_minor, currency, node_id, generation,
     isolation_model, login, max_duration_seconds, idle_minutes, idle_action, queue_deadline_at, max_attempts, max_spend_minor)
   values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22, $23, $24,
     $25, $26, $27)`,
);
const getSql = sql(
  'allocation-get',
  `select a.*, i.slug as image, k.billing_unit, n.name as node_name, ${concerns}
   from allocations a join skus k on k.slug = a.sku left join os_images i on i.id = a.image_id
     left join nodes n on n.id = a.node_id
   where a.id = $1 and mine(a.organization_id)`,
);
const lockSql = sql(
  'allocation-get-lock',
  `select a.*, i.slug as image, k.billing_unit, n.name as node_name, ${concerns}
   from allocations a join skus k on k.slug = a.sku left join os_images i on i.id = a.image_id
     left join nodes n on n.id = a.node_id
   where a.id = $1 and mine(a.organization_id) for update of a`,
);
/** What a list, its counts and its export look for: the same words, so that they speak of the same rows. */
const wanted = `a.project_id = $1 and a.organization_id = $2 and mine(a.organization_id)
     and ($3::text is null or a.state = $3) and ($4::text is null or a.sku = $4)
     and ($5::text is null or case when $6::text is null then a.tags ? $5 else a.tags ->> $5 = $6 end)
     and ($7::uuid is null or a.group_id = $7)
     and ($8::text is null or a.name ilike $8 or a.sku ilike $8 or a.region ilike $8 or a.id::text like $8)
     and ($9::text is null or a.requested_by = $9)`;
const countsSql = sql(
  'allocation-counts',
  `select a.state, count(*)::int as n from allocations a where mine(a.organization_id) and ${wanted} group by a.state`,
);
const oldestSql = sql(
  'allocation-list-oldest',
  `select a.*, i.slug as image, k.billing_unit, n.name as node_name, ${concerns}
   from allocations a join skus k on k.slug = a.sku left join os_images i on i.id = a.image_id
     left join nodes n on n.id = a.node_id
   where mine(a.organization_id) and ${wanted} and ($10::uuid is null or a.id > $10)
   order by a.id limit $11`,
);
const listSql = sql(
  'allocation-list',
  `select a.*, i.slug as image, k.billing_unit, n.name as node_name, ${concerns}
   from allocations a join skus k on k.slug = a.sku left join os_images i on i.id = a.image_id
     left join nodes n on n.id = a.node_id
   where mine(a.organization_id) and ${wanted} and ($10::uuid is null or a.id < $10)
   order by a.id desc limit $11`,
);
const currentSql = sql(
  'allocation-current',
  `select a.*, i.slug as image, k.billing_unit, n.name as node_name, ${concerns}
   from allocations a join skus k on k.slug = a.sku left join os_images i on i.id = a.image_id
     left join nodes n on n.id = a.node_id
   where a.project_id = $1 and a.organization_id = $2 and mine(a.organization_id)
     and a.state in ('requested', 'provisioning', 'active', 'releasing', 'release_failed')
   order by a.id desc limit $3`,
);
const listAllSql = sql(
  'allocation-list-all',
  `select a.*, i.slug as image, k.billing_unit, n.name as node_name, ${concerns},
     (select coalesce(jsonb_object_agg(s.state, s.n), '{}')
      from (select t.state, count(*) as n from slots t where t.allocation_id = a.id and t.generation = a.generation
        group by t.state) s) as slots
   from allocations a join skus k on k.slug = a.sku left join os_images i on i.id = a.image_id
     left join nodes n on n.id = a.node_id
   where mine(a.organization_id)
     and ($1::text is null or a.state = $1) and ($2::uuid is null or a.node_id = $2)
     and ($3::uuid is null or a.organization_id = $3) and ($4::uuid is null or a.id = $4)
     and ($5::text is distinct from 'false' or a.state not in ('released', 'failed'))
     and ($5::text is distinct from 'true' or a.state in ('released', 'failed'))
     and ($6::uuid is null or a.id < $6)
   order by a.id desc limit $7`,
);
const ofGroupSql = sql(
  'allocation-of-group',
  `select a.*, i.slug as image, k.billing_unit, n.name as node_name, ${concerns}
   from allocations a join skus k on k.slug = a.sku left join os_images i on i.id = a.image_id
     left join nodes n on n.id = a.node_id
   where a.group_id = $1 and mine(a.organization_id) order by a.id`,
);
const ownerSql = sql(
  'allocation-owner',
  'select organization_id, project_id from allocations where id = $1 and mine(organization_id)',
);
const updateSql = sql(
  'allocation-update',
  `update allocations set version = version + 1, updated_at = act_time(), name = $2, tags = $3, idle_minutes = $4,
     idle_action = $5, idle_since = null, idle_warned_at = null
   where id = $1 and mine(organization_id)`,
);
const extendSql = sql(
  'allocation-extend',
  `update allocations set version = version + 1, updated_at = act_time(), max_duration_seconds = $2, expires_at = $3
   where id = $1 and mine(organization_id)`,
);
const timelineSql = sql(
  'allocation-timeline',
  `select t.id, t.at, t.kind, t.name, t.from_state, t.to_state, t.version, t.detail, t.correlation_id
   from allocation_timeline t where t.allocation_id = $1 and mine(t.organization_id) and ($2::uuid is null or t.id > $2)
   order by t.id limit $3`,
);
const attestationsSql = sql(
  'allocation-attestations',
  `select r.id, r.task_id, r.generation, r.passed, r.problems, r.document, r.signed_result, r.taken_at
   from readiness_attestations r
   where r.allocation_id = $1 and mine(r.organization_id) and ($2::uuid is null or r.id < $2)
   order by r.id desc limit $3`,
);
/** The proof that made it active, or the first that kept it from that; and the latest one. */
const receiptSql = sql(
  'allocation-receipt',
  `select * from (
     (select 'receipt' as kind, r.id, r.passed, r.document, r.taken_at from readiness_attestations r
      where r.allocation_id = $1 and mine(r.organization_id) order by r.passed desc, r.generation desc, r.id limit 1)
     union all
     (select 'last', r.id, r.passed, r.document, r.taken_at from readiness_attestations r
      where r.allocation_id = $1 and mine(r.organization_id) order by r.id desc limit 1)) proofs`,
);
const decisionSql = sql(
  'placement-decision-last',
  `select d.outcome, d.document, d.decided_at from placement_decisions d
   where d.allocation_id = $1 and mine(d.organization_id) order by d.id desc limit 1`,
);

export interface AllocationRow {
  readonly id: string;
  readonly organization_id: string;
  readonly project_id: string;
  readonly group_id: string | null;
  readonly name: string;
  readonly tags: Record<string, string>;
  readonly requested_by: string;
  readonly state: AllocationState;
  readonly version: bigint;
  readonly placement_status: PlacementStatus;
  readonly sku: string;
  readonly capacity_shape: 'baremetal' | 'gpu_slice';
  readonly gpu_count: number;
  readonly region: string;
  readonly profile: { readonly name: string; readonly vcpus: number; readonly memory_mib: number } | null;
  readonly image_id: string | null;
  readonly image: string | null;
  readonly price_id: string | null;
  readonly unit_price_minor: bigint;
  readonly currency: string;
  readonly billing_unit: 'gpu_hour' | 'node_hour';
  readonly node_id: string | null;
  readonly node_name: string | null;
  readonly generation: bigint;
  readonly isolation_model: 'user-revoke' | 'full-reimage';
  readonly login: Login | null;
  readonly access: object | null;
  readonly max_duration_seconds: number | null;
  readonly max_spend_minor: bigint | null;
  readonly expires_at: Date | null;
  readonly idle_minutes: number | null;
  readonly idle_action: 'warn' | 'release' | null;
  readonly queue_deadline_at: Date | null;
  readonly attempt: number;
  readonly max_attempts: number;
  readonly failure_code: string | null;
  readonly failure_reason: string | null;
  readonly release_reason: string | null;
  readonly release_attempts: number;
  readonly provisioning_started_at: Date | null;
  readonly active_at: Date | null;
  readonly releasing_at: Date | null;
  readonly ended_at: Date | null;
  readonly simulated: boolean;
  readonly reachable: boolean;
  readonly concerns: readonly { kind: string; message: string; since: string; deadline_at: string | null }[];
  /** Where its machine is on the way to a stop and back; null while it runs. */
  readonly stop: { readonly phase: StopPhase; readonly since: string; readonly kept_until: string | null } | null;
  readonly created_at: Date;
  readonly updated_at: Date;
}
export interface Login {
  readonly username: string;
  readonly uid: number;
  readonly gid: number;
}
export interface AdminRow extends AllocationRow {
  readonly slots: Record<string, number>;
}
export interface NewAllocation
  extends Pick<
    AllocationRow,
    | 'id'
    | 'organization_id'
    | 'project_id'
    | 'group_id'
    | 'name'
    | 'tags'
    | 'requested_by'
    | 'placement_status'
    | 'sku'
    | 'capacity_shape'
    | 'gpu_count'
    | 'region'
    | 'profile'
    | 'image_id'
    | 'price_id'
    | 'unit_price_minor'
    | 'currency'
    | 'node_id'
    | 'isolation_model'
    | 'login'
    | 'max_duration_seconds'
    | 'max_spend_minor'
    | 'idle_minutes'
    | 'idle_action'
    | 'queue_deadline_at'
    | 'max_attempts'
  > {
  readonly generation: number;
}

export const insertAllocation = (tx: WriteTx, a: NewAllocation): Promise<number> =>
  tx.run(insertSql, [
    a.id,
    a.organization_id,
    a.project_id,
    a.group_id,
    a.name,
    a.tags,
    a.requested_by,
    a.placement_status,
    a.sku,
    a.capacity_shape,
    a.gpu_count,
    a.region,
    a.profile,
    a.image_id,
    a.price_id,
    a.unit_price_minor,
    a.currency,
    a.node_id,
    a.generation,
    a.isolation_model,
    a.login,
    a.max_duration_seconds,
    a.idle_minutes,
    a.idle_action,
    a.queue_deadline_at,
    a.max_attempts,
    a.max_spend_minor,
  ]);
const first = async <T>(rows: Promise<T[]>): Promise<T | undefined> => (await rows)[0];

export const findAllocation = (tx: ReadTx, id: string) => first(tx.rows<AllocationRow>(getSql, [id]));
export const holdAllocation = (tx: WriteTx, id: string) => first(tx.rows<AllocationRow>(lockSql, [id]));
export const findOwner = (tx: ReadTx, id: string) =>
  first(tx.rows<{ organization_id: string; project_id: string }>(ownerSql, [id]));
export interface AllocationFilter {
  readonly state?: string | undefined;
  readonly sku?: string | undefined;
  readonly tag?: string | undefined;
  readonly group?: string | undefined;
  readonly q?: string | undefined;
  readonly requested_by?: string | undefined;
}
interface Whose {
  readonly projectId: string;
  readonly organizationId: string;
}
function filterValues(of: Whose, filter: AllocationFilter): unknown[] {
  const [tagKey, ...rest] = filter.tag?.split('=') ?? [];
  const tagValue = rest.length > 0 ? rest.join('=') : null;
  // The search text is not a pattern.
  const words = filter.q === undefined ? null : `%${filter.q.replaceAll(/[\\%_]/g, '\\$&')}%`;
  const { state, sku, group, requested_by } = filter;
  const named = [state ?? null, sku ?? null, tagKey ?? null, tagValue, group ?? null];
  return [of.projectId, of.organizationId, ...named, words, requested_by ?? null];
}
export const listAllocations = (
  tx: ReadTx,
  of: Whose,
  filter: AllocationFilter & { readonly order?: 'newest' | 'oldest' | undefined },
  after: string | undefined,
  limit: number,
) =>
  tx.rows<AllocationRow>(filter.order === 'oldest' ? oldestSql : listSql, [
    ...filterValues(of, filter),
    after ?? null,
    limit,
  ]);
export const countAllocations = (tx: ReadTx, of: Whose, filter: AllocationFilter) =>
  tx.rows<{ state: AllocationState; n: number }>(countsSql, filterValues(of, filter));
/** The latest of a project that have not ended. */
export const listCurrent = (tx: ReadTx, projectId: string, organizationId: string, limit: number) =>
  tx.rows<AllocationRow>(currentSql, [projectId, organizationId, limit]);
export const listAllAllocations = (
  tx: ReadTx,
  filter: {
    readonly state?: string | undefined;
    readonly node?: string | undefined;
    readonly organization?: string | undefined;
    readonly id?: string | undefined;
    readonly ended?: 'true' | 'false' | undefined;
  },
  before: string | undefined,
  limit: number,
) =>
  tx.rows<AdminRow>(listAllSql, [
    filter.state ?? null,
    filter.node ?? null,
    filter.organization ?? null,
    filter.id ?? null,
    filter.ended ?? null,
    before ?? null,
    limit,
  ]);
export const listGroup = (tx: ReadTx, groupId: string) => tx.rows<AllocationRow>(ofGroupSql, [groupId]);
export const updateAllocation = (
  tx: WriteTx,
  id: string,
  to: Pick<AllocationRow, 'name' | 'tags' | 'idle_minutes' | 'idle_action'>,
) => tx.run(updateSql, [id, to.name, to.tags, to.idle_minutes, to.idle_action]);
export const extendAllocation = (tx: WriteTx, id: string, seconds: number, expiresAt: Date | null) =>
  tx.run(extendSql, [id, seconds, expiresAt]);
const failedPhaseSql = sql(
  'allocation-failed-phase',
  `select p.name from allocation_timeline p
   where p.allocation_id = $1 and p.kind = 'phase' and mine(p.organization_id) and p.id < (
     select f.id from allocation_timeline f
     where f.allocation_id = $1 and f.kind = 'transition' and f.to_state = 'failed' and mine(f.organization_id)
     order by f.id limit 1)
   order by p.id desc limit 1`,
);
/** What a host had begun last when the launch failed; what follows is cleaning. */
export const findFailedPhase = async (tx: ReadTx, id: string): Promise<string | undefined> =>
  (await tx.rows<{ name: string }>(failedPhaseSql, [id]))[0]?.name;

export interface TimelineRow {
  readonly id: string;
  readonly at: Date;
  readonly kind: 'transition' | 'phase' | 'task' | 'note';
  readonly name: string;
  readonly from_state: string | null;
  readonly to_state: string | null;
  readonly version: bigint | null;
  readonly detail: object;
  readonly correlation_id: string | null;
}
export const listTimeline = (tx: ReadTx, id: string, after: string | undefined, limit: number) =>
  tx.rows<TimelineRow>(timelineSql, [id, after ?? null, limit]);

export interface AttestationRow {
  readonly id: string;
  readonly task_id: string;
  readonly generation: bigint;
  readonly passed: boolean;
  readonly problems: string[];
  readonly document: object;
  readonly signed_result: object;
  readonly taken_at: Date;
}
export const listAttestations = (tx: ReadTx, id: string, before: string | undefined, limit: number) =>
  tx.rows<AttestationRow>(attestationsSql, [id, before ?? null, limit]);

export async function findReceipt(tx: ReadTx, id: string) {
  type Proof = Pick<AttestationRow, 'id' | 'passed' | 'document' | 'taken_at'> & { readonly kind: 'receipt' | 'last' };
  const proofs = await tx.rows<Proof>(receiptSql, [id]);
  const [receipt, last] = (['receipt', 'last'] as const).map((kind) => proofs.find((proof) => proof.kind === kind));
  return { receipt, later: last && last.id !== receipt?.id ? last : undefined };
}

export interface DecisionRow {
  readonly outcome: 'placed' | 'queued' | 'refused';
  readonly document: unknown;
  readonly decided_at: Date;
}
export const lastDecision = (tx: ReadTx, id: string) => first(tx.rows<DecisionRow>(decisionSql, [id]));
