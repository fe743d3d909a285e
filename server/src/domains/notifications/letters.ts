import type { TenantRole } from '@gpuaas/contract';
import { escapeHtml } from '../../kernel/html.ts';

/** What is written to people, as text and as simple markup that says the same. */
export interface Written {
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

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
  const sentences = [
    `${inviter} invites you to the organization "${organization}" on GPUaaS, as ${about.role}.`,
    `The invitation can be accepted until ${until}:`,
  ];
  const account = 'No account yet? Set a password for this email address first:';
  const last = 'If you did not expect this invitation, ignore this email. The link expires by itself.';
  const [first, second] = sentences.map(escapeHtml);
  return {
    subject,
    text: `${sentences.join('\n\n')}\n\n  ${about.link}\n\n${
      about.accountUrl ? `${account}\n\n  ${about.accountUrl}\n\n` : ''
    }${last}\n`,
    html: `<!doctype html><meta charset="utf-8"><title>${escapeHtml(subject)}</title>
<p>${first}</p>
<p>${second}</p>
<p><a href="${escapeHtml(about.link)}">Accept the invitation</a></p>
${about.accountUrl ? `<p>${escapeHtml(account)} <a href="${escapeHtml(about.accountUrl)}">Choose a password</a></p>\n` : ''}<p>${escapeHtml(last)}</p>
`,
  };
}

export function passwordLetter(about: {
  readonly login: string;
  readonly expiresAt: Date;
  readonly link: string;
}): Written {
  const subject = 'Set your password for GPUaaS';
  const first = `A password was requested for the account ${about.login} on GPUaaS.`;
  const second = `This link works once, until ${minuteOf(about.expiresAt)}:`;
  const last = 'If you did not request it, ignore this email. Your password stays unchanged.';
  return {
    subject,
    text: `${first}\n\n${second}\n\n  ${about.link}\n\n${last}\n`,
    html: `<!doctype html><meta charset="utf-8"><title>${escapeHtml(subject)}</title>
<p>${escapeHtml(first)}</p>
<p>${escapeHtml(second)}</p>
<p><a href="${escapeHtml(about.link)}">Choose a password</a></p>
<p>${escapeHtml(last)}</p>
`,
  };
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
  const subject = 'The sign-in of your GPUaaS account changed';
  const first = `This is about the account ${about.login} on GPUaaS, at ${minuteOf(about.at)}.`;
  const second = changes[about.change];
  const last =
    'If it was not you, choose a new password at once and contact the operator of this installation. Your factors:';
  return {
    subject,
    text: `${first}\n\n${second}\n\n${last}\n\n  ${about.link}\n`,
    html: `<!doctype html><meta charset="utf-8"><title>${escapeHtml(subject)}</title>
<p>${escapeHtml(first)}</p>
<p>${escapeHtml(second)}</p>
<p>${escapeHtml(last)} <a href="${escapeHtml(about.link)}">Security</a></p>
`,
  };
}
