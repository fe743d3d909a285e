import { type Envelope, factorsChanged, invitationCreated, passwordLinkRequested } from '@gpuaas/contract';
import { type Database, systemViewer } from '../../kernel/act.ts';
import type { Mail } from '../../ports/mail/port.ts';
import {
  dropPasswordLetter,
  dropSecurityLetter,
  type FindPasswordLetter,
  type FindSecurityLetter,
} from '../identity/index.ts';
import { type Listener, listener } from '../outbox/index.ts';
import type { FindInvitation } from '../tenancy/index.ts';
import { countLettersOfHour, type Outcome, recordDelivery, wasDelivered } from './deliveries-store.ts';
import { invitationLetter, passwordLetter, securityLetter } from './letters.ts';
import type { Written } from './mail/compose.ts';

export { inboxRoutes } from './inbox/routes.ts';
export { makeMailQueue } from './mail/queue.ts';
export { makeUnsubscribe, type Unsubscribe, unsubscribePath, unsubscribeToken } from './mail/unsubscribe.ts';
export { countUnread, noticeRoutes } from './notices.ts';
export { mailsChannel } from './relay/listeners.ts';
export { makeForgetting, openNotificationRelay, relayProcess } from './relay/open.ts';
export { wakesChannel } from './relay/wakes.ts';

/** Where an invitation is accepted. */
export const acceptPath = '/invitations/accept';
/** Where our own provider takes a new password, and where a link to it is asked for. */
const passwordPath = '/oidc/password';
const securityPath = '/security';
const passwordLinkPath = '/oidc/password-link';

/** Notifications: turns events into letters. An event becomes one letter, however often it is delivered. */
export function makeLetterListeners(parts: {
  readonly db: Database;
  readonly mail: Mail;
  readonly findInvitation: FindInvitation;
  readonly findPasswordLetter: FindPasswordLetter;
  readonly findSecurityLetter: FindSecurityLetter;
  /** What an address is counted by: the same for the same address, and of no meaning to others. */
  readonly digestOf: (address: string) => Buffer;
  readonly maxPerRecipientPerHour: () => number;
  /** Where people reach this installation. */
  readonly publicUrl: string;
  /** Whether people have their accounts with us, and not with another provider. */
  readonly hasOwnAccounts: boolean;
}): Listener[] {
  const { publicUrl, findInvitation, findPasswordLetter, findSecurityLetter } = parts;

  /** Sends what `write` has to say, unless it was sent, or its reader gets too many letters. */
  async function send(
    envelope: Envelope,
    write: () => Promise<(Written & { readonly to: string }) | { readonly skip: string }>,
  ): Promise<Outcome | undefined> {
    const { event_id: id, correlation_id: correlationId } = envelope;
    const self = systemViewer('notifications', { correlationId });
    if (await parts.db.read(self, (tx) => wasDelivered(tx, id))) return undefined;
    const letter = await write();
    if ('skip' in letter) return { outcome: 'skipped', reason: letter.skip };
    const recipient = parts.digestOf(letter.to);
    const most = parts.maxPerRecipientPerHour();
    if ((await parts.db.read(self, (tx) => countLettersOfHour(tx, recipient))) >= most) {
      return { outcome: 'skipped', reason: `this address got ${most} letters within an hour` };
    }
    const answer = await parts.mail.send({ ...letter, id, correlationId });
    return 'accepted' in answer
      ? { outcome: 'accepted', messageId: answer.accepted, recipient }
      : { outcome: 'refused', reason: answer.refused };
  }

  const writeInvitation = (id: string, correlationId: string) => async () => {
    const found = await findInvitation(id, correlationId);
    if (!found) return { skip: 'the invitation cannot be accepted any more' };
    const link = new URL(acceptPath, publicUrl);
    link.hash = found.token;
    const { organization, inviter, role, expires_at: expiresAt, email: to } = found;
    const accountUrl = parts.hasOwnAccounts ? new URL(passwordLinkPath, publicUrl).href : undefined;
    return { ...invitationLetter({ organization, inviter, role, expiresAt, link: link.href, accountUrl }), to };
  };
  const writePasswordLink = (id: string, correlationId: string) => async () => {
    const found = await findPasswordLetter(id, correlationId);
    if (!found) return { skip: 'the link does not work any more' };
    const link = new URL(passwordPath, publicUrl);
    link.searchParams.set('token', found.token);
    const { login, expiresAt, email: to } = found;
    return { ...passwordLetter({ login, expiresAt, link: link.href }), to };
  };
  const writeSecurity = (id: string, correlationId: string) => async () => {
    const found = await findSecurityLetter(id, correlationId);
    if (!found) return { skip: 'the letter has left already' };
    const { email: to, ...about } = found;
    return { ...securityLetter({ ...about, link: new URL(securityPath, publicUrl).href }), to };
  };

  return [
    listener({
      event: invitationCreated,
      action: 'invitation.mail',
      before: ({ invitation_id: id }, envelope) => send(envelope, writeInvitation(id, envelope.correlation_id)),
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
      before: ({ letter_id: id }, envelope) => send(envelope, writePasswordLink(id, envelope.correlation_id)),
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
      before: ({ letter_id: id }, envelope) => send(envelope, writeSecurity(id, envelope.correlation_id)),
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
