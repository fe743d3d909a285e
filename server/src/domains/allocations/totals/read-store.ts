import type { Allocation, AllocationCounts, Overview } from '@gpuaas/contract';
import { type ReadTx, sql } from '../../../kernel/act.ts';
import { listCurrent } from '../store.ts';
import type { Limits } from '../views/actions.ts';
import { money } from '../views/price.ts';
import { showAllocation } from '../views/show.ts';

/**
 * Money and counts of a project are added up here, over all of its rows. A client sees pages of rows, so a client that
 * added up would leave out whatever is not on its page.
 */
const totalsSql = sql(
  'allocation-totals',
  `select
     (select coalesce(jsonb_object_agg(s.state, s.n), '{}') from (
        select a.state, count(*)::int as n from allocations a
        where a.project_id = $1 and a.organization_id = $2 and mine(a.organization_id) group by a.state) s) as states,
     (select count(*)::int from allocations a
      where a.project_id = $1 and a.organization_id = $2 and mine(a.organization_id) and a.state = 'requested'
        and a.placement_status = 'queued') as queued,
     (select coalesce(jsonb_agg(jsonb_build_object(
          'currency', r.currency, 'allocations', r.n, 'gpus', r.gpus, 'per_hour', r.per_hour::text) order by r.currency),
          '[]') from (
        select a.currency, count(*)::int as n, sum(a.gpu_count)::int as gpus,
          sum(case k.billing_unit when 'node_hour' then a.unit_price_minor
            else a.unit_price_minor * a.gpu_count end) as per_hour
        from allocations a join skus k on k.slug = a.sku
        where a.project_id = $1 and a.organization_id = $2 and mine(a.organization_id) and a.state = 'active'
        group by a.currency) r) as running,
     exists (select from allocations a where a.project_id = $1 and a.organization_id = $2 and mine(a.organization_id)
       and a.requested_by = $3) as has_launched,
     (select coalesce(jsonb_agg(jsonb_build_object('sku', l.sku, 'gpus', l.gpu_count, 'region', l.region)
          order by l.latest desc), '[]') from (
        select p.sku, p.gpu_count, p.region, max(p.id::text) as latest from (
          select a.id, a.sku, a.gpu_count, a.region from allocations a
          where a.project_id = $1 and a.organization_id = $2 and mine(a.organization_id) and a.requested_by = $3
          order by a.id desc limit $4) p
        group by p.sku, p.gpu_count, p.region order by latest desc limit $5) l) as launch_again`,
);

interface TotalsRow {
  readonly states: Partial<AllocationCounts>;
  readonly queued: number;
  readonly running: readonly {
    readonly currency: string;
    readonly allocations: number;
    readonly gpus: number;
    readonly per_hour: string;
  }[];
  readonly has_launched: boolean;
  readonly launch_again: Overview['launch_again'];
}
export interface Totals extends Pick<Overview, 'running' | 'states' | 'queued' | 'launch_again'> {
  readonly hasLaunched: boolean;
}
export const noStates: AllocationCounts = {
  ...{ requested: 0, provisioning: 0, active: 0, releasing: 0, released: 0, failed: 0, release_failed: 0 },
};

interface Whose {
  readonly projectId: string;
  readonly organizationId: string;
}

export async function readTotals(
  tx: ReadTx,
  of: Whose & { readonly actorId: string },
  shown: { readonly lookedAt: number; readonly shapes: number },
): Promise<Totals> {
  const values = [of.projectId, of.organizationId, of.actorId, shown.lookedAt, shown.shapes];
  const [row] = await tx.rows<TotalsRow>(totalsSql, values);
  const running = row?.running ?? [];
  return {
    running: {
      allocations: running.reduce((sum, { allocations }) => sum + allocations, 0),
      gpus: running.reduce((sum, { gpus }) => sum + gpus, 0),
      per_hour: running.map(({ per_hour, currency }) => money(BigInt(per_hour), currency)),
    },
    states: { ...noStates, ...row?.states },
    queued: row?.queued ?? 0,
    launch_again: [...(row?.launch_again ?? [])],
    hasLaunched: row?.has_launched ?? false,
  };
}

/** The latest allocations that have not ended. */
export async function readCurrent(tx: ReadTx, of: Whose, limit: number, limits: Limits): Promise<Allocation[]> {
  const rows = await listCurrent(tx, of.projectId, of.organizationId, limit);
  return rows.map((row) => showAllocation(row, limits));
}
