import { type BeginAct, type Database, systemViewer, type WriteTx } from '../../../kernel/act.ts';
import type { Ids } from '../../../kernel/id.ts';
import { makeApart, type Reconciler } from '../../../kernel/process/reconciler.ts';
import type { Log } from '../../../kernel/telemetry/log.ts';
import type { Metrics } from '../../../kernel/telemetry/metrics.ts';
import type { Tasks } from '../../nodes/index.ts';
import { guardBatch } from '../facts.ts';
import { listKeys } from '../launch/launch-store.ts';
import { noteAllocation } from '../life/machine.ts';
import { type AllocationRow, holdAllocation } from '../store.ts';
import { authoritiesFor } from './authorities.ts';
import { addSql, dropSql, staleSql } from './reconcile-store.ts';
import { keyWriters as writers } from './writers.ts';

/**
 * Removes the keys of people who left an organization, lost the role or the grant, were disabled, or deleted the key, and adds those of
 * people with a grant. Which keys belong on an allocation follows from the people, roles, grants and keys of this moment. The node gets a task whenever its keys differ,
 * and another one when that task failed.
 */
export function makeAuthorizedKeys(parts: {
  readonly db: Database;
  readonly begin: BeginAct;
  readonly ids: Ids;
  readonly tasks: Pick<Tasks, 'queueTask'>;
  readonly taskSeconds: () => number;
  readonly log: Log;
  readonly metrics: Metrics;
}): Reconciler {
  const { db, ids } = parts;
  const apart = makeApart('authorized-keys', parts);

  const install = async (tx: WriteTx, row: AllocationRow, correlationId: string): Promise<string | undefined> => {
    // A stopped machine gets its keys when it starts.
    if (row.state !== 'active' || row.stop || !row.login || !row.node_id) return undefined;
    const type = 'allocation.install_authorized_keys';
    const keys = await listKeys(tx, row.id);
    const taskId = await parts.tasks.queueTask(tx, {
      ...{ nodeId: row.node_id, type, generation: Number(row.generation), correlationId },
      params: {
        allocation_id: row.id,
        login: row.login,
        authorized_keys: [...new Set(keys.map(({ public_key }) => public_key))],
        ...(await authoritiesFor(tx, row.node_id)),
      },
      ttlSeconds: parts.taskSeconds(),
      allocation: { id: row.id, organizationId: row.organization_id },
    });
    await noteAllocation(tx, row.id, { ids, correlationId, kind: 'task', name: type, detail: { task_id: taskId } });
    return taskId;
  };

  return {
    name: 'authorized-keys',
    async round() {
      const who = systemViewer('authorized-keys', { correlationId: ids.next() });
      for (let after: string | undefined; ; ) {
        const due = await db.read(who, (tx) => tx.rows<{ id: string }>(staleSql, [guardBatch, writers, after ?? null]));
        // One that fails keeps the keys of no other where they do not belong.
        for (const { id } of due) await apart({ allocation: id }, () => reconcile(id));
        after = due.at(-1)?.id;
        if (due.length < guardBatch) return 'idle';
      }
    },
  };

  async function reconcile(id: string): Promise<void> {
    const correlationId = ids.next();
    await db.write(parts.begin('allocation.reconcile_ssh_keys', { correlationId }), async (tx) => {
      const row = await holdAllocation(tx, id);
      const dropped = await tx.rows<{ fingerprint: string }>(dropSql, [id, writers]);
      const added = await tx.rows<{ fingerprint: string }>(addSql, [id, writers]);
      const taskId = row && (await install(tx, row, correlationId));
      return tx.commit(undefined, {
        target: { type: 'allocation', id },
        ...(row && { organizationId: row.organization_id, projectId: row.project_id }),
        change: {
          removed: dropped.map(({ fingerprint }) => fingerprint),
          added: added.map(({ fingerprint }) => fingerprint),
          task_id: taskId,
        },
        events: 'none',
      });
    });
  }
}
