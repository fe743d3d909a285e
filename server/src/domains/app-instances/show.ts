import type { AppInstance, AppInstanceLogs, AppInstanceMoment } from '@gpuaas/contract';
import { addressOf } from './launch.ts';
import type { AppsPlace } from './parts.ts';
import type { InstanceRow, LogsRow, MomentRow } from './store.ts';

const iso = (at: Date | null) => at?.toISOString() ?? null;

export const showInstance = (row: InstanceRow, place: AppsPlace | undefined): AppInstance => ({
  ...{ id: row.id, organization_id: row.organization_id, project_id: row.project_id },
  ...{ allocation_id: row.allocation_id, owns_allocation: row.owns_allocation, app_version_id: row.app_version_id },
  ...{ app_reference: row.app_reference, app_version: row.app_version, name: row.name, requested_by: row.requested_by },
  ...{ state: row.state, version: Number(row.version), phase: row.phase, attempts: row.attempts },
  ...{ version_change: row.version_change, previous_version: row.previous_version },
  ...{ parameters: row.parameters, simulated: row.simulated },
  routes: row.routes.map((route) => ({
    ...{ id: route.id, endpoint: route.endpoint_name, family: route.route_family, auth: route.client_auth_mode },
    url: row.state === 'released' ? null : (addressOf(place, route.label) ?? null),
  })),
  ...{ failure_code: row.failure_code, failure_reason: row.failure_reason, end_reason: row.end_reason },
  ...{ created_at: row.created_at.toISOString(), ready_at: iso(row.ready_at), ended_at: iso(row.ended_at) },
});

export const showMoment = (row: MomentRow): AppInstanceMoment => ({ ...row, at: row.at.toISOString() });

/** The newest answer of the host, and when it was last asked. */
export function showLogs(tasks: readonly LogsRow[]): AppInstanceLogs {
  const answered = tasks.find(({ state, output }) => state === 'succeeded' && output !== null);
  return {
    asked_at: iso(tasks[0]?.asked_at ?? null),
    fetched_at: iso(answered?.finished_at ?? null),
    simulated: answered?.output?.simulated ?? false,
    truncated: answered?.output?.truncated ?? false,
    lines: [...(answered?.output?.lines ?? [])],
  };
}
