import { type Facts, type Message, textOf, type Words } from './words.ts';

const inOrganization = ({ organization }: Facts): string =>
  organization === undefined ? 'an organization' : `"${organization}"`;
const security: Message['link'] = { path: '/security', label: 'Open security' };

const signInChanges: Readonly<Record<string, string>> = {
  factor_added: 'A second factor was added. From now on sign-in asks for it.',
  factor_removed: 'A second factor was removed.',
  recovery_codes_renewed: 'New recovery codes were made. The old ones do not work any more.',
  recovery_code_used: 'A recovery code was used to sign in.',
  factors_reset: 'An operator removed all second factors and recovery codes, and ended all sessions.',
};
const notYou = 'If it was not you, change your password at once and contact the operator of this installation.';

export const peopleWords = {
  organization_role_changed: (facts) => ({
    tone: 'notice',
    title:
      facts.payload['role'] === null
        ? `You are no longer a member of ${inOrganization(facts)}`
        : `Your role in ${inOrganization(facts)} is now ${textOf(facts, 'role')}`,
    text: [],
    link: undefined,
  }),
  project_role_changed: (facts) => ({
    tone: 'notice',
    title:
      facts.payload['role'] === null
        ? `You have no role of your own in a project of ${inOrganization(facts)} any more`
        : `Your role in a project of ${inOrganization(facts)} is now ${textOf(facts, 'role')}`,
    text: [],
    link: undefined,
  }),
  invitation: (facts) => ({
    tone: 'notice',
    title: `You are invited to ${inOrganization(facts)}`,
    text: [],
    link: undefined,
  }),
  password_link: () => ({ tone: 'notice', title: 'A link to set your password', text: [], link: undefined }),
  sign_in_changed: (facts) => ({
    tone: 'notice',
    title: 'The sign-in of your account changed',
    text: [signInChanges[textOf(facts, 'change')] ?? 'Its second factors changed.', notYou],
    link: security,
  }),
  webhook_disabled: (facts) => ({
    tone: 'bad',
    title: `A webhook of ${inOrganization(facts)} was turned off`,
    text: [textOf(facts, 'reason'), 'Events are not posted any more. Mend the receiver and turn it on again.'],
    link: { path: '/webhooks', label: 'Open webhooks' },
  }),
  ssh_key_added: (facts) => ({
    tone: 'notice',
    title: 'An SSH key was added to your account',
    text: [`Its fingerprint is ${textOf(facts, 'fingerprint')}.`, notYou],
    link: { path: '/ssh-keys', label: 'Open SSH keys' },
  }),
} as const satisfies Partial<Words>;
