import type { TenantRole } from '@gpuaas/contract';
import { escapeHtml } from '../../kernel/html.ts';

/** What is written to people, as text and as simple markup that says the same. */
export interface Written {
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

/**
 * A name that somebody chose, as it may stand in a letter: on one line, without signs that turn the direction of what
 * follows, and without an address that a mail reader would turn into a link of the sender's.
 */
export const plainName = (name: string): string =>
  name
    .replaceAll(/[\p{C}\p{Zl}\p{Zp}\s]+/gu, ' ')
    .replaceAll(/:\/\//g, ': //')
    .replaceAll(/(?<=\w)\.(?=\w)/g, '. ')
    .trim();

export function invitationLetter(about: {
  readonly organization: string;
  readonly inviter: string;
  readonly role: TenantRole;
  readonly expiresAt: Date;
  /** Where the token is used. It stands behind a #, which browsers keep to themselves. */
  readonly link: string;
}): Written {
  const [organization, inviter] = [plainName(about.organization), plainName(about.inviter)];
  const until = `${about.expiresAt.toISOString().slice(0, 'yyyy-mm-ddThh:mm'.length).replace('T', ' ')} UTC`;
  const subject = `You are invited to "${organization}" on GPUaaS`;
  const sentences = [
    `${inviter} invites you to the organization "${organization}" on GPUaaS, as ${about.role}.`,
    `The invitation can be accepted until ${until}:`,
  ];
  const last = 'If you do not know what this is about, do nothing: the link is yours alone and ends by itself.';
  const [first, second] = sentences.map(escapeHtml);
  return {
    subject,
    text: `${sentences.join('\n\n')}\n\n  ${about.link}\n\n${last}\n`,
    html: `<!doctype html><meta charset="utf-8"><title>${escapeHtml(subject)}</title>
<p>${first}</p>
<p>${second}</p>
<p><a href="${escapeHtml(about.link)}">Accept the invitation</a></p>
<p>${escapeHtml(last)}</p>
`,
  };
}
