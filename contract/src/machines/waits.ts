import type { MachineTable, StatesOf } from '../machine.ts';
import type { NumberPolicyKey } from '../policies.ts';
import type { allocation } from './allocation.ts';
import type { billingAccount } from './billing-account.ts';
import type { deadLetter } from './dead-letter.ts';
import type { department } from './department.ts';
import type { invitation } from './invitation.ts';
import type { invoice } from './invoice.ts';
import type { node } from './node.ts';
import type { nodeTask } from './node-task.ts';
import type { payment } from './payment.ts';
import type { project } from './project.ts';
import type { serviceAccount } from './service-account.ts';
import type { signer } from './signer.ts';
import type { slot } from './slot.ts';
import type { terminalSession } from './terminal-session.ts';

/**
 * What ends each state that is not final: either a deadline of a policy, whose transition stores a reason, or a person,
 * who finds the row in a named queue. A state without either would be stuck.
 *
 * The code that ends a state after its deadline is imported by `server/test/waits/endings.ts`; a test of each row moves
 * the clock and runs it against a database.
 */
export type Wait<Then extends string = string> =
  | {
      readonly until: 'deadline';
      readonly policy: NumberPolicyKey;
      /** The transition, which the machine has in this state. */
      readonly then: Then;
      /** The table and the column where the reason is stored. */
      readonly reason: `${string}.${string}`;
    }
  | { readonly until: 'person'; readonly queue: string };

const deadline = <const Then extends string>(
  policy: NumberPolicyKey,
  then: Then,
  reason: `${string}.${string}`,
): Extract<Wait<Then>, { until: 'deadline' }> => ({ ...{ until: 'deadline', policy, then, reason } });
const person = (queue: string): Extract<Wait, { until: 'person' }> => ({ until: 'person', queue });

/** The states of a machine that are not final, each with a transition that it has. */
type Waits<M> = {
  readonly [K in keyof StatesOf<M> as keyof StatesOf<M>[K] extends never ? never : K]: Wait<
    keyof StatesOf<M>[K] & string
  >;
};

interface AllWaits {
  readonly allocation: Waits<typeof allocation>;
  readonly billing_account: Waits<typeof billingAccount>;
  readonly dead_letter: Waits<typeof deadLetter>;
  readonly department: Waits<typeof department>;
  readonly invitation: Waits<typeof invitation>;
  readonly invoice: Waits<typeof invoice>;
  readonly node: Waits<typeof node>;
  readonly node_task: Waits<typeof nodeTask>;
  readonly payment: Waits<typeof payment>;
  readonly project: Waits<typeof project>;
  readonly service_account: Waits<typeof serviceAccount>;
  readonly signer: Waits<typeof signer>;
  readonly slot: Waits<typeof slot>;
  readonly terminal_session: Waits<typeof terminalSession>;
}

export const waits = {
  allocation: {
    requested: deadline('allocation.queue_max_wait_seconds', 'fail', 'allocations.failure_reason'),
    provisioning: deadline('allocation.provision_timeout_seconds', 'fail', 'allocations.failure_reason'),
    active: person('its owner: the list of allocations'),
    releasing: deadline('allocation.release_timeout_seconds', 'giveUp', 'allocation_timeline.detail'),
    release_failed: person('operators: allocations that are release_failed'),
  },
  billing_account: {
    healthy: person('administrators of the organization: billing'),
    low_balance: person('administrators of the organization: billing'),
    auto_release_pending: person('administrators of the organization: billing; the release has its time'),
    depleted: person('administrators of the organization: billing; the release has its time'),
  },
  dead_letter: { open: person('operators: dead letters') },
  department: {
    active: person('administrators of the organization: departments'),
    disabled: person('administrators of the organization: departments'),
  },
  invitation: { pending: deadline('tenancy.invitation_ttl_hours', 'expire', 'invitations.expires_at') },
  invoice: {
    draft: deadline('billing.invoice_draft_hours', 'finalise', 'invoices.finalise_at'),
    final: deadline('billing.payment_terms_days', 'lapse', 'invoices.due_at'),
    past_due: person('finance: invoices that are past_due'),
  },
  node: {
    bootstrap_issued: person('operators: nodes that are bootstrap_issued'),
    enrolling: deadline('node.task_ttl_seconds', 'quarantine', 'nodes.state_reason'),
    active: person('operators: nodes'),
    offline: person('operators: alerts, source presence'),
    quarantined: person('operators: nodes that are quarantined'),
    draining: person('operators: nodes that are draining'),
    retired: person('operators: nodes that are retired'),
    removing: person('operators: nodes that are removing, with what is held there'),
  },
  node_task: {
    queued: deadline('node.task_ttl_seconds', 'expire', 'node_tasks.failure_code'),
    dispatched: deadline('node.task_ttl_seconds', 'expire', 'node_tasks.failure_code'),
  },
  payment: {
    open: deadline('payments.session_minutes', 'expire', 'payment_sessions.expires_at'),
    expired: person('finance: payments; the money would have to come after all'),
    paid: person('finance: payments'),
    disputed: person('the bank of the payer; finance: payments that are disputed'),
    failed_reconcile: person('finance: payments that are failed_reconcile'),
  },
  project: {
    active: person('administrators of the organization: projects'),
    archived: person('administrators of the organization: projects'),
    removing: person('operators: workflows'),
  },
  service_account: {
    active: person('administrators of the organization: service accounts'),
    disabled: person('administrators of the organization: service accounts'),
  },
  signer: {
    staged: deadline('node.signer_overlap_seconds', 'activate', 'task_signers.effective_at'),
    active: person('operators: task signers'),
    grace: deadline('node.signer_grace_hours', 'retire', 'task_signers.retires_at'),
  },
  slot: {
    disabled: person('operators: slots of a node'),
    available: person('operators: slots of a node'),
    reserved: deadline('allocation.provision_timeout_seconds', 'clean', 'slots.state_reason'),
    in_use: person('its owner: the list of allocations'),
    cleaning: deadline('allocation.release_timeout_seconds', 'block', 'slots.state_reason'),
    cleanup_blocked: person('operators: slots that are cleanup_blocked'),
    quarantined: person('operators: slots that are quarantined'),
  },
  terminal_session: {
    opening: deadline('terminal.opening_seconds', 'end', 'terminal_sessions.end_reason'),
    open: deadline('terminal.session_max_ttl_seconds', 'end', 'terminal_sessions.end_reason'),
  },
} satisfies AllWaits;

type TimedStates<M extends keyof typeof waits> = {
  [S in keyof (typeof waits)[M]]: (typeof waits)[M][S] extends { readonly until: 'deadline' } ? S & string : never;
}[keyof (typeof waits)[M]];
/** Every state that time ends: `allocation.requested` and the like. */
export type TimedState = { [M in keyof typeof waits]: `${M}.${TimedStates<M>}` }[keyof typeof waits];

/** States of a machine from which no deadline leads to a final state or to a person, with the reason. */
export function findStuck(machine: MachineTable, table: Readonly<Record<string, Wait>>): string[] {
  const fault = (state: string, seen: readonly string[]): string | undefined => {
    if (machine.terminal.includes(state)) return undefined;
    if (seen.includes(state)) return `goes round by itself: ${[...seen, state].join(', ')}`;
    const wait = table[state];
    if (!wait) return seen.length === 0 ? 'nothing ends it' : `leads to ${state}, which nothing ends`;
    if (wait.until === 'person') return wait.queue.trim() === '' ? 'its queue has no name' : undefined;
    if (wait.reason.split('.').some((word) => word.trim() === '')) return 'the reason is stored nowhere';
    const next = machine.states[state]?.[wait.then];
    return next === undefined ? `has no transition ${wait.then}` : fault(next, [...seen, state]);
  };
  return Object.keys(machine.states).flatMap((state) => {
    const found = fault(state, []);
    return found === undefined ? [] : [`${machine.name}.${state}: ${found}`];
  });
}
