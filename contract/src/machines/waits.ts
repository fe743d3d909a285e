import type { MachineTable, StatesOf } from '../machine.ts';
import type { NumberPolicyKey } from '../policies.ts';
import type { Input, Route } from '../route.ts';
import type { alertList } from '../routes/admin/alerts.ts';
import type { adminAllocationList } from '../routes/admin/allocations.ts';
import type { dlqList } from '../routes/admin/dead-letters.ts';
import type { maasJobList } from '../routes/admin/fleet/maas.ts';
import type { nodeList } from '../routes/admin/fleet/nodes.ts';
import type { resourceSlotList } from '../routes/admin/fleet/slots.ts';
import type { taskSignerList } from '../routes/admin/fleet/task-signers.ts';
import type { adminInvoiceList } from '../routes/admin/invoices.ts';
import type { adminPaymentList } from '../routes/admin/payments.ts';
import type { workflowList } from '../routes/admin/workflows.ts';
import type { allocationList } from '../routes/allocations/lists.ts';
import type { appInstanceList } from '../routes/apps/instances.ts';
import type { appVersionList } from '../routes/apps/publishing.ts';
import type { billingBalanceGet } from '../routes/billing.ts';
import type { departmentList } from '../routes/departments.ts';
import type { projectList } from '../routes/projects.ts';
import type { serviceAccountList } from '../routes/service-accounts.ts';
import type { allocation } from './allocation.ts';
import type { appArtifact } from './app-artifact.ts';
import type { appInstance } from './app-instance.ts';
import type { appTrust } from './app-trust.ts';
import type { billingAccount } from './billing-account.ts';
import type { deadLetter } from './dead-letter.ts';
import type { department } from './department.ts';
import type { invitation } from './invitation.ts';
import type { invoice } from './invoice.ts';
import type { maasJob } from './maas-job.ts';
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
 * who finds the row in a queue: a list of the API. A state without either would be stuck.
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
      readonly reason: ReasonPlace;
    }
  | {
      readonly until: 'person';
      /** The route that shows the row, and the query that narrows its list to such rows. */
      readonly queue: { readonly route: string; readonly filter: Readonly<Record<string, unknown>> };
    };

/** The table and the column where a reason is stored. `audit_logs.change` is the audit row of the ending: its `ended_by`. */
export type ReasonPlace =
  | 'allocation_timeline.detail'
  | 'allocations.failure_reason'
  | 'app_instances.failure_reason'
  | 'audit_logs.change'
  | 'node_tasks.failure_code'
  | 'nodes.state_reason'
  | 'slots.state_reason'
  | 'terminal_sessions.end_reason';

const deadline = <const Then extends string>(
  policy: NumberPolicyKey,
  then: Then,
  reason: ReasonPlace,
): Extract<Wait<Then>, { until: 'deadline' }> => ({ ...{ until: 'deadline', policy, then, reason } });

/** The lists in which people find what waits for them. */
type Queue =
  | typeof adminAllocationList
  | typeof adminInvoiceList
  | typeof adminPaymentList
  | typeof alertList
  | typeof allocationList
  | typeof appInstanceList
  | typeof appVersionList
  | typeof billingBalanceGet
  | typeof departmentList
  | typeof dlqList
  | typeof maasJobList
  | typeof nodeList
  | typeof projectList
  | typeof resourceSlotList
  | typeof serviceAccountList
  | typeof taskSignerList
  | typeof workflowList;
type Filter<R extends Route> = Input<R>['query'] extends object ? Partial<Input<R>['query']> : Record<string, never>;
const person = <Id extends Queue['id']>(
  route: Id,
  filter: Filter<Extract<Queue, { id: Id }>> | Record<string, never> = {},
): Extract<Wait, { until: 'person' }> => ({ until: 'person', queue: { route, filter } });

/** What the audit row of an ending says when time ended the state: the policy whose time is over. */
export const endedBy = (wait: { readonly policy: NumberPolicyKey }) => ({ ended_by: wait.policy });

/** The states of a machine that are not final, each with a transition that it has. */
type Waits<M> = {
  readonly [K in keyof StatesOf<M> as keyof StatesOf<M>[K] extends never ? never : K]: Wait<
    keyof StatesOf<M>[K] & string
  >;
};

interface AllWaits {
  readonly allocation: Waits<typeof allocation>;
  readonly app_artifact: Waits<typeof appArtifact>;
  readonly app_instance: Waits<typeof appInstance>;
  readonly app_trust: Waits<typeof appTrust>;
  readonly billing_account: Waits<typeof billingAccount>;
  readonly dead_letter: Waits<typeof deadLetter>;
  readonly department: Waits<typeof department>;
  readonly invitation: Waits<typeof invitation>;
  readonly invoice: Waits<typeof invoice>;
  readonly maas_job: Waits<typeof maasJob>;
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
    active: person('allocation_list'),
    releasing: deadline('allocation.release_timeout_seconds', 'giveUp', 'allocation_timeline.detail'),
    release_failed: person('admin_allocation_list', { state: 'release_failed' }),
  },
  app_artifact: {
    published: person('app_version_list', { lifecycle_state: 'published' }),
    promoted: person('app_version_list', { lifecycle_state: 'promoted' }),
    deprecated: person('app_version_list', { lifecycle_state: 'deprecated' }),
  },
  app_instance: {
    requested: person('app_instance_list', { state: 'requested' }),
    launching: deadline('apps.oci_stall_seconds', 'fail', 'app_instances.failure_reason'),
    running: person('app_instance_list', { state: 'running' }),
    // Its host is asked again and again; one that is away keeps it here until the host or its lease is back or over.
    stopping: person('app_instance_list', { state: 'stopping' }),
    stopped: person('app_instance_list', { state: 'stopped' }),
    failed: person('app_instance_list', { state: 'failed' }),
    releasing: person('app_instance_list', { state: 'releasing' }),
  },
  app_trust: {
    unverified: person('app_version_list', { trust_state: 'unverified' }),
    verified: person('app_version_list', { trust_state: 'verified' }),
    failed_verification: person('app_version_list', { trust_state: 'failed_verification' }),
  },
  billing_account: {
    healthy: person('billing_balance_get'),
    low_balance: person('billing_balance_get'),
    // The release has its time.
    auto_release_pending: person('billing_balance_get'),
    depleted: person('billing_balance_get'),
  },
  dead_letter: { open: person('dlq_list', { state: 'open' }) },
  department: {
    active: person('department_list'),
    disabled: person('department_list'),
  },
  invitation: { pending: deadline('tenancy.invitation_ttl_hours', 'expire', 'audit_logs.change') },
  invoice: {
    draft: deadline('billing.invoice_draft_hours', 'finalise', 'audit_logs.change'),
    final: deadline('billing.payment_terms_days', 'lapse', 'audit_logs.change'),
    past_due: person('admin_invoice_list', { state: 'past_due' }),
  },
  // Each of its waits has a time of its own, after which the job is taken back. Operators see it here, and may call its run off.
  maas_job: {
    queued: person('maas_job_list', { state: 'queued' }),
    running: person('maas_job_list', { state: 'running' }),
  },
  node: {
    bootstrap_issued: person('node_list', { state: 'bootstrap_issued' }),
    enrolling: deadline('node.task_ttl_seconds', 'quarantine', 'nodes.state_reason'),
    active: person('node_list', { state: 'active' }),
    offline: person('alert_list', { source: 'presence' }),
    quarantined: person('node_list', { state: 'quarantined' }),
    draining: person('node_list', { state: 'draining' }),
    retired: person('node_list', { state: 'retired' }),
    removing: person('node_list', { state: 'removing' }),
  },
  node_task: {
    queued: deadline('node.task_ttl_seconds', 'expire', 'node_tasks.failure_code'),
    dispatched: deadline('node.task_ttl_seconds', 'expire', 'node_tasks.failure_code'),
  },
  payment: {
    open: deadline('payments.session_minutes', 'expire', 'audit_logs.change'),
    // The money may still come.
    expired: person('admin_payment_list', { state: 'expired' }),
    paid: person('admin_payment_list', { state: 'paid' }),
    // The bank of the payer decides; finance sees it.
    disputed: person('admin_payment_list', { state: 'disputed' }),
    failed_reconcile: person('admin_payment_list', { state: 'failed_reconcile' }),
  },
  project: {
    active: person('project_list', { state: 'active' }),
    archived: person('project_list', { state: 'archived' }),
    removing: person('workflow_list'),
  },
  service_account: {
    active: person('service_account_list'),
    disabled: person('service_account_list'),
  },
  signer: {
    staged: deadline('node.signer_overlap_seconds', 'activate', 'audit_logs.change'),
    active: person('task_signer_list'),
    grace: deadline('node.signer_grace_hours', 'retire', 'audit_logs.change'),
  },
  slot: {
    disabled: person('resource_slot_list'),
    available: person('resource_slot_list'),
    reserved: deadline('allocation.provision_timeout_seconds', 'clean', 'slots.state_reason'),
    in_use: person('allocation_list'),
    cleaning: deadline('allocation.release_timeout_seconds', 'block', 'slots.state_reason'),
    cleanup_blocked: person('resource_slot_list'),
    quarantined: person('resource_slot_list'),
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
    if (wait.until === 'person') return wait.queue.route === '' ? 'its queue has no name' : undefined;
    const next = machine.states[state]?.[wait.then];
    return next === undefined ? `has no transition ${wait.then}` : fault(next, [...seen, state]);
  };
  return Object.keys(machine.states).flatMap((state) => {
    const found = fault(state, []);
    return found === undefined ? [] : [`${machine.name}.${state}: ${found}`];
  });
}
