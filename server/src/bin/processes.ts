import type { AnyProcess } from '../kernel/process.ts';
import { api } from './api/process.ts';
import { outboxRelay } from './outbox-relay/process.ts';
import { provisioningWorker } from './provisioning-worker/process.ts';

/** Every process there is, in the order in which they start, and the database role of each. */
export const processes: readonly {
  readonly spec: AnyProcess;
  readonly login: 'gpuaas_api' | 'gpuaas_worker' | 'gpuaas_relay';
}[] = [
  { spec: api, login: 'gpuaas_api' },
  { spec: outboxRelay, login: 'gpuaas_relay' },
  { spec: provisioningWorker, login: 'gpuaas_worker' },
];
