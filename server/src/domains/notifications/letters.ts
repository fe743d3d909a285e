import type { TenantRole } from '@gpuaas/contract';
import { type Block, compose, type Written } from './mail/compose.ts';

/**
 * A chosen name in an email: on one line, without characters that change the writing direction, and without an address
 * that a mail reader would turn into a link.
 */
export const plainName = (name: string): string =>
  name
    .replaceAll(/[\p{C}\p{Zl}\p{Zp}\s]+/gu, ' ')
    .replaceAll(/:\/\//g, ': //')
    .replaceAll(/(?<=\w)\.(?=\w)/g, '. ')
    .trim();

const minuteOf = (at: Date): string => `${at.toISOString().slice(0, 'yyyy-mm-ddThh:mm'.length).replace('T', ' ')} UTC`;

export function invitationLetter(about: {
  readonly organization: string;
  readonly inviter: string;
  readonly role: TenantRole;
  readonly expiresAt: Date;
  /** Where the token is used. It stands behind a #, which browsers keep to themselves. */
  readonly link: string;
  /** Where a person without an account gets one; left out where another provider keeps accounts. */
  readonly accountUrl: string | undefined;
}): Written {
  const [organization, inviter] = [plainName(about.organization), plainName(about.inviter)];
  const until = minuteOf(about.expiresAt);
  const subject = `You are invited to "${organization}" on GPUaaS`;
  const blocks: Block[] = [
    { say: `${inviter} invites you to the organization "${organization}" on GPUaaS, as ${about.role}.` },
    { say: `The invitation can be accepted until ${until}:` },
    { link: about.link, label: 'Accept the invitation' },
  ];
  if (about.accountUrl) {
    blocks.push(
      { say: 'No account yet? Set a password for this email address first:' },
      { link: about.accountUrl, label: 'Choose a password' },
    );
  }
  const last = 'If you did not expect this invitation, ignore this email. The link expires by itself.';
  return compose(subject, [...blocks, { say: last }]);
}

export function passwordLetter(about: {
  readonly login: string;
  readonly expiresAt: Date;
  readonly link: string;
}): Written {
  return compose('Set your password for GPUaaS', [
    { say: `A password was requested for the account ${about.login} on GPUaaS.` },
    { say: `This link works once, until ${minuteOf(about.expiresAt)}:` },
    { link: about.link, label: 'Choose a password' },
    { say: 'If you did not request it, ignore this email. Your password stays unchanged.' },
  ]);
}

const changes = {
  factor_added: 'A second factor was added to it. From now on sign-in asks for it.',
  factor_removed: 'A second factor was removed from it.',
  recovery_codes_renewed: 'New recovery codes were made for it. The old ones do not work any more.',
  recovery_code_used: 'A recovery code was used to sign in.',
  factors_reset: 'An operator removed all its second factors and recovery codes, and ended all its sessions.',
} as const;

export function securityLetter(about: {
  readonly login: string;
  readonly change: keyof typeof changes;
  readonly at: Date;
  /** Where the person sees and changes their second factors. */
  readonly link: string;
}): Written {
  const last =
    'If it was not you, choose a new password at once and contact the operator of this installation. Your factors:';
  return compose('The sign-in of your GPUaaS account changed', [
    { say: `This is about the account ${about.login} on GPUaaS, at ${minuteOf(about.at)}.` },
    { say: changes[about.change] },
    { say: last },
    { link: about.link, label: 'Security' },
  ]);
}
