import type { AdminAllocation, Allocation, PlacementDecision } from '@gpuaas/contract';
import { resourceName } from '../../../kernel/resource-name.ts';
import type { Decision } from '../placement/decide.ts';
import { redact } from '../placement/explain.ts';
import type { AdminRow, AllocationRow, DecisionRow } from '../store.ts';
import { actionsOf, type Limits } from './actions.ts';
import { money, perHourMinor } from './price.ts';

const time = (at: Date | null): string | null => at?.toISOString() ?? null;

/** Kinds of alerts for tenants: they do not reveal how a host is watched. */
const kindsForTenants: Readonly<Record<string, string>> = { silent: 'unreachable', gpus_healthy: 'gpu_fault' };

export const showAllocation = (row: AllocationRow, limits: Limits): Allocation => ({
  id: row.id,
  resource_name: resourceName(
    row.region,
    { organizationId: row.organization_id, projectId: row.project_id },
    'gpuaas/allocation',
    row.id,
  ),
  organization_id: row.organization_id,
  project_id: row.project_id,
  group_id: row.group_id,
  name: row.name,
  tags: row.tags,
  requested_by: row.requested_by,
  state: row.state,
  version: Number(row.version),
  placement_status: row.placement_status,
  sku: row.sku,
  capacity_shape: row.capacity_shape,
  gpu_count: row.gpu_count,
  region: row.region,
  profile: row.profile,
  image: row.image,
  isolation_model: row.isolation_model,
  price: {
    price_id: row.price_id,
    unit: row.billing_unit,
    unit_price: money(row.unit_price_minor, row.currency),
    per_hour: money(perHourMinor(row), row.currency),
  },
  login: row.login,
  access: row.access,
  max_duration_seconds: row.max_duration_seconds,
  max_spend: row.max_spend_minor === null ? null : money(row.max_spend_minor, row.currency),
  expires_at: time(row.expires_at),
  idle: row.idle_minutes === null ? null : { minutes: row.idle_minutes, action: row.idle_action ?? 'warn' },
  failure: row.failure_code === null ? null : { code: row.failure_code, reason: row.failure_reason ?? '' },
  release_reason: row.release_reason,
  attempt: row.attempt,
  max_attempts: row.max_attempts,
  simulated: row.simulated,
  reachable: row.reachable,
  concerns: row.concerns.map(({ kind, message, since, deadline_at }) => ({
    kind: kindsForTenants[kind] ?? kind,
    message,
    since: new Date(since).toISOString(),
    deadline_at: deadline_at === null ? null : new Date(deadline_at).toISOString(),
  })),
  stop: row.stop && {
    phase: row.stop.phase,
    reason: 'balance_depleted',
    since: new Date(row.stop.since).toISOString(),
    kept_until: row.stop.kept_until === null ? null : new Date(row.stop.kept_until).toISOString(),
  },
  actions: actionsOf(row, limits),
  created_at: row.created_at.toISOString(),
  provisioning_started_at: time(row.provisioning_started_at),
  active_at: time(row.active_at),
  releasing_at: time(row.releasing_at),
  over: row.ended_at !== null,
  ended_at: time(row.ended_at),
  updated_at: row.updated_at.toISOString(),
});

export const showForOperator = (row: AdminRow, limits: Limits): AdminAllocation => ({
  ...showAllocation(row, limits),
  node_id: row.node_id,
  node_name: row.node_name,
  generation: Number(row.generation),
  release_attempts: row.release_attempts,
  slots: row.slots,
});

/** A decision as a tenant may see it. */
export const showDecision = (row: DecisionRow): PlacementDecision => ({
  ...spread(redact(row.document as Decision)),
  outcome: row.outcome,
  decided_at: row.decided_at.toISOString(),
});
export const showPlanned = (decision: Decision, at: Date): PlacementDecision => ({
  ...spread(redact(decision)),
  decided_at: at.toISOString(),
});
/** The same with arrays that may be written to, as answers are typed. */
const spread = (decision: ReturnType<typeof redact>) => ({
  ...decision,
  reasons: [...decision.reasons],
  would_fit: [...decision.would_fit],
});
