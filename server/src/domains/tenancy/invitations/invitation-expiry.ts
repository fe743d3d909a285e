import { endedBy, waits } from '@gpuaas/contract';
import { type BeginAct, type Database, systemViewer } from '../../../kernel/act.ts';
import { Fault } from '../../../kernel/fault.ts';
import type { Ids } from '../../../kernel/id.ts';
import type { Reconciler } from '../../../kernel/process/reconciler.ts';
import { invitationsAtOnce } from '../facts.ts';
import { advanceInvitation } from '../machine.ts';
import { overdueSql } from './invitation-expiry-store.ts';

/** Moves invitations to `expired` when their time is over. Until then nobody can accept them any more either. */
export function makeInvitationExpiry(parts: {
  readonly db: Database;
  readonly begin: BeginAct;
  readonly ids: Ids;
}): Reconciler {
  const { db, begin, ids } = parts;
  return {
    name: 'invitation-expiry',
    async round() {
      const viewer = systemViewer('tenancy', { correlationId: ids.next() });
      const overdue = await db.read(viewer, (tx) =>
        tx.rows<{ id: string; organization_id: string }>(overdueSql, [invitationsAtOnce]),
      );
      for (const { id, organization_id } of overdue) {
        await db.write(begin('invitation.expire', { correlationId: ids.next() }), async (tx) => {
          const moved = await advanceInvitation(tx, id, 'expire');
          // It was accepted or revoked meanwhile.
          if (!moved || moved instanceof Fault)
            return tx.abandon(moved ?? new Fault('invitation_not_found', 'It is gone.'));
          return tx.commit(undefined, {
            target: { type: 'invitation', id },
            change: { state: [moved.from, moved.to], ...endedBy(waits.invitation.pending) },
            organizationId: organization_id,
            events: 'none',
          });
        });
      }
      return overdue.length === invitationsAtOnce ? 'more' : 'idle';
    },
  };
}
