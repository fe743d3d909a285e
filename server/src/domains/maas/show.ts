import type { MaasJob, MaasMachine, MaasSite, nodeStates } from '@gpuaas/contract';
import { driftOf } from './drift.ts';
import type { SiteRow } from './sites-store.ts';
import type { JobRow, MachineRow } from './store.ts';

export const showSite = (row: SiteRow): MaasSite => ({
  ...row,
  seen_at: row.seen_at?.toISOString() ?? null,
  failing_since: row.failing_since?.toISOString() ?? null,
  revision: Number(row.revision),
  created_at: row.created_at.toISOString(),
  updated_at: row.updated_at.toISOString(),
});

export const showJob = (row: JobRow): MaasJob => ({
  ...row,
  created_at: row.created_at.toISOString(),
  updated_at: row.updated_at.toISOString(),
  ended_at: row.ended_at?.toISOString() ?? null,
});

export const showMachine = (row: MachineRow, job: JobRow | undefined): MaasMachine => ({
  site_id: row.site_id,
  system_id: row.system_id,
  hostname: row.hostname,
  maas: {
    status: row.status,
    detail: row.detail,
    power: row.power,
    owner: row.owner,
    missing_since: row.missing_since?.toISOString() ?? null,
    changed_at: row.changed_at.toISOString(),
  },
  node:
    row.node_id === null || row.node_name === null
      ? null
      : { id: row.node_id, name: row.node_name, state: row.node_state as (typeof nodeStates)[number] },
  allocations: [...row.allocations],
  job: job ? showJob(job) : null,
  drift: driftOf(row),
  architecture: row.architecture,
  cpus: row.cpus,
  memory_mib: row.memory_mib,
  tags: row.tags,
});
