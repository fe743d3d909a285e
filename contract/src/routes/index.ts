import type { Route } from '../route.ts';
import * as activity from './activity.ts';
import * as adminAlerts from './admin/alerts.ts';
import * as adminAllocations from './admin/allocations.ts';
import * as adminApps from './admin/apps.ts';
import * as adminBilling from './admin/billing.ts';
import * as adminBreakers from './admin/breakers.ts';
import * as adminCatalog from './admin/catalog.ts';
import * as correlations from './admin/correlations.ts';
import * as deadLetters from './admin/dead-letters.ts';
import * as adminEvents from './admin/events.ts';
import * as agentReleases from './admin/fleet/agent-releases.ts';
import * as adminFleet from './admin/fleet/fleet.ts';
import * as adminMaas from './admin/fleet/maas.ts';
import * as adminNodeTasks from './admin/fleet/node-tasks.ts';
import * as adminNodes from './admin/fleet/nodes.ts';
import * as simulator from './admin/fleet/simulator.ts';
import * as adminSlots from './admin/fleet/slots.ts';
import * as taskSigners from './admin/fleet/task-signers.ts';
import * as adminHealth from './admin/health.ts';
import * as adminHistory from './admin/history.ts';
import * as adminInvoices from './admin/invoices.ts';
import * as adminOrganizations from './admin/organizations.ts';
import * as adminPayments from './admin/payments.ts';
import * as adminRunbooks from './admin/runbooks.ts';
import * as adminSecrets from './admin/secrets.ts';
import * as adminSsh from './admin/ssh-platform-keys.ts';
import * as adminUsers from './admin/users.ts';
import * as adminWorkflows from './admin/workflows.ts';
import * as accessGrants from './allocations/access-grants.ts';
import * as allocations from './allocations/allocations.ts';
import * as allocationGroups from './allocations/groups.ts';
import * as allocationLists from './allocations/lists.ts';
import * as appCatalog from './apps/catalog.ts';
import * as appInstances from './apps/instances.ts';
import * as appLifecycle from './apps/lifecycle.ts';
import * as appPublishing from './apps/publishing.ts';
import * as appTrustRoutes from './apps/trust.ts';
import * as appUse from './apps/use.ts';
import * as audit from './audit.ts';
import * as billingDocuments from './billing/documents.ts';
import * as billingParties from './billing/parties.ts';
import * as billing from './billing.ts';
import * as billingProof from './billing-proof.ts';
import * as billingUsage from './billing-usage.ts';
import * as catalog from './catalog.ts';
import * as departments from './departments.ts';
import * as events from './events.ts';
import * as factors from './factors.ts';
import * as invitations from './invitations.ts';
import * as me from './me.ts';
import * as members from './members.ts';
import * as adjustments from './money/adjustments.ts';
import * as budgets from './money/budgets.ts';
import * as credit from './money/credit.ts';
import * as lastRelease from './money/last-release.ts';
import * as paymentMethods from './money/payment-methods.ts';
import * as priceBooks from './money/price-books.ts';
import * as quotes from './money/quotes.ts';
import * as storagePrices from './money/storage-prices.ts';
import * as notices from './notices.ts';
import * as notifications from './notifications/inbox.ts';
import * as webhooks from './notifications/webhooks.ts';
import * as logs from './observability/logs.ts';
import * as metrics from './observability/metrics.ts';
import * as organizations from './organizations.ts';
import * as overview from './overview.ts';
import * as payments from './payments.ts';
import * as personalTokens from './personal-tokens.ts';
import * as platform from './platform.ts';
import * as policies from './policies.ts';
import * as projects from './projects.ts';
import * as serviceAccounts from './service-accounts.ts';
import * as sessions from './sessions.ts';
import * as sshKeys from './ssh-keys.ts';
import * as storageGrants from './storage/grants.ts';
import * as storageLinks from './storage/links.ts';
import * as storageObjects from './storage/objects.ts';
import * as storageTokens from './storage/tokens.ts';
import * as storageUploads from './storage/uploads.ts';
import * as certificates from './terminals/certificates.ts';
import * as jump from './terminals/jump.ts';
import * as recordings from './terminals/recordings.ts';
import * as terminal from './terminals/sessions.ts';

const isRoute = (value: unknown): value is Route =>
  typeof value === 'object' && value !== null && 'method' in value && 'path' in value;

/** Every operation, sorted by path. A route that is not listed here does not exist. */
export const routes: readonly Route[] = [
  accessGrants,
  activity,
  adjustments,
  adminApps,
  adminBilling,
  adminBreakers,
  adminCatalog,
  adminEvents,
  adminFleet,
  adminHealth,
  adminInvoices,
  adminMaas,
  adminNodes,
  adminNodeTasks,
  adminOrganizations,
  adminPayments,
  adminHistory,
  adminRunbooks,
  adminSecrets,
  adminSlots,
  adminSsh,
  adminUsers,
  adminWorkflows,
  adminAlerts,
  adminAllocations,
  agentReleases,
  allocationGroups,
  allocationLists,
  allocations,
  appCatalog,
  appLifecycle,
  appInstances,
  appPublishing,
  appTrustRoutes,
  appUse,
  audit,
  billing,
  billingDocuments,
  billingParties,
  billingProof,
  billingUsage,
  budgets,
  catalog,
  certificates,
  correlations,
  deadLetters,
  departments,
  events,
  factors,
  invitations,
  lastRelease,
  logs,
  me,
  members,
  metrics,
  notices,
  notifications,
  organizations,
  overview,
  paymentMethods,
  payments,
  personalTokens,
  platform,
  policies,
  credit,
  priceBooks,
  projects,
  quotes,
  serviceAccounts,
  sessions,
  simulator,
  sshKeys,
  storagePrices,
  storageGrants,
  storageLinks,
  storageObjects,
  storageTokens,
  storageUploads,
  recordings,
  jump,
  terminal,
  webhooks,
  taskSigners,
]
  .flatMap((file) => Object.values(file) as unknown[])
  .filter(isRoute)
  .sort((a, b) => a.path.localeCompare(b.path) || a.method.localeCompare(b.method));

export * from './activity.ts';
export * from './admin/alerts.ts';
export * from './admin/allocations.ts';
export * from './admin/apps.ts';
export * from './admin/billing.ts';
export * from './admin/breakers.ts';
export * from './admin/catalog.ts';
export * from './admin/correlations.ts';
export * from './admin/dead-letters.ts';
export * from './admin/events.ts';
export * from './admin/fleet/agent-releases.ts';
export * from './admin/fleet/fleet.ts';
export * from './admin/fleet/maas.ts';
export * from './admin/fleet/node-tasks.ts';
export * from './admin/fleet/nodes.ts';
export * from './admin/fleet/simulator.ts';
export * from './admin/fleet/slots.ts';
export * from './admin/fleet/task-signers.ts';
export * from './admin/health.ts';
export * from './admin/history.ts';
export * from './admin/invoices.ts';
export * from './admin/organizations.ts';
export * from './admin/payments.ts';
export * from './admin/runbooks.ts';
export * from './admin/secrets.ts';
export * from './admin/ssh-platform-keys.ts';
export * from './admin/users.ts';
export * from './admin/workflows.ts';
export * from './allocations/access-grants.ts';
export * from './allocations/allocations.ts';
export * from './allocations/groups.ts';
export * from './allocations/history.ts';
export * from './allocations/lists.ts';
export * from './allocations/placement.ts';
export * from './apps/catalog.ts';
export * from './apps/instances.ts';
export * from './apps/lifecycle.ts';
export * from './apps/objects.ts';
export * from './apps/publishing.ts';
export * from './apps/trust.ts';
export * from './apps/use.ts';
export * from './audit.ts';
export * from './billing/documents.ts';
export * from './billing/parties.ts';
export * from './billing.ts';
export * from './billing-proof.ts';
export * from './billing-usage.ts';
export * from './catalog.ts';
export * from './departments.ts';
export * from './events.ts';
export * from './factors.ts';
export * from './invitations.ts';
export * from './me.ts';
export * from './members.ts';
export * from './money/adjustments.ts';
export * from './money/budgets.ts';
export * from './money/credit.ts';
export * from './money/last-release.ts';
export * from './money/payment-methods.ts';
export * from './money/price-books.ts';
export * from './money/quotes.ts';
export * from './money/storage-prices.ts';
export * from './notices.ts';
export * from './notifications/inbox.ts';
export * from './notifications/webhooks.ts';
export * from './observability/logs.ts';
export * from './observability/metrics.ts';
export * from './organizations.ts';
export * from './overview.ts';
export * from './payments.ts';
export * from './personal-tokens.ts';
export * from './platform.ts';
export * from './policies.ts';
export * from './projects.ts';
export * from './service-accounts.ts';
export * from './sessions.ts';
export * from './ssh-keys.ts';
export * from './storage/grants.ts';
export * from './storage/links.ts';
export * from './storage/objects.ts';
export type {
  StorageAddress,
  StorageGrant,
  StorageNamespace,
  StorageObject,
  StorageUpload,
  StorageUsage,
} from './storage/shapes.ts';
export * from './storage/tokens.ts';
export * from './storage/uploads.ts';
export * from './terminals/certificates.ts';
export * from './terminals/jump.ts';
export * from './terminals/recordings.ts';
export * from './terminals/sessions.ts';
