import { type Database, systemViewer } from '../../../kernel/act.ts';
import type { Clock } from '../../../kernel/clock.ts';
import type { Ids } from '../../../kernel/id.ts';
import { makeApart, type Reconciler } from '../../../kernel/process/reconciler.ts';
import type { Log } from '../../../kernel/telemetry/log.ts';
import type { Metrics } from '../../../kernel/telemetry/metrics.ts';
import { fetchedWithinMs, guardBatch } from '../facts.ts';
import type { BeginRuns } from '../sagas/begin.ts';
import { provisionTaskTypes } from '../tasks/provision-task.ts';
import { vacateTaskTypes } from '../tasks/vacate-task.ts';
import { listUnattended, type UnattendedRow } from './guards-store.ts';

const types = { provision: provisionTaskTypes, vacate: vacateTaskTypes };

/**
 * Begins the run of every launch and release whose task has ended and was not applied: it failed, expired, was cancelled with
 * its node, or its result lacks a proof. The transaction that ends a task wakes it. A task that is late gets its run too, so that
 * a person can see that it waits, and call it off.
 */
export const makeUnattended = (parts: {
  readonly db: Database;
  readonly ids: Ids;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly begin: Pick<BeginRuns, 'provision' | 'release'>;
}): Reconciler => {
  const apart = makeApart('allocation-unattended', parts);
  const begin = (row: UnattendedRow): Promise<void> => {
    const lease = { allocationId: row.id, generation: Number(row.generation) };
    const origin = {
      ...{ correlationId: row.correlation_id, traceparent: undefined },
      ...{ organizationId: row.organization_id, projectId: row.project_id },
    };
    return row.state === 'provisioning'
      ? parts.begin.provision(lease, origin, row.is_late)
      : parts.begin.release({ ...lease, attempt: row.release_attempts }, row.forced, origin, row.is_late);
  };
  return {
    name: 'allocation-unattended',
    async round() {
      const viewer = systemViewer('allocation-guards', { correlationId: parts.ids.next() });
      const late = { now: parts.clock.now(), fetchedWithinMs };
      for (let after: string | undefined; ; ) {
        const rows = await parts.db.read(viewer, (tx) => listUnattended(tx, types, late, after, guardBatch));
        for (const row of rows) await apart({ allocation: row.id }, () => begin(row));
        after = rows.at(-1)?.id;
        if (rows.length < guardBatch) return 'idle';
      }
    },
  };
};
