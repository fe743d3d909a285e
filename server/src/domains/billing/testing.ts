import type pg from 'pg';
import { type Act, makeAct, systemViewer } from '../../kernel/act.ts';
import { type Clock, systemClock } from '../../kernel/clock.ts';
import { systemIds } from '../../kernel/id.ts';
import { silentLog } from '../../kernel/telemetry/log.ts';
import type { DatabasePort } from '../../ports/database/port.ts';
import { openPostgres } from '../../ports/database/postgres.ts';
import type { TestSchema } from '../../testing/schema.ts';
import { asSystem } from '../../testing/world.ts';
import { sliceSku, stockFleet, testRegion } from '../allocations/testing.ts';

export const actOf = (action: string): Act =>
  makeAct(systemViewer('billing-worker', { correlationId: systemIds.next() }), action, systemIds.next());

/** The database as a family of processes has it. */
export const openAs = (
  schema: TestSchema,
  family: Parameters<TestSchema['as']>[0],
  clock: Clock = systemClock,
): Promise<DatabasePort> =>
  openPostgres({
    url: schema.as(family),
    clock,
    ids: systemIds,
    log: silentLog,
    name: 'test',
    poolSize: 4,
  });

/** An organization with a project, put in from the outside. */
export async function foundOrganization(root: pg.Client, currency = 'USD') {
  const [organizationId, projectId] = [systemIds.next(), systemIds.next()];
  await asSystem(root, 'insert into organizations (id, name, slug, currency) values ($1, $2, $2, $3)', [
    organizationId,
    `o-${organizationId}`,
    currency,
  ]);
  await asSystem(root, `insert into projects (id, organization_id, name, slug) values ($1, $2, 'p', 'p')`, [
    projectId,
    organizationId,
  ]);
  return { organizationId, projectId };
}

/** A lease of an allocation that was proven ready, and what it takes to give evidence of it. */
export interface Lease {
  readonly allocationId: string;
  readonly organizationId: string;
  readonly projectId: string;
  readonly nodeId: string;
  readonly gpus: readonly string[];
  readonly takenAt: Date;
}
export async function makeLeases(root: pg.Client) {
  const fleet = await stockFleet(root);
  const { id: nodeId } = await fleet.addNode();
  return {
    nodeId,
    async lease(
      of: { readonly organizationId: string; readonly projectId: string },
      how: {
        readonly gpus?: number;
        readonly unitPriceMinor?: bigint;
        readonly takenAt: Date;
        readonly proven?: boolean;
      },
    ): Promise<Lease> {
      const allocationId = systemIds.next();
      const gpus = Array.from({ length: how.gpus ?? 1 }, () => `GPU-${systemIds.next()}`);
      await asSystem(
        root,
        `insert into allocations (id, organization_id, project_id, name, requested_by, placement_status, sku, capacity_shape,
           gpu_count, region, unit_price_minor, currency, isolation_model, node_id, generation)
         select $1, $2, $3, 'a', 'somebody', 'leased', $4, 'gpu_slice', $5, $6, $7, o.currency, 'user-revoke', $8, 1
         from organizations o where o.id = $2`,
        [
          ...[
            allocationId,
            of.organizationId,
            of.projectId,
            sliceSku,
            gpus.length,
            testRegion,
            how.unitPriceMinor ?? 450n,
          ],
          nodeId,
        ],
      );
      if (how.proven !== false) {
        await asSystem(
          root,
          `insert into readiness_attestations (id, allocation_id, organization_id, node_id, task_id, generation, passed,
             problems, document, signed_result, taken_at)
           values ($1, $2, $3, $4, $1, 1, true, '{}', $5, '{}', $6)`,
          [
            ...[systemIds.next(), allocationId, of.organizationId, nodeId],
            ...[{ gpus: gpus.map((uuid) => ({ uuid })), driver_version: '580.1', cuda_version: '13.0' }, how.takenAt],
          ],
        );
      }
      return { allocationId, ...of, nodeId, gpus, takenAt: how.takenAt };
    },
  };
}
