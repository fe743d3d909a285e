import type { Adapted } from '../adapter.ts';
import { type DistributionSettings, openDistribution } from './distribution.ts';
import type { Registry } from './port.ts';

/** Registries of `npm start`: those on this machine are asked without TLS as well. Everything else is as in production. */
export const openLocalRegistry = (settings: Omit<DistributionSettings, 'plain'>): Registry & Adapted =>
  openDistribution({ ...settings, plain: 'loopback' });
