import type { Allocation, Notice } from '@gpuaas/sdk';
import { labelOfPhase } from './rail.ts';
import { plainWord } from './sizes.ts';
import { spellMoment } from './time.ts';

/** Events and timeline entries in sentences. One without a sentence is shown by its name. */
export interface Happening {
  readonly kind: string;
  readonly name: string;
  readonly from_state: string | null;
  readonly to_state: string | null;
  readonly detail?: Readonly<Record<string, unknown>>;
}

const arrivals: Readonly<Record<Allocation['state'], string>> = {
  requested: 'Created.',
  provisioning: 'The host started to provision it.',
  active: 'Active: the host has verified the GPUs.',
  releasing: 'Releasing.',
  released: 'Released; the host has verified that the disks are wiped.',
  failed: 'Failed.',
  release_failed: 'Release failed; operators have been notified.',
};
const notes: Readonly<Record<string, string>> = {
  placement_reserved: 'Capacity reserved.',
  placement_queued: 'No capacity available: queued.',
  queued: 'No capacity available: queued.',
  reserved: 'Capacity reserved.',
  host_reserved: 'A host is reserved for it.',
  leased: 'Host accepted.',
  attested: 'The host sent a signed readiness report.',
  extended: 'Extended.',
  renamed: 'Renamed.',
  restarted: 'Machine restarted.',
  idle: 'GPUs idle.',
  slots_quarantined: 'The machine or its GPUs could not be taken back: the slots are quarantined.',
};
const tasks: Readonly<Record<string, string>> = {
  'slice.vm_provision': 'Task sent: provision the machine.',
  'slice.vm_release': 'Task sent: remove the machine.',
  'allocation.provision_user': 'Task sent: create the account.',
  'allocation.revoke_user': 'Task sent: remove the account.',
  'allocation.install_authorized_keys': 'Task sent: install the SSH keys.',
};

export function tellHappening({ kind, name, from_state, to_state, detail }: Happening): string {
  if (kind === 'transition') return tellTransition(name, from_state, to_state);
  if (kind === 'phase') return `${labelOfPhase(name)}.`;
  if (kind === 'task' && name === 'allocation.extend_lease') {
    const until = detail?.['expires_at'];
    return typeof until === 'string' ? `Extended to ${spellMoment(until)}.` : 'Extended.';
  }
  if (kind === 'task') return tasks[name] ?? `Task sent: ${name}.`;
  const sentence = notes[name];
  if (sentence) return sentence;
  const words = plainWord(name);
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}.`;
}

/** A request that leaves before it has a host has no machine and no disks: `cancel` is the only such way to `released`. */
function tellTransition(name: string, from: string | null, to: string | null): string {
  if (name === 'retry') return 'The launch failed because of its host. It is retried on another host.';
  if (to === 'released' && (from === 'requested' || name === 'cancel')) return 'Cancelled before a host was assigned.';
  return (to && (arrivals as Readonly<Record<string, string | undefined>>)[to]) || `State: ${plainWord(to ?? name)}.`;
}

const events: Readonly<Record<string, string>> = {
  'provisioning.requested': 'GPUs were requested',
  'provisioning.alert.opened': 'An alert was opened',
  'provisioning.alert.changed': 'An alert has another effect',
  'provisioning.alert.closed': 'An alert was closed',
  'provisioning.breaker.tripped': 'Automation is stopped in a pool',
  'provisioning.breaker.reset': 'Automation goes on in a pool',
  'provisioning.stopped': 'The machine of an allocation was stopped',
  'provisioning.started': 'The machine of an allocation was started again',
  'provisioning.retried': 'A launch failed because of its host; it is tried on another one',
  'provisioning.releasing.requested': 'An allocation is being released',
  'provisioning.releasing.escalated': 'A machine did not shut down in time, or could not be ended',
  'billing.low_balance_warning': 'The balance is low',
  'billing.auto_release_pending': 'The balance is nearly spent, and a release is announced',
  'billing.balance_depleted': 'The balance is spent',
  'billing.machines_stopped': 'Machines were stopped: the balance is spent',
  'billing.balance_recovered': 'The balance lasts again',
  'billing.budget_threshold_reached': 'A budget reached a threshold',
  'payments.balance_credited': 'A payment was added to a balance',
  'payments.reconcile_failed': 'A payment does not fit what its provider says',
  'tenancy.ssh_key.added': 'An SSH key was added',
  'tenancy.ssh_key.removed': 'An SSH key was removed',
  'tenancy.member.changed': 'A member joined, left or changed role',
  'tenancy.invitation.created': 'A person was invited',
  'tenancy.invitation.accepted': 'An invitation was accepted',
};
/** The reason of a release: reasons of the platform in words, others as given. */
const releases: Readonly<Record<string, string>> = {
  user: 'by a user',
  group: 'together with its group',
  max_duration: 'at the end of its duration',
  max_spend: 'it cost as much as it may',
  idle: 'its GPUs were idle',
  drain: 'its host left service',
  project_removed: 'together with its project',
};
export function tellRelease(reason: string, by?: string): string {
  if (reason === 'user' && by !== undefined) return `by ${by}`;
  return releases[reason] ?? (by === undefined ? reason : `by ${by}: ${reason}`);
}
/** The person or program who released it, as its timeline says. */
export function releaserOf(timeline: readonly Happening[]): string | undefined {
  const end = timeline.findLast(({ kind, detail }) => kind === 'transition' && detail?.['released_by'] !== undefined);
  const by = end?.detail?.['released_by'];
  return typeof by === 'string' ? by : undefined;
}
/** A name in the middle of a sentence: `You` begins one. */
export const inSentence = (name: string): string =>
  name === 'You' || name === 'A former member' || name === 'The platform'
    ? name.charAt(0).toLowerCase() + name.slice(1)
    : name;

/** An event in a sentence, where there is one for its type. */
export const tellEvent = (type: string): string | undefined =>
  isNotable(type) ? tellNotice(type, 'An allocation').sentence : events[type];

interface Told {
  readonly tone: 'ok' | 'warn' | 'bad' | 'calm' | 'busy';
  say(name: string): string;
}
/** Every kind of notice has a sentence; the compiler says so when there is a new one. */
const notices: Readonly<Record<Notice['type'], Told>> = {
  'provisioning.queued': { tone: 'busy', say: (name) => `${name} is queued` },
  'provisioning.active': { tone: 'ok', say: (name) => `${name} is ready` },
  'provisioning.failed': { tone: 'bad', say: (name) => `${name} failed` },
  'provisioning.releasing.completed': { tone: 'calm', say: (name) => `${name} was released` },
  'provisioning.release_failed': {
    tone: 'bad',
    say: (name) => `${name} could not be released; operators have been notified`,
  },
  'provisioning.idle': { tone: 'warn', say: (name) => `${name} is idle` },
  'provisioning.drain_notice': { tone: 'warn', say: (name) => `${name} has to move: its host is being drained` },
  'provisioning.drain_called_off': {
    tone: 'calm',
    say: (name) => `${name} can stay: the drain of its host was cancelled`,
  },
  'tenancy.project_member.changed': { tone: 'calm', say: () => 'The role of a project member changed' },
};
/** Whether an event of this type becomes a notice: a phase is one of ten, and does not. */
export const isNotable = (type: string): type is Notice['type'] => type in notices;
export const tellNotice = (type: Notice['type'], name: string) => ({
  tone: notices[type].tone,
  sentence: notices[type].say(name),
});
