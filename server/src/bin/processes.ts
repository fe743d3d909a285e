import type { AnyProcess } from '../kernel/process/process.ts';
import { type Purpose, purposes } from '../kernel/secrets/keyring.ts';
import type { families } from '../ports/database/roles.ts';
import type { Store } from '../ports/open.ts';
import { api } from './api/process.ts';
import { appProxy } from './app-proxy/process.ts';
import { appRuntimeWorker } from './app-runtime-worker/process.ts';
import { billingWorker } from './billing-worker/process.ts';
import { emailWorker } from './email-worker/process.ts';
import { nodeLogGateway } from './node-log-gateway/process.ts';
import { notificationRelay } from './notification-relay/process.ts';
import { outboxRelay } from './outbox-relay/process.ts';
import { provisioningWorker } from './provisioning-worker/process.ts';
import { terminalGateway } from './terminal-gateway/process.ts';
import { webhookWorker } from './webhook-worker/process.ts';

/**
 * Every process there is, in the order in which they start, the database role of each and the purposes whose sealing keys
 * it needs. A process is given only the stores that it uses, where PostgreSQL carries them. Consumers come before the
 * relay: on an empty bus, what is published before a consumer has ever been there does not wait for it. Gateways ask the api, so
 * they come after it.
 */
export const processes: readonly {
  readonly spec: AnyProcess;
  /** Undefined: it has no business in PostgreSQL. */
  readonly login: (typeof families)[number] | undefined;
  readonly keys: readonly Purpose[];
  readonly stores: readonly Store[];
}[] = [
  { spec: api, login: 'gpuaas_api', keys: purposes, stores: ['cache', 'bus', 'sagas', 'payments'] },
  { spec: provisioningWorker, login: 'gpuaas_worker', keys: ['maas', 'task-signers'], stores: ['bus', 'sagas'] },
  { spec: appRuntimeWorker, login: 'gpuaas_worker', keys: ['task-signers'], stores: [] },
  { spec: emailWorker, login: 'gpuaas_mailer', keys: ['letters'], stores: ['bus', 'inbox'] },
  { spec: billingWorker, login: 'gpuaas_billing', keys: [], stores: ['payments'] },
  { spec: notificationRelay, login: 'gpuaas_notifier', keys: [], stores: ['bus', 'cache'] },
  { spec: webhookWorker, login: 'gpuaas_webhooks', keys: ['webhooks'], stores: ['bus'] },
  { spec: terminalGateway, login: undefined, keys: [], stores: [] },
  { spec: nodeLogGateway, login: undefined, keys: [], stores: [] },
  { spec: appProxy, login: undefined, keys: [], stores: [] },
  { spec: outboxRelay, login: 'gpuaas_relay', keys: [], stores: ['bus'] },
];
