import { type Envelope, invitationCreated } from '@gpuaas/contract';
import { type Database, systemViewer } from '../../kernel/act.ts';
import type { Mail } from '../../ports/mail/port.ts';
import { type Listener, listener } from '../outbox/index.ts';
import type { FindInvitation } from '../tenancy/index.ts';
import { type Outcome, recordDelivery, wasDelivered } from './deliveries-store.ts';
import { invitationLetter } from './letters.ts';

export { countUnread, noticeRoutes } from './notices.ts';

/** Where an invitation is accepted. */
export const acceptPath = '/invitations/accept';

/** Notifications: turns events into letters. An event becomes one letter, however often it is delivered. */
export function makeLetterListeners(parts: {
  readonly db: Database;
  readonly mail: Mail;
  readonly findInvitation: FindInvitation;
  /** Where people reach this installation. */
  readonly publicUrl: string;
}): Listener[] {
  async function invite(id: string, envelope: Envelope): Promise<Outcome | undefined> {
    const { event_id: eventId, correlation_id: correlationId } = envelope;
    const sent = await parts.db.read(systemViewer('notifications', { correlationId }), (tx) =>
      wasDelivered(tx, eventId),
    );
    if (sent) return undefined;
    const found = await parts.findInvitation(id, correlationId);
    if (!found) return { outcome: 'skipped', reason: 'the invitation cannot be accepted any more' };
    const link = new URL(acceptPath, parts.publicUrl);
    link.hash = found.token;
    const { organization, inviter, role, expires_at: expiresAt, email: to } = found;
    const letter = invitationLetter({ organization, inviter, role, expiresAt, link: link.href });
    const answer = await parts.mail.send({ ...letter, id: eventId, to, correlationId });
    return 'accepted' in answer
      ? { outcome: 'accepted', messageId: answer.accepted }
      : { outcome: 'refused', reason: answer.refused };
  }

  return [
    listener({
      event: invitationCreated,
      action: 'invitation.mail',
      before: ({ invitation_id }, envelope) => invite(invitation_id, envelope),
      effect: async (tx, { invitation_id: subjectId }, envelope, outcome) => {
        if (outcome) {
          const { event_id: eventId, organization_id: organizationId } = envelope;
          await recordDelivery(tx, { eventId, organizationId, kind: 'invitation', subjectId, ...outcome });
        }
        return { type: 'invitation', id: subjectId };
      },
    }),
  ];
}
