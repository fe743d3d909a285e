import { type DeclaredEvent, provisioningDrainCalledOff, provisioningDrainNotice } from '@gpuaas/contract';
import { type BeginAct, type Database, systemViewer } from '../../../kernel/act.ts';
import { Fault } from '../../../kernel/fault.ts';
import type { Ids } from '../../../kernel/id.ts';
import type { NodeTenants } from '../../nodes/index.ts';
import { guardBatch } from '../facts.ts';
import { noteAllocation } from '../life/machine.ts';
import { lastWordSql, lockSql, stayingSql } from './node-tenants-store.ts';

const [notice, calledOff] = ['drain_notice', 'drain_called_off'] as const;

interface Word {
  readonly name: typeof notice | typeof calledOff;
  readonly deadline_at: string | null;
}
interface NoticedRow {
  readonly organization_id: string;
  readonly project_id: string;
  readonly version: bigint;
  readonly simulated: boolean;
}
interface About {
  readonly simulated: boolean;
  readonly allocation_id: string;
  readonly organization_id: string;
  readonly project_id: string;
  readonly version: number;
}

/**
 * The allocations on one node, for the domain of nodes. Each notice is an act of its own in the organization of the allocation: a
 * note on its timeline and an event, once for each deadline. The operator's reason is not in it.
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

  /** Sends a notice to one allocation, unless the last notice makes it superfluous. */
  async function sendNotice(
    id: string,
    word: {
      readonly name: Word['name'];
      readonly detail: object;
      readonly isIdle: (last: Word | undefined) => boolean;
      readonly event: (about: About) => DeclaredEvent;
    },
  ): Promise<void> {
    const correlationId = ids.next();
    await db.write(parts.begin('allocation.give_notice', { correlationId }), async (tx) => {
      const [row] = await tx.rows<NoticedRow>(lockSql, [id]);
      if (!row) return tx.abandon(new Fault('allocation_not_found', 'It is leaving already.'));
      const [last] = await tx.rows<Word>(lastWordSql, [id, [notice, calledOff]]);
      if (word.isIdle(last)) return tx.abandon(new Fault('illegal_transition', 'It has this notice already.'));
      await noteAllocation(tx, id, { ids, correlationId, kind: 'note', name: word.name, detail: word.detail });
      const { version, ...about } = row;
      return tx.commit(undefined, {
        target: { type: 'allocation', id },
        change: { told: word.name, ...word.detail },
        organizationId: about.organization_id,
        projectId: about.project_id,
        events: [word.event({ ...about, allocation_id: id, version: Number(version) })],
      });
    });
  }
  const living = async (nodeId: string) => (await staying(nodeId)).filter(({ state }) => state !== 'release_failed');

  return {
    async notify(nodeId, deadlineAt) {
      const tenants = await living(nodeId);
      for (const { id } of tenants) {
        await sendNotice(id, {
          name: notice,
          detail: { deadline_at: deadlineAt },
          isIdle: (last) => last?.name === notice && last.deadline_at === deadlineAt,
          event: (about) => provisioningDrainNotice.of(id, { ...about, deadline_at: deadlineAt }),
        });
      }
      return tenants.length;
    },
    async callOff(nodeId) {
      for (const { id } of await living(nodeId)) {
        await sendNotice(id, {
          name: calledOff,
          detail: {},
          isIdle: (last) => last?.name !== notice,
          event: (about) => provisioningDrainCalledOff.of(id, about),
        });
      }
    },
    async release(nodeId) {
      const tenants = await staying(nodeId);
      const begun = await Promise.all(
        // An allocation whose release failed is released by force.
        tenants.map(({ id, state }) => parts.release(id, 'drain', state === 'release_failed')),
      );
      return begun.filter(Boolean).length;
    },
  };
}
