import { factorsChanged, invitationCreated, passwordLinkRequested } from '@gpuaas/contract';
import { dropPasswordLetter, dropSecurityLetter } from '../identity/index.ts';
import { type Listener, listener } from '../outbox/index.ts';
import { recordDelivery } from './deliveries-store.ts';
import { type LetterWriterParts, makeLetterWriters } from './letter-writers.ts';
import { type SendParts, sendOnce } from './send-once.ts';

/** An event becomes one letter, however often it is delivered. */
export function makeLetterListeners(parts: SendParts & LetterWriterParts): Listener[] {
  const write = makeLetterWriters(parts);
  return [
    listener({
      event: invitationCreated,
      action: 'invitation.mail',
      before: ({ invitation_id: id }, envelope) =>
        sendOnce(parts, envelope, write.invitation(id, envelope.correlation_id)),
      effect: async (tx, { invitation_id: subjectId }, envelope, outcome) => {
        if (outcome) {
          const { event_id: eventId, organization_id: organizationId } = envelope;
          await recordDelivery(tx, { eventId, organizationId, kind: 'invitation', subjectId, ...outcome });
        }
        return { type: 'invitation', id: subjectId };
      },
    }),
    listener({
      event: passwordLinkRequested,
      action: 'password_link.mail',
      before: ({ letter_id: id }, envelope) => sendOnce(parts, envelope, write.password(id, envelope.correlation_id)),
      effect: async (tx, { letter_id: subjectId }, envelope, outcome) => {
        if (outcome) {
          const { event_id: eventId } = envelope;
          await recordDelivery(tx, { eventId, organizationId: undefined, kind: 'password', subjectId, ...outcome });
        }
        await dropPasswordLetter(tx, subjectId);
        return { type: 'password_letter', id: subjectId };
      },
    }),
    listener({
      event: factorsChanged,
      action: 'factor.mail',
      before: ({ letter_id: id }, envelope) => sendOnce(parts, envelope, write.security(id, envelope.correlation_id)),
      effect: async (tx, { letter_id: subjectId }, envelope, outcome) => {
        if (outcome) {
          const { event_id: eventId } = envelope;
          await recordDelivery(tx, { eventId, organizationId: undefined, kind: 'security', subjectId, ...outcome });
        }
        await dropSecurityLetter(tx, subjectId);
        return { type: 'security_letter', id: subjectId };
      },
    }),
  ];
}
