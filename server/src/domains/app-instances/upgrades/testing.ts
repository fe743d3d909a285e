import type { NodeTaskResult } from '@gpuaas/contract/node';
import { actsOf } from '../../../kernel/act.ts';
import { systemClock } from '../../../kernel/clock.ts';
import { systemIds } from '../../../kernel/id.ts';
import { silentLog } from '../../../kernel/telemetry/log.ts';
import { makeMetrics } from '../../../kernel/telemetry/metrics.ts';
import { openPostgres } from '../../../ports/database/postgres.ts';
import { asSystem, type World } from '../../../testing/world.ts';
import { makeAppGuard, makeApplyAppResult } from '../index.ts';

const numbers: Readonly<Record<string, number>> = {
  'apps.oci_probe_seconds': 60,
  'apps.oci_stall_seconds': 180,
  'apps.oci_recovery_seconds': 900,
  'apps.oci_retry_seconds': 10,
};

/** The guard and the results of hosts, with the rights of the worker and a clock that a test moves. */
export async function openStage(world: World) {
  const url = world.schema.as('gpuaas_worker');
  const worker = await openPostgres({
    ...{ url, clock: systemClock, ids: systemIds, log: silentLog, name: 'test', poolSize: 4 },
  });
  const queued: { readonly type: string; readonly params: object }[] = [];
  const time = { aheadMs: 0 };
  const tasks = {
    queueTask: async (_tx: unknown, order: { readonly type: string; readonly params: object }) => {
      queued.push(order);
      return systemIds.next();
    },
  } as never;
  const parts = {
    ...{ db: worker.database, ids: systemIds, tasks, place: undefined },
    clock: { ...systemClock, now: () => new Date(Date.now() + time.aheadMs) },
    policies: { number: (key: string) => numbers[key] ?? 300 } as never,
  };
  return {
    ...{ queued, time, close: () => worker.close() },
    guard: () =>
      makeAppGuard({
        ...parts,
        begin: actsOf('app-guard', systemIds),
        log: silentLog,
        metrics: makeMetrics('test', '0'),
      }).round(new AbortController().signal),
    read: worker.database.read,
    /** Gives a result of the host about one container. */
    async finish(
      of: { readonly allocationId: string; readonly workloadId: string; readonly instanceId?: string },
      type: string,
      outcome: 'succeeded' | 'failed',
      said: object,
    ) {
      const taskId = systemIds.next();
      const params = { workload_id: of.workloadId, labels: { instance_id: of.instanceId } };
      await asSystem(
        world.root,
        `insert into node_tasks (id, node_id, organization_id, allocation_id, task_type, generation, envelope, correlation_id, issued_at, expires_at)
         select $1, a.node_id, a.organization_id, a.id, $2, 1, $3, 'a test', now(), now() + interval '1 hour' from allocations a where a.id = $4`,
        [taskId, type, JSON.stringify({ params }), of.allocationId],
      );
      const { rows } = await world.root.query('select organization_id from allocations where id = $1', [
        of.allocationId,
      ]);
      const act = actsOf('nodes', systemIds)('node_task.settle', { correlationId: systemIds.next() });
      await worker.database.write(act, async (tx) => {
        const result = { outcome, ...(outcome === 'succeeded' ? { output: said } : { failure: said }) };
        const task = { id: taskId, task_type: type as never, correlation_id: 'a test' };
        const effect = await makeApplyAppResult(parts)(tx, task, result as NodeTaskResult);
        return tx.commit(undefined, {
          target: { type: 'node_task', id: taskId },
          organizationId: rows[0].organization_id,
          events: effect && effect.events.length > 0 ? effect.events : 'none',
        });
      });
    },
  };
}
export type Stage = Awaited<ReturnType<typeof openStage>>;
