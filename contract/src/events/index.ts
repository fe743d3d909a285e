import type { EventKind } from '../event.ts';
import * as alerts from './alerts.ts';
import * as appInstances from './app-instances.ts';
import * as apps from './apps.ts';
import * as billing from './billing.ts';
import * as fleet from './fleet.ts';
import * as invoicing from './invoicing.ts';
import * as nodes from './nodes.ts';
import * as notifications from './notifications.ts';
import * as payments from './payments.ts';
import * as people from './people.ts';
import * as provisioning from './provisioning.ts';
import * as storage from './storage.ts';
import * as tenancy from './tenancy.ts';
import * as terminal from './terminal.ts';

export const events: readonly EventKind[] = [
  ...Object.values(alerts),
  ...Object.values(appInstances),
  ...Object.values(apps),
  ...Object.values(billing),
  ...Object.values(fleet),
  ...Object.values(invoicing),
  ...Object.values(nodes),
  ...Object.values(notifications),
  ...Object.values(payments),
  ...Object.values(people),
  ...Object.values(provisioning),
  ...Object.values(storage),
  ...Object.values(tenancy),
  ...Object.values(terminal),
].sort((a, b) => a.type.localeCompare(b.type));
export * from './alerts.ts';
export * from './app-instances.ts';
export * from './apps.ts';
export * from './billing.ts';
export * from './fleet.ts';
export * from './invoicing.ts';
export * from './nodes.ts';
export * from './notifications.ts';
export * from './payments.ts';
export * from './people.ts';
export * from './provisioning.ts';
export * from './storage.ts';
export * from './tenancy.ts';
export * from './terminal.ts';
