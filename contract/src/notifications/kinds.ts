import { breakerTripped } from '../events/alerts.ts';
import { autoReleasePending, balanceDepleted, balanceRecovered, lowBalanceWarning } from '../events/billing.ts';
import { nodeLost, nodeQuarantined } from '../events/nodes.ts';
import { webhookDisabled } from '../events/notifications.ts';
import { balanceCredited, reconcileFailed } from '../events/payments.ts';
import {
  factorsChanged,
  invitationCreated,
  memberChanged,
  passwordLinkRequested,
  projectMemberChanged,
  sshKeyAdded,
} from '../events/people.ts';
import {
  provisioningActive,
  provisioningAttested,
  provisioningDrainCalledOff,
  provisioningDrainNotice,
  provisioningFailed,
  provisioningIdle,
  provisioningQueued,
  provisioningReleaseFailed,
  provisioningReleasingCompleted,
} from '../events/provisioning.ts';
import { type KindSpec, kind } from './kind.ts';

/** Releases that a person of the tenant asked for; every other release is the platform's. */
const askedFor = ['user', 'group', 'project_removed'];

/**
 * Everything that people are notified of. A kind names the event that leads to it, who gets it, and by which channels.
 * The words of each are in the server (`notifications/words`), which does not compile while a kind has none.
 */
export const notificationKinds = {
  allocation_active: kind({
    event: provisioningActive,
    to: 'project',
    area: 'compute',
    title: 'An allocation is active',
    inbox: true,
    mail: 'off',
  }),
  allocation_queued: kind({
    event: provisioningQueued,
    to: 'project',
    area: 'compute',
    title: 'A launch waits for capacity',
    inbox: true,
    mail: 'off',
  }),
  allocation_failed: kind({
    event: provisioningFailed,
    to: 'project',
    area: 'compute',
    title: 'An allocation failed',
    inbox: true,
    mail: 'on',
  }),
  allocation_unreachable: kind({
    event: nodeLost,
    to: 'tenants_of_node',
    area: 'compute',
    title: 'The host of an allocation cannot be reached',
    inbox: true,
    mail: 'on',
  }),
  allocation_released: kind({
    event: provisioningReleasingCompleted,
    when: { field: 'reason', isOneOf: askedFor },
    to: 'project',
    area: 'compute',
    title: 'An allocation was released on request',
    inbox: true,
    mail: 'off',
  }),
  allocation_ended: kind({
    event: provisioningReleasingCompleted,
    when: { field: 'reason', isNoneOf: askedFor },
    to: 'project',
    area: 'compute',
    title: 'The platform released an allocation: its time was up, it was idle, its host was drained',
    inbox: true,
    mail: 'on',
  }),
  allocation_release_failed: kind({
    event: provisioningReleaseFailed,
    to: 'project',
    area: 'compute',
    title: 'The cleanup of an allocation failed',
    inbox: true,
    mail: 'off',
  }),
  allocation_idle: kind({
    event: provisioningIdle,
    to: 'project',
    area: 'compute',
    title: 'An allocation is idle',
    inbox: true,
    mail: 'on',
  }),
  allocation_attestation_failed: kind({
    event: provisioningAttested,
    when: { field: 'passed', isOneOf: [false] },
    to: 'project',
    area: 'compute',
    title: 'The host of an allocation failed a check',
    inbox: true,
    mail: 'on',
  }),
  drain_notice: kind({
    event: provisioningDrainNotice,
    to: 'project',
    area: 'compute',
    title: 'The host of an allocation will be drained',
    inbox: true,
    mail: 'on',
  }),
  drain_called_off: kind({
    event: provisioningDrainCalledOff,
    to: 'project',
    area: 'compute',
    title: 'The drain of a host was cancelled',
    inbox: true,
    mail: 'on',
  }),
  organization_role_changed: kind({
    event: memberChanged,
    to: 'person',
    area: 'access',
    title: 'Your role in an organization changed',
    inbox: true,
    mail: 'off',
  }),
  project_role_changed: kind({
    event: projectMemberChanged,
    to: 'person',
    area: 'access',
    title: 'Your role in a project changed',
    inbox: true,
    mail: 'off',
  }),
  invitation: kind({
    event: invitationCreated,
    to: 'address',
    area: 'access',
    title: 'You were invited to an organization',
    inbox: false,
    mail: 'letter',
  }),
  password_link: kind({
    event: passwordLinkRequested,
    to: 'address',
    area: 'security',
    title: 'A link to set your password',
    inbox: false,
    mail: 'letter',
  }),
  sign_in_changed: kind({
    event: factorsChanged,
    to: 'person',
    area: 'security',
    title: 'The second factors of your account changed',
    inbox: true,
    mail: 'letter',
  }),
  ssh_key_added: kind({
    event: sshKeyAdded,
    to: 'person',
    area: 'security',
    title: 'An SSH key was added to your account',
    inbox: true,
    mail: 'required',
  }),
  payment_received: kind({
    event: balanceCredited,
    to: 'billing',
    area: 'money',
    title: 'A payment was added to the balance',
    inbox: true,
    mail: 'required',
  }),
  balance_low: kind({
    event: lowBalanceWarning,
    to: 'billing',
    area: 'money',
    title: 'The balance is low',
    inbox: true,
    mail: 'required',
  }),
  release_announced: kind({
    event: autoReleasePending,
    to: 'billing',
    area: 'money',
    title: 'The balance is nearly used up, and a release is announced',
    inbox: true,
    mail: 'required',
  }),
  balance_depleted: kind({
    event: balanceDepleted,
    to: 'billing',
    area: 'money',
    title: 'The balance is used up',
    inbox: true,
    mail: 'required',
  }),
  balance_recovered: kind({
    event: balanceRecovered,
    to: 'billing',
    area: 'money',
    title: 'The balance lasts again',
    inbox: true,
    mail: 'required',
  }),
  webhook_disabled: kind({
    event: webhookDisabled,
    to: 'owners',
    area: 'access',
    title: 'A webhook was turned off',
    inbox: true,
    mail: 'on',
  }),
  payment_unclear: kind({
    event: reconcileFailed,
    to: 'finance',
    area: 'operations',
    title: 'A payment does not fit what its provider says',
    inbox: true,
    mail: 'on',
  }),
  node_lost: kind({
    event: nodeLost,
    to: 'operators',
    area: 'operations',
    title: 'A node is silent',
    inbox: true,
    mail: 'on',
  }),
  node_quarantined: kind({
    event: nodeQuarantined,
    to: 'operators',
    area: 'operations',
    title: 'A node was quarantined',
    inbox: true,
    mail: 'on',
  }),
  breaker_tripped: kind({
    event: breakerTripped,
    to: 'operators',
    area: 'operations',
    title: 'The breaker of a pool tripped',
    inbox: true,
    mail: 'on',
  }),
  dead_letter: kind({
    event: 'dlq',
    to: 'operators',
    area: 'operations',
    title: 'An event could not be delivered and is a dead letter',
    inbox: true,
    mail: 'on',
  }),
} as const satisfies Readonly<Record<string, KindSpec>>;

export type NotificationKind = keyof typeof notificationKinds;
export const notificationKindNames = Object.keys(notificationKinds) as NotificationKind[];
/** Kinds with a choice: what a person can set is what the inbox and the mails take. */
export const chosenKinds = notificationKindNames.filter((name) => notificationKinds[name].inbox);

export const specOf = (name: NotificationKind): KindSpec => notificationKinds[name];
