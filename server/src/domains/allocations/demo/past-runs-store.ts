import { type BeginAct, type Database, sql } from '../../../kernel/act.ts';
import type { Ids } from '../../../kernel/id.ts';

/**
 * Allocations that ended before the installation existed, for the demo of a local start. They go through every state of the
 * machine in one transaction, so nothing else ever sees them alive; they never held a slot. What they cost is charged from signed
 * evidence, as for any other.
 */
export interface PastRun {
  readonly id: string;
  readonly name: string;
  readonly requestedBy: string;
  readonly nodeId: string;
  readonly gpus: readonly string[];
  readonly fromAt: string;
  readonly toAt: string;
}

const insertSql = sql(
  'demo-runs-insert',
  `insert into allocations (id, organization_id, project_id, name, tags, requested_by, placement_status, sku, capacity_shape,
     gpu_count, region, price_id, unit_price_minor, currency, isolation_model, node_id, generation, created_at)
   select r.id, $1, $2, r.name, '{"demo": "true"}', r.requested_by, 'leased', k.slug, k.capacity_shape, cardinality(r.gpus), $4,
     p.id, p.unit_price_minor, p.currency, 'user-revoke', r.node_id, 1, r.from_at - interval '1 minute'
   from jsonb_to_recordset($5::jsonb) as r (id uuid, name text, requested_by text, node_id uuid, gpus text[],
       from_at timestamptz, to_at timestamptz)
     join organizations o on o.id = $1 and mine(o.id)
     join skus k on k.slug = $3
     cross join lateral (select p.id, p.unit_price_minor, p.currency from sku_prices p
       where p.sku = k.slug and p.currency = o.currency and coalesce(p.region, $4) = $4
       order by p.region nulls last, p.effective_from desc limit 1) p`,
);
const attestSql = sql(
  'demo-runs-attest',
  `insert into readiness_attestations (id, allocation_id, organization_id, node_id, task_id, generation, passed, document,
     signed_result, taken_at)
   select r.attestation_id, r.id, $1, r.node_id, r.attestation_id, 1, true,
     jsonb_build_object('gpus', (select jsonb_agg(jsonb_build_object('uuid', g)) from unnest(r.gpus) g), 'driver_version',
       'demo', 'cuda_version', 'demo'), '{}', r.from_at
   from jsonb_to_recordset($2::jsonb) as r (id uuid, attestation_id uuid, node_id uuid, gpus text[], from_at timestamptz)`,
);
const moveSql = sql(
  'demo-runs-move',
  `update allocations a set state = $2, version = a.version + 1,
     placement_status = case when $2 = 'released' then 'freed' else a.placement_status end,
     provisioning_started_at = coalesce(a.provisioning_started_at, r.from_at - interval '1 minute'),
     active_at = case when $2 = 'active' then r.from_at else a.active_at end,
     releasing_at = case when $2 = 'releasing' then r.to_at else a.releasing_at end,
     ended_at = case when $2 = 'released' then r.to_at + interval '1 minute' else a.ended_at end,
     release_reason = case when $2 = 'releasing' then 'demo' else a.release_reason end,
     updated_at = r.to_at
   from jsonb_to_recordset($1::jsonb) as r (id uuid, from_at timestamptz, to_at timestamptz)
   where a.id = r.id and mine(a.organization_id)`,
);

export const makePastRuns =
  ({ db, begin, ids }: { readonly db: Database; readonly begin: BeginAct; readonly ids: Ids }) =>
  async (
    of: { readonly organizationId: string; readonly projectId: string; readonly sku: string; readonly region: string },
    runs: readonly PastRun[],
  ): Promise<void> => {
    const rows = JSON.stringify(
      runs.map((run) => ({
        ...{ id: run.id, attestation_id: ids.next(), name: run.name, requested_by: run.requestedBy },
        ...{ node_id: run.nodeId, gpus: run.gpus, from_at: run.fromAt, to_at: run.toAt },
      })),
    );
    const { organizationId } = of;
    await db.write(begin('demo.runs', { correlationId: ids.next() }), async (tx) => {
      const made = await tx.run(insertSql, [organizationId, of.projectId, of.sku, of.region, rows]);
      if (made !== runs.length) throw new Error(`only ${made} of ${runs.length} demo runs could be written`);
      await tx.run(attestSql, [organizationId, rows]);
      for (const state of ['provisioning', 'active', 'releasing', 'released']) await tx.run(moveSql, [rows, state]);
      return tx.commit(made, {
        target: { type: 'allocation', id: 'demo' },
        organizationId,
        change: { runs: made },
        events: 'none',
      });
    });
  };
