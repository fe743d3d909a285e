import type { OperationId } from '@gpuaas/sdk';
import { may, type Session } from '../client/session.tsx';
import type { IconName } from '../parts/icon.tsx';

/** A page of the menu. */
export interface Place {
  readonly to: string;
  readonly label: string;
  readonly icon: IconName;
  /** The second key after `g`. */
  readonly key?: string;
  /** The operation that the page calls. A person who may not call it is not offered the page. */
  readonly needs: OperationId;
}
export interface PlaceGroup {
  readonly name: string;
  readonly places: readonly Place[];
}

const projectPlaces: readonly PlaceGroup[] = [
  {
    name: 'Workloads',
    places: [
      { to: '/', label: 'Home', icon: 'home', key: 'h', needs: 'overview_get' },
      { to: '/allocations', label: 'Allocations', icon: 'cpu', key: 'a', needs: 'allocation_list' },
      { to: '/groups', label: 'Groups', icon: 'stack', key: 'u', needs: 'allocation_group_list' },
    ],
  },
  {
    name: 'Compute',
    places: [{ to: '/launch', label: 'Launch', icon: 'launch', key: 'l', needs: 'allocation_create' }],
  },
  {
    name: 'Apps',
    places: [
      { to: '/apps', label: 'App catalog', icon: 'tag', needs: 'catalog_app_list' },
      { to: '/app-instances', label: 'App instances', icon: 'box', needs: 'app_instance_list' },
      { to: '/apps/publishing', label: 'Publishing', icon: 'code', needs: 'app_list' },
    ],
  },
  {
    name: 'Storage',
    places: [
      { to: '/storage', label: 'Files', icon: 'folder', key: 'd', needs: 'storage_namespace_list' },
      { to: '/storage/grants', label: 'Storage grants', icon: 'team', needs: 'storage_grant_list' },
      { to: '/storage/links', label: 'Share links', icon: 'share', needs: 'storage_link_list' },
      { to: '/storage/trash', label: 'Trash', icon: 'trash', needs: 'storage_trash_list' },
    ],
  },
  {
    name: 'Access',
    places: [
      { to: '/ssh-keys', label: 'SSH keys', icon: 'key', key: 'k', needs: 'ssh_key_list' },
      { to: '/tokens', label: 'Personal tokens', icon: 'token', key: 't', needs: 'personal_token_list' },
      { to: '/service-accounts', label: 'Service accounts', icon: 'robot', key: 's', needs: 'service_account_list' },
      { to: '/recordings', label: 'Recordings', icon: 'terminal', needs: 'recording_list' },
      { to: '/webhooks', label: 'Webhooks', icon: 'mail', needs: 'webhook_list' },
    ],
  },
  {
    name: 'Account',
    places: [
      { to: '/projects', label: 'Projects', icon: 'folder', key: 'o', needs: 'organization_list' },
      { to: '/team', label: 'Team', icon: 'team', key: 'm', needs: 'member_list' },
      { to: '/billing', label: 'Billing', icon: 'wallet', key: 'b', needs: 'project_usage_get' },
      { to: '/usage', label: 'Usage and cost', icon: 'activity', key: 'x', needs: 'project_usage_list' },
      { to: '/ledger', label: 'Ledger', icon: 'book', needs: 'billing_ledger_list' },
      { to: '/activity', label: 'Activity', icon: 'activity', key: 'y', needs: 'activity_list' },
      { to: '/notifications', label: 'Notifications', icon: 'bell', needs: 'notification_list' },
      {
        to: '/notification-settings',
        label: 'Notification settings',
        icon: 'rules',
        needs: 'notification_preferences_get',
      },
      { to: '/sessions', label: 'Sign-in sessions', icon: 'devices', needs: 'session_list' },
      { to: '/security', label: 'Security', icon: 'shield', needs: 'factor_list' },
    ],
  },
];

const operatorPlaces: readonly PlaceGroup[] = [
  {
    name: 'Fleet',
    places: [
      { to: '/ops', label: 'Wall', icon: 'wall', key: 'f', needs: 'fleet_health' },
      { to: '/ops/nodes', label: 'Nodes', icon: 'server', key: 'n', needs: 'node_list' },
      { to: '/ops/allocations', label: 'All allocations', icon: 'cpu', needs: 'admin_allocation_list' },
      {
        to: '/ops/terminal-sessions',
        label: 'Terminal sessions',
        icon: 'terminal',
        needs: 'admin_terminal_session_list',
      },
      { to: '/ops/recordings', label: 'Recordings', icon: 'terminal', needs: 'admin_recording_list' },
      { to: '/ops/queue', label: 'Queue', icon: 'stack', key: 'q', needs: 'admin_allocation_queue' },
    ],
  },
  {
    name: 'Business',
    places: [
      { to: '/ops/accounts', label: 'Accounts', icon: 'wallet', needs: 'admin_billing_account_list' },
      { to: '/ops/revenue', label: 'Revenue', icon: 'activity', needs: 'admin_billing_revenue_get' },
      { to: '/ops/payments', label: 'Payments', icon: 'wallet', needs: 'admin_payment_list' },
      { to: '/ops/reconciliation', label: 'Reconciliation', icon: 'check', needs: 'admin_payment_list' },
      { to: '/ops/adjustments', label: 'Adjustments', icon: 'rules', needs: 'admin_adjustment_list' },
      { to: '/ops/invoices', label: 'Invoices', icon: 'book', needs: 'admin_invoice_list' },
      { to: '/ops/tenants', label: 'Tenants', icon: 'team', needs: 'admin_organization_list' },
      { to: '/ops/people', label: 'People', icon: 'devices', needs: 'user_list' },
      { to: '/ops/skus', label: 'SKUs and prices', icon: 'tag', needs: 'admin_sku_list' },
      { to: '/ops/apps', label: 'Apps', icon: 'box', needs: 'admin_app_version_list' },
      { to: '/ops/policies', label: 'Policies', icon: 'rules', needs: 'policy_setting_list' },
    ],
  },
  {
    name: 'Platform',
    places: [
      { to: '/ops/health', label: 'Health', icon: 'activity', key: 'p', needs: 'platform_health_get' },
      { to: '/ops/events', label: 'Events', icon: 'mail', key: 'e', needs: 'admin_event_list' },
      { to: '/ops/workflows', label: 'Workflows', icon: 'clock', key: 'w', needs: 'workflow_list' },
      { to: '/ops/history', label: 'History', icon: 'stack', needs: 'history_get' },
      { to: '/ops/secrets', label: 'Secrets', icon: 'key', needs: 'secrets_get' },
      { to: '/ops/audit', label: 'Audit', icon: 'book', needs: 'admin_audit_list' },
      { to: '/ops/simulator', label: 'Simulator', icon: 'flask', needs: 'simulator_node_list' },
    ],
  },
];

/** Pages without a line in the menu, and what they call. */
const hiddenPlaces: readonly Pick<Place, 'to' | 'needs'>[] = [
  { to: '/ops/enrol', needs: 'node_create' },
  { to: '/ops/correlations', needs: 'admin_correlation_get' },
  { to: '/correlations', needs: 'correlation_get' },
];

export interface Menu {
  /** The pages of the selected project and of the person. */
  readonly project: readonly PlaceGroup[];
  readonly operator: readonly PlaceGroup[];
  /** The start page of this person. */
  readonly home: string;
}

/** The pages of this person: those whose calls the server allows. */
export function menuOf(session: Session): Menu {
  const allowed = (groups: readonly PlaceGroup[]): readonly PlaceGroup[] =>
    groups
      .map(({ name, places }) => ({ name, places: places.filter(({ needs }) => may(session, needs)) }))
      .filter(({ places }) => places.length > 0);
  const [project, operator] = [allowed(projectPlaces), allowed(operatorPlaces)];
  const [first] = session.project ? project : operator;
  return {
    project,
    operator,
    // A person who sees the money of a project and not its machines starts with the money.
    home: session.project && !may(session, 'overview_get') ? '/billing' : (first?.places[0]?.to ?? '/'),
  };
}

/** Whether a page is for this person. Unlisted pages are for everyone. */
export function isOpenTo(session: Session, path: string): boolean {
  const [closest] = [...[...projectPlaces, ...operatorPlaces].flatMap(({ places }) => places), ...hiddenPlaces]
    .filter(({ to }) => path === to || (to !== '/' && path.startsWith(`${to}/`)))
    .sort((a, b) => b.to.length - a.to.length);
  return closest === undefined || closest.to === '/' || may(session, closest.needs);
}

/** A menu entry is highlighted on its page and the pages below; a root only on exactly its page. */
const isAt = (place: Pick<Place, 'to'>, path: string): boolean =>
  place.to === '/' || place.to === '/ops' ? path === place.to : path === place.to || path.startsWith(`${place.to}/`);
/** The place of a group that a page belongs to: of `/apps` and `/apps/publishing` the one that says more of the path. */
export const placeAt = <P extends Pick<Place, 'to'>>(places: readonly P[], path: string): P | undefined =>
  places.filter((place) => isAt(place, path)).toSorted((one, other) => other.to.length - one.to.length)[0];
