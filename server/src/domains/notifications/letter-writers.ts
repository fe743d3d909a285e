import type { FindPasswordLetter, FindSecurityLetter } from '../identity/index.ts';
import type { FindInvitation } from '../tenancy/index.ts';
import { invitationLetter, passwordLetter, securityLetter } from './letters.ts';
import type { Letter } from './send-once.ts';

/** Where an invitation is accepted. */
const acceptPath = '/invitations/accept';
/** Where our own provider takes a new password, and where a link to it is asked for. */
const passwordPath = '/oidc/password';
const securityPath = '/security';
const passwordLinkPath = '/oidc/password-link';

export interface LetterWriterParts {
  readonly findInvitation: FindInvitation;
  readonly findPasswordLetter: FindPasswordLetter;
  readonly findSecurityLetter: FindSecurityLetter;
  /** Where people reach this installation. */
  readonly publicUrl: string;
  /** Whether people have their accounts with us, and not with another provider. */
  readonly hasOwnAccounts: boolean;
}
type Write = (id: string, correlationId: string) => () => Promise<Letter>;

/** Writes each kind of letter from what it is about; a letter that has no use any more is skipped. */
export function makeLetterWriters(
  parts: LetterWriterParts,
): Readonly<Record<'invitation' | 'password' | 'security', Write>> {
  const { publicUrl } = parts;
  return {
    invitation: (id, correlationId) => async () => {
      const found = await parts.findInvitation(id, correlationId);
      if (!found) return { skip: 'the invitation cannot be accepted any more' };
      const link = new URL(acceptPath, publicUrl);
      link.hash = found.token;
      const { organization, inviter, role, expires_at: expiresAt, email: to } = found;
      const accountUrl = parts.hasOwnAccounts ? new URL(passwordLinkPath, publicUrl).href : undefined;
      return { ...invitationLetter({ organization, inviter, role, expiresAt, link: link.href, accountUrl }), to };
    },
    password: (id, correlationId) => async () => {
      const found = await parts.findPasswordLetter(id, correlationId);
      if (!found) return { skip: 'the link does not work any more' };
      const link = new URL(passwordPath, publicUrl);
      link.searchParams.set('token', found.token);
      const { login, expiresAt, email: to } = found;
      return { ...passwordLetter({ login, expiresAt, link: link.href }), to };
    },
    security: (id, correlationId) => async () => {
      const found = await parts.findSecurityLetter(id, correlationId);
      if (!found) return { skip: 'the letter has left already' };
      const { email: to, ...about } = found;
      return { ...securityLetter({ ...about, link: new URL(securityPath, publicUrl).href }), to };
    },
  };
}
