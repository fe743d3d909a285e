import type { AnyProcess } from '../kernel/process.ts';
import { api } from './api/process.ts';
import { emailWorker } from './email-worker/process.ts';
import { outboxRelay } from './outbox-relay/process.ts';
import { provisioningWorker } from './provisioning-worker/process.ts';

/**
 * Every process there is, in the order in which they start, and the database role of each. Consumers come before the
 * relay: on an empty bus, what is published before a consumer has ever been there does not wait for it.
 */
export const processes: readonly {
  readonly spec: AnyProcess;
  readonly login: 'gpuaas_api' | 'gpuaas_worker' | 'gpuaas_relay';
}[] = [
  { spec: api, login: 'gpuaas_api' },
  { spec: provisioningWorker, login: 'gpuaas_worker' },
  { spec: emailWorker, login: 'gpuaas_worker' },
  { spec: outboxRelay, login: 'gpuaas_relay' },
];
