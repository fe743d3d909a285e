import { type TenantRole, tenantRoles } from '@gpuaas/contract';
import { type BeginAct, type Database, sql, systemViewer, type WriteTx } from '../../../kernel/act.ts';
import type { Ids } from '../../../kernel/id.ts';
import { makeApart, type Reconciler } from '../../../kernel/process/reconciler.ts';
import type { Log } from '../../../kernel/telemetry/log.ts';
import type { Metrics } from '../../../kernel/telemetry/metrics.ts';
import type { Tasks } from '../../nodes/index.ts';
import { guardBatch } from '../facts.ts';
import { listKeys } from '../launch/launch-store.ts';
import { noteAllocation } from '../life/machine.ts';
import { type AllocationRow, holdAllocation } from '../store.ts';

/** The roles, in an organization or a project, that may put a key on an allocation. */
const writers = (Object.keys(tenantRoles) as TenantRole[]).filter((role) =>
  tenantRoles[role].includes('allocations:write'),
);

/**
 * A key `k` that does not belong on its allocation: it was deleted, or its owner left the organization, was disabled, or
 * has no role any more ($2) that could put a key there.
 */
const isStale = `(
     not exists (select from ssh_keys s where s.id = k.ssh_key_id)
     or (k.user_id is not null and not exists (
       select from tenant_memberships m join users u on u.id = m.user_id and u.disabled_at is null and is_me(u.id)
       where m.user_id = k.user_id and m.organization_id = k.organization_id and m.deleted_at is null
         and mine(m.organization_id) and (m.role = any ($2) or exists (
           select from project_memberships p
           join allocations o on o.project_id = p.project_id and o.id = k.allocation_id and mine(o.organization_id)
           where p.user_id = k.user_id and p.role = any ($2) and p.deleted_at is null and mine(p.organization_id)
         ))
     ))
   )`;
/** Allocations with such a key, or whose last installation of keys failed. */
const staleSql = sql(
  'authorized-keys-stale',
  `select a.id from allocations a
   where a.state in ('requested', 'active') and mine(a.organization_id) and (
     exists (
       select from allocation_ssh_keys k where k.allocation_id = a.id and mine(k.organization_id) and ${isStale}
     )
     or (a.state = 'active' and (
       select t.state from node_tasks t
       where t.allocation_id = a.id and mine(t.organization_id) and t.generation = a.generation
         and t.task_type = 'allocation.install_authorized_keys'
       order by t.id desc limit 1
     ) in ('failed', 'expired'))
   )
   and ($3::uuid is null or a.id > $3) order by a.id limit $1`,
);
const dropSql = sql(
  'authorized-keys-drop',
  `delete from allocation_ssh_keys k
   where k.allocation_id = $1 and mine(k.organization_id) and ${isStale} returning k.fingerprint`,
);

/**
 * Removes the keys of people who left an organization, lost the role, were disabled, or deleted the key. Which keys belong
 * on an allocation follows from the people, roles and keys of this moment. The node gets a task whenever its keys differ,
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
    if (row.state !== 'active' || !row.login || !row.node_id) return undefined;
    const type = 'allocation.install_authorized_keys';
    const keys = await listKeys(tx, row.id);
    const taskId = await parts.tasks.queueTask(tx, {
      ...{ nodeId: row.node_id, type, generation: Number(row.generation), correlationId },
      params: {
        allocation_id: row.id,
        login: row.login,
        authorized_keys: [...new Set(keys.map(({ public_key }) => public_key))],
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
      const taskId = row && (await install(tx, row, correlationId));
      return tx.commit(undefined, {
        target: { type: 'allocation', id },
        ...(row && { organizationId: row.organization_id, projectId: row.project_id }),
        change: { removed: dropped.map(({ fingerprint }) => fingerprint), task_id: taskId },
        events: 'none',
      });
    });
  }
}
