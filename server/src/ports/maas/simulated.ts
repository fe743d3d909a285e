import type { Adapted } from '../adapter.ts';
import { type ClientSettings, openMaasClient } from './maas.ts';
import type { Maas } from './port.ts';

/** Reaches the simulated region as well, which listens on this machine without TLS. Everything else is as in production. */
export const openSimulatedMaas = (
  settings: Omit<ClientSettings, 'plain'>,
  parts: Parameters<typeof openMaasClient>[1],
): Maas & Adapted => openMaasClient({ ...settings, plain: 'loopback' }, parts);
