import { createRootRoute, createRoute, createRouter, lazyRouteComponent } from '@tanstack/react-router';
import { ButtonLink } from './parts/button.tsx';
import { Empty, Loading, Problem } from './parts/states.tsx';
import { Shell } from './shell/shell.tsx';

const root = createRootRoute({
  component: Shell,
  notFoundComponent: () => (
    <Empty icon="search" title="There is no such page">
      <ButtonLink to="/">Go home</ButtonLink>
    </Empty>
  ),
  errorComponent: ({ error, reset }) => (
    <div className="p-8">
      <Problem error={error} again={reset} />
    </div>
  ),
});

/** A filter is a word in the address: whoever gets the link sees the same. Anything else is dropped. */
const words =
  <const N extends string>(...names: readonly N[]) =>
  (search: Record<string, unknown>): { [K in N]?: string } =>
    Object.fromEntries(
      names.flatMap((name) => {
        const value = search[name];
        return typeof value === 'string' && value !== '' ? [[name, value.slice(0, 200)]] : [];
      }),
    ) as { [K in N]?: string };

const none = words();
const page = <P extends string, S extends Record<string, unknown>>(
  path: P,
  component: ReturnType<typeof lazyRouteComponent>,
  validateSearch: (search: Record<string, unknown>) => S,
) => createRoute({ getParentRoute: () => root, path, component, validateSearch });
const lazily = lazyRouteComponent;

const home = lazily(() => import('./pages/home.tsx'), 'HomePage');
const launch = lazily(() => import('./pages/launch.tsx'), 'LaunchPage');
const allocations = lazily(() => import('./pages/allocations.tsx'), 'AllocationsPage');
const allocation = lazily(() => import('./pages/allocation.tsx'), 'AllocationPage');
const groups = lazily(() => import('./pages/groups.tsx'), 'GroupsPage');
const group = lazily(() => import('./pages/group.tsx'), 'GroupPage');
const invitation = lazily(() => import('./pages/invitation.tsx'), 'InvitationPage');
const sshKeys = lazily(() => import('./pages/ssh-keys.tsx'), 'SshKeysPage');
const tokens = lazily(() => import('./pages/tokens.tsx'), 'TokensPage');
const serviceAccounts = lazily(() => import('./pages/service-accounts.tsx'), 'ServiceAccountsPage');
const sessions = lazily(() => import('./pages/sessions.tsx'), 'SessionsPage');
const team = lazily(() => import('./pages/team.tsx'), 'TeamPage');
const activity = lazily(() => import('./pages/activity.tsx'), 'ActivityPage');

const fleet = lazily(() => import('./ops/fleet.tsx'), 'FleetPage');
const nodes = lazily(() => import('./ops/nodes.tsx'), 'NodesPage');
const node = lazily(() => import('./ops/node.tsx'), 'NodePage');
const enrol = lazily(() => import('./ops/enrol.tsx'), 'EnrolPage');
const skus = lazily(() => import('./ops/skus.tsx'), 'SkusPage');
const allAllocations = lazily(() => import('./ops/allocations.tsx'), 'AllAllocationsPage');
const policies = lazily(() => import('./ops/policies.tsx'), 'PoliciesPage');
const events = lazily(() => import('./ops/events.tsx'), 'EventsPage');
const audit = lazily(() => import('./ops/audit.tsx'), 'AuditPage');
const queue = lazily(() => import('./ops/queue.tsx'), 'QueuePage');
const placement = lazily(() => import('./ops/placement.tsx'), 'PlacementPage');
const tenants = lazily(() => import('./ops/tenants.tsx'), 'TenantsPage');
const tenant = lazily(() => import('./ops/tenant.tsx'), 'TenantPage');
const people = lazily(() => import('./ops/people.tsx'), 'PeoplePage');
const person = lazily(() => import('./ops/person.tsx'), 'PersonPage');
const health = lazily(() => import('./ops/health.tsx'), 'HealthPage');
const workflows = lazily(() => import('./ops/workflows.tsx'), 'WorkflowsPage');
const workflow = lazily(() => import('./ops/workflow.tsx'), 'WorkflowPage');
const correlation = lazily(() => import('./pages/correlation.tsx'), 'CorrelationPage');
const simulator = lazily(() => import('./ops/simulator.tsx'), 'SimulatorPage');

const tree = root.addChildren([
  page('/', home, none),
  page('/launch', launch, words('sku', 'gpus', 'region', 'machines')),
  page('/allocations', allocations, words('state', 'q', 'by')),
  page('/allocations/$id', allocation, none),
  page('/groups', groups, none),
  page('/groups/$id', group, none),
  page('/invitations/accept', invitation, none),
  page('/ssh-keys', sshKeys, none),
  page('/tokens', tokens, none),
  page('/service-accounts', serviceAccounts, none),
  page('/sessions', sessions, none),
  page('/team', team, none),
  page('/activity', activity, words('actors')),
  page('/correlations/$id', correlation, none),
  page('/ops', fleet, words('tile', 'region', 'sku', 'q')),
  page('/ops/nodes', nodes, words('state')),
  page('/ops/nodes/$id', node, none),
  page('/ops/enrol', enrol, none),
  page('/ops/skus', skus, none),
  page('/ops/allocations', allAllocations, words('state', 'node', 'organization')),
  page('/ops/allocations/$id', placement, none),
  page('/ops/queue', queue, words('sku', 'region')),
  page('/ops/tenants', tenants, words('q')),
  page('/ops/tenants/$id', tenant, none),
  page('/ops/people', people, words('q', 'state')),
  page('/ops/people/$id', person, none),
  page('/ops/policies', policies, words('q')),
  page('/ops/events', events, words('box', 'state', 'type', 'about')),
  page('/ops/audit', audit, words('correlation', 'result', 'organization', 'action', 'target')),
  page('/ops/correlations/$id', correlation, none),
  page('/ops/health', health, none),
  page('/ops/workflows', workflows, words('state', 'saga', 'run')),
  page('/ops/workflows/$saga/$id', workflow, none),
  page('/ops/simulator', simulator, none),
]);

export const router = createRouter({
  routeTree: tree,
  defaultPreload: 'intent',
  defaultPendingComponent: () => <Loading rows={5} />,
  scrollRestoration: true,
  // Every filter is a plain word, so an address reads as somebody would write it.
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
