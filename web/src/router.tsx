import { createRootRoute, createRoute, createRouter, type RouteComponent, useRouter } from '@tanstack/react-router';
import { letGo } from './client/let-go.ts';
import { ButtonLink } from './parts/button.tsx';
import { isUnreachablePart, lazyPart, PartFailure } from './parts/lazy-part.tsx';
import { Empty, Loading, Problem } from './parts/states.tsx';
import { Shell } from './shell/shell.tsx';

const root = createRootRoute({
  component: Shell,
  notFoundComponent: () => (
    <Empty icon="search" title="Page not found">
      <ButtonLink to="/">Go home</ButtonLink>
    </Empty>
  ),
  errorComponent: PageFailure,
});

function PageFailure({ error, reset }: { error: unknown; reset(): void }) {
  const router = useRouter();
  const again = () => {
    reset();
    letGo(router.invalidate());
  };
  return (
    <div className="mx-auto max-w-2xl p-8">
      {isUnreachablePart(error) ? <PartFailure again={again} /> : <Problem error={error} again={again} />}
    </div>
  );
}

/** As long as a path of storage may be. */
const longestWord = 1_024;
/** Filters are parameters of the address, so a link shows the same list. Other parameters are dropped. */
const words =
  <const N extends string>(...names: readonly N[]) =>
  (search: Record<string, unknown>): { [K in N]?: string } =>
    Object.fromEntries(
      names.flatMap((name) => {
        const value = search[name];
        return typeof value === 'string' && value !== '' ? [[name, value.slice(0, longestWord)]] : [];
      }),
    ) as { [K in N]?: string };

const none = words();
const page = <P extends string, S extends Record<string, unknown>>(
  path: P,
  component: RouteComponent,
  validateSearch: (search: Record<string, unknown>) => S,
) => createRoute({ getParentRoute: () => root, path, component, validateSearch });

const home = lazyPart(() => import('./pages/home.tsx'), 'HomePage');
const launch = lazyPart(() => import('./pages/launch/launch.tsx'), 'LaunchPage');
const allocations = lazyPart(() => import('./pages/allocations.tsx'), 'AllocationsPage');
const allocation = lazyPart(() => import('./pages/allocation.tsx'), 'AllocationPage');
const terminal = lazyPart(() => import('./pages/terminal/terminal.tsx'), 'TerminalPage');
const apps = lazyPart(() => import('./pages/apps/catalog.tsx'), 'AppsPage');
const app = lazyPart(() => import('./pages/apps/app.tsx'), 'AppPage');
const appInstances = lazyPart(() => import('./pages/apps/instances.tsx'), 'AppInstancesPage');
const appInstance = lazyPart(() => import('./pages/apps/instance.tsx'), 'AppInstancePage');
const publishing = lazyPart(() => import('./pages/apps/publishing.tsx'), 'PublishingPage');
const openApp = lazyPart(() => import('./pages/apps/open.tsx'), 'OpenAppPage');
const storage = lazyPart(() => import('./pages/storage/storage.tsx'), 'StoragePage');
const files = lazyPart(() => import('./pages/storage/files.tsx'), 'FilesPage');
const trash = lazyPart(() => import('./pages/storage/trash.tsx'), 'TrashPage');
const storageGrants = lazyPart(() => import('./pages/storage/grants.tsx'), 'StorageGrantsPage');
const shareLinks = lazyPart(() => import('./pages/storage/links.tsx'), 'ShareLinksPage');
const recordings = lazyPart(() => import('./pages/recordings/recordings.tsx'), 'RecordingsPage');
const recording = lazyPart(() => import('./pages/recordings/recording.tsx'), 'RecordingPage');
const allRecordings = lazyPart(() => import('./pages/recordings/recordings.tsx'), 'AllRecordingsPage');
const anyRecording = lazyPart(() => import('./pages/recordings/recording.tsx'), 'AnyRecordingPage');
const groups = lazyPart(() => import('./pages/groups.tsx'), 'GroupsPage');
const group = lazyPart(() => import('./pages/group.tsx'), 'GroupPage');
const invitation = lazyPart(() => import('./pages/invitation.tsx'), 'InvitationPage');
const identityConfirmed = lazyPart(() => import('./pages/account/identity-confirmed.tsx'), 'IdentityConfirmedPage');
const sshKeys = lazyPart(() => import('./pages/account/ssh-keys.tsx'), 'SshKeysPage');
const tokens = lazyPart(() => import('./pages/account/tokens.tsx'), 'TokensPage');
const serviceAccounts = lazyPart(() => import('./pages/account/service-accounts.tsx'), 'ServiceAccountsPage');
const sessions = lazyPart(() => import('./pages/account/sessions.tsx'), 'SessionsPage');
const security = lazyPart(() => import('./pages/account/security.tsx'), 'SecurityPage');
const projects = lazyPart(() => import('./pages/projects/projects.tsx'), 'ProjectsPage');
const notifications = lazyPart(() => import('./pages/notifications/list.tsx'), 'NotificationsPage');
const notificationSettings = lazyPart(() => import('./pages/notifications/settings.tsx'), 'NotificationSettingsPage');
const webhooks = lazyPart(() => import('./pages/notifications/webhooks.tsx'), 'WebhooksPage');
const team = lazyPart(() => import('./pages/team/team.tsx'), 'TeamPage');
const billing = lazyPart(() => import('./pages/billing/billing.tsx'), 'BillingPage');
const usage = lazyPart(() => import('./pages/usage/usage.tsx'), 'UsagePage');
const ledger = lazyPart(() => import('./pages/usage/ledger.tsx'), 'LedgerPage');
const activity = lazyPart(() => import('./pages/activity.tsx'), 'ActivityPage');

const fleet = lazyPart(() => import('./ops/fleet.tsx'), 'FleetPage');
const nodes = lazyPart(() => import('./ops/nodes/nodes.tsx'), 'NodesPage');
const node = lazyPart(() => import('./ops/nodes/node.tsx'), 'NodePage');
const enrol = lazyPart(() => import('./ops/nodes/enrol.tsx'), 'EnrolPage');
const skus = lazyPart(() => import('./ops/catalog/skus.tsx'), 'SkusPage');
const allAllocations = lazyPart(() => import('./ops/allocations.tsx'), 'AllAllocationsPage');
const terminalSessions = lazyPart(() => import('./ops/terminal-sessions.tsx'), 'TerminalSessionsPage');
const trustBoard = lazyPart(() => import('./ops/apps.tsx'), 'TrustBoardPage');
const policies = lazyPart(() => import('./ops/policies.tsx'), 'PoliciesPage');
const events = lazyPart(() => import('./ops/events/events.tsx'), 'EventsPage');
const audit = lazyPart(() => import('./ops/audit.tsx'), 'AuditPage');
const history = lazyPart(() => import('./ops/history.tsx'), 'HistoryPage');
const secrets = lazyPart(() => import('./ops/secrets.tsx'), 'SecretsPage');
const queue = lazyPart(() => import('./ops/queue.tsx'), 'QueuePage');
const placement = lazyPart(() => import('./ops/placement.tsx'), 'PlacementPage');
const payments = lazyPart(() => import('./ops/billing/payments.tsx'), 'PaymentsPage');
const invoices = lazyPart(() => import('./ops/billing/invoices.tsx'), 'InvoicesPage');
const reconciliation = lazyPart(() => import('./ops/billing/reconciliation.tsx'), 'ReconciliationPage');
const adjustments = lazyPart(() => import('./ops/billing/adjustments.tsx'), 'AdjustmentsPage');
const accounts = lazyPart(() => import('./ops/billing/accounts.tsx'), 'AccountsPage');
const account = lazyPart(() => import('./ops/billing/account.tsx'), 'AccountPage');
const revenue = lazyPart(() => import('./ops/billing/revenue.tsx'), 'RevenuePage');
const tenants = lazyPart(() => import('./ops/people/tenants.tsx'), 'TenantsPage');
const tenant = lazyPart(() => import('./ops/people/tenant.tsx'), 'TenantPage');
const people = lazyPart(() => import('./ops/people/people.tsx'), 'PeoplePage');
const person = lazyPart(() => import('./ops/people/person.tsx'), 'PersonPage');
const health = lazyPart(() => import('./ops/health.tsx'), 'HealthPage');
const workflows = lazyPart(() => import('./ops/workflows/workflows.tsx'), 'WorkflowsPage');
const workflow = lazyPart(() => import('./ops/workflows/workflow.tsx'), 'WorkflowPage');
const correlation = lazyPart(() => import('./pages/correlation.tsx'), 'CorrelationPage');
const simulator = lazyPart(() => import('./ops/simulator.tsx'), 'SimulatorPage');

const tree = root.addChildren([
  page('/', home, none),
  page('/launch', launch, words('sku', 'gpus', 'region', 'machines')),
  page('/allocations', allocations, words('state', 'q', 'by')),
  page('/allocations/$id', allocation, none),
  page('/allocations/$id/terminal', terminal, words('session')),
  page('/app-instances', appInstances, none),
  page('/app-instances/$id', appInstance, none),
  page('/apps', apps, none),
  page('/apps/$id', app, none),
  page('/apps/publishing', publishing, words('app')),
  page('/apps/open', openApp, words('label', 'state', 'to')),
  page('/storage', storage, none),
  page('/storage/files', files, words('path', 'owner')),
  page('/storage/trash', trash, none),
  page('/storage/grants', storageGrants, none),
  page('/storage/links', shareLinks, none),
  page('/recordings', recordings, words('allocation', 'user')),
  page('/recordings/$id', recording, none),
  page('/groups', groups, none),
  page('/groups/$id', group, none),
  page('/invitations/accept', invitation, none),
  page('/identity-confirmed', identityConfirmed, none),
  page('/ssh-keys', sshKeys, none),
  page('/tokens', tokens, none),
  page('/service-accounts', serviceAccounts, none),
  page('/sessions', sessions, none),
  page('/security', security, none),
  page('/projects', projects, none),
  page('/notifications', notifications, none),
  page('/notification-settings', notificationSettings, none),
  page('/webhooks', webhooks, none),
  page('/team', team, words('invitations')),
  page('/billing', billing, words('by', 'payment', 'pay', 'card')),
  page('/usage', usage, words('by', 'interval', 'days', 'sku')),
  page('/ledger', ledger, none),
  page('/activity', activity, words('actors')),
  page('/correlations/$id', correlation, none),
  page('/ops', fleet, words('tile', 'region', 'sku', 'q', 'colour')),
  page('/ops/nodes', nodes, words('state', 'q', 'region', 'sku', 'sort')),
  page('/ops/nodes/$id', node, words('task', 'q')),
  page('/ops/enrol', enrol, none),
  page('/ops/skus', skus, none),
  page('/ops/allocations', allAllocations, words('state', 'node', 'organization')),
  page('/ops/allocations/$id', placement, none),
  page('/ops/terminal-sessions', terminalSessions, words('live')),
  page('/ops/recordings', allRecordings, words('allocation', 'user')),
  page('/ops/recordings/$id', anyRecording, none),
  page('/ops/queue', queue, words('sku', 'region')),
  page('/ops/accounts', accounts, words('q', 'state')),
  page('/ops/accounts/$id', account, none),
  page('/ops/adjustments', adjustments, words('state')),
  page('/ops/invoices', invoices, words('state')),
  page('/ops/reconciliation', reconciliation, none),
  page('/ops/payments', payments, words('state')),
  page('/ops/revenue', revenue, words('from', 'to')),
  page('/ops/tenants', tenants, words('q')),
  page('/ops/tenants/$id', tenant, none),
  page('/ops/people', people, words('q', 'state')),
  page('/ops/people/$id', person, none),
  page('/ops/apps', trustBoard, words('trust')),
  page('/ops/policies', policies, words('q')),
  page('/ops/events', events, words('box', 'state', 'type', 'about')),
  page('/ops/audit', audit, words('correlation', 'result', 'organization', 'action', 'target', 'actors')),
  page('/ops/correlations/$id', correlation, none),
  page('/ops/health', health, none),
  page('/ops/history', history, none),
  page('/ops/secrets', secrets, none),
  page('/ops/workflows', workflows, words('state', 'workflow', 'run')),
  page('/ops/workflows/$workflow/$id', workflow, none),
  page('/ops/simulator', simulator, none),
]);

export const router = createRouter({
  routeTree: tree,
  defaultPreload: 'intent',
  defaultErrorComponent: PageFailure,
  defaultPendingComponent: () => <Loading rows={5} />,
  scrollRestoration: true,
  // Filters are plain words, so that addresses are readable.
  parseSearch: (text) => Object.fromEntries(new URLSearchParams(text)),
  stringifySearch: (search) => {
    const query = new URLSearchParams(
      Object.entries(search as Record<string, unknown>).flatMap(([name, value]) =>
        typeof value === 'string' ? [[name, value]] : [],
      ),
    );
    return query.size > 0 ? `?${query}` : '';
  },
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
