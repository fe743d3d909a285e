import type { Notice } from '@gpuaas/sdk';
import { labelOfPhase } from './rail.ts';
import { plainWord } from './sizes.ts';

/** Events and timeline entries in sentences. One without a sentence is shown by its name. */
export interface Happening {
  readonly kind: string;
  readonly name: string;
  readonly from_state: string | null;
  readonly to_state: string | null;
}

const arrivals: Readonly<Record<string, string>> = {
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
};
const tasks: Readonly<Record<string, string>> = {
  'slice.vm_provision': 'Task sent: provision the machine.',
  'slice.vm_release': 'Task sent: remove the machine.',
  'allocation.provision_user': 'Task sent: create the account.',
  'allocation.revoke_user': 'Task sent: remove the account.',
};

export function tellHappening({ kind, name, to_state }: Happening): string {
  if (kind === 'transition' && name === 'retry')
    return 'The launch failed because of its host. It is retried on another host.';
  if (kind === 'transition') return (to_state && arrivals[to_state]) || `State: ${plainWord(to_state ?? name)}.`;
  if (kind === 'phase') return `${labelOfPhase(name)}.`;
  if (kind === 'task') return tasks[name] ?? `Task sent: ${name}.`;
  const sentence = notes[name];
  if (sentence) return sentence;
  const words = plainWord(name);
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}.`;
}

const events: Readonly<Record<string, string>> = {
  'provisioning.requested': 'GPUs were requested',
  'provisioning.alert.opened': 'An alert was opened',
  'provisioning.alert.changed': 'An alert has another effect',
  'provisioning.alert.closed': 'An alert was closed',
  'provisioning.breaker.tripped': 'Automation is stopped in a pool',
  'provisioning.breaker.reset': 'Automation goes on in a pool',
  'provisioning.retried': 'A launch failed because of its host; it is tried on another one',
  'provisioning.releasing.requested': 'An allocation is being released',
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
  idle: 'its GPUs were idle',
  drain: 'its host left service',
  project_removed: 'together with its project',
};
export const tellRelease = (reason: string): string => releases[reason] ?? reason;

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
