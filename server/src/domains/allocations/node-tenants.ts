import { provisioningDrainNotice } from '@gpuaas/contract';
import { type BeginAct, type Database, sql, systemViewer } from '../../kernel/act.ts';
import { Fault } from '../../kernel/fault.ts';
import type { Ids } from '../../kernel/id.ts';
import type { NodeTenants } from '../nodes/index.ts';
import { guardBatch } from './facts.ts';
import { noteAllocation } from './machine.ts';

const stayingSql = sql(
  'allocation-staying',
  `select id, state from allocations
   where node_id = $1 and mine(organization_id) and (state in ('requested', 'provisioning', 'active')
     or (state = 'release_failed' and release_attempts < $2)) order by id limit $3`,
);
const lockSql = sql(
  'allocation-notice-lock',
  `select organization_id, project_id, version from allocations
   where id = $1 and state in ('requested', 'provisioning', 'active') and mine(organization_id) for update`,
);
const toldSql = sql(
  'allocation-notice-told',
  `select id from allocation_timeline
   where allocation_id = $1 and kind = 'note' and name = $2 and detail ->> 'deadline_at' = $3 and mine(organization_id)
   limit 1`,
);
const notice = 'drain_notice';

/**
 * Those who rent from one node, as the node's own domain may speak to them. Each is told in an act of its own, in its
 * organization: a note on its timeline and an event, once for each deadline. Why the host has to go is the operator's.
 */
export function makeNodeTenants(parts: {
  readonly db: Database;
  readonly begin: BeginAct;
  readonly ids: Ids;
  readonly maxReleaseAttempts: () => number;
  readonly release: (allocationId: string, reason: 'drain', forced: boolean) => Promise<boolean>;
}): NodeTenants {
  const { db, ids } = parts;
  const staying = (nodeId: string) =>
    db.read(systemViewer('allocations', { correlationId: ids.next() }), (tx) =>
      tx.rows<{ id: string; state: string }>(stayingSql, [nodeId, parts.maxReleaseAttempts(), guardBatch]),
    );

  async function tell(id: string, deadlineAt: string): Promise<void> {
    const correlationId = ids.next();
    await db.write(parts.begin('allocation.give_notice', { correlationId }), async (tx) => {
      const [row] = await tx.rows<{ organization_id: string; project_id: string; version: bigint }>(lockSql, [id]);
      if (!row) return tx.abandon(new Fault('allocation_not_found', 'It is leaving already.'));
      const told = await tx.rows(toldSql, [id, notice, deadlineAt]);
      if (told.length > 0) return tx.abandon(new Fault('illegal_transition', 'It was told already.'));
      const detail = { deadline_at: deadlineAt };
      await noteAllocation(tx, id, { ids, correlationId, kind: 'note', name: notice, detail });
      return tx.commit(undefined, {
        target: { type: 'allocation', id },
        change: detail,
        organizationId: row.organization_id,
        projectId: row.project_id,
        events: [
          provisioningDrainNotice.of(id, {
            allocation_id: id,
            organization_id: row.organization_id,
            project_id: row.project_id,
            version: Number(row.version),
            deadline_at: deadlineAt,
          }),
        ],
      });
    });
  }

  return {
    async notify(nodeId, deadlineAt) {
      const tenants = (await staying(nodeId)).filter(({ state }) => state !== 'release_failed');
      for (const { id } of tenants) await tell(id, deadlineAt);
      return tenants.length;
    },
    async release(nodeId) {
      const tenants = await staying(nodeId);
      const begun = await Promise.all(
        // Whoever was asked kindly and could not leave is not asked again.
        tenants.map(({ id, state }) => parts.release(id, 'drain', state === 'release_failed')),
      );
      return begun.filter(Boolean).length;
    },
  };
}
