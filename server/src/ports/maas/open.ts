import type { Clock } from '../../kernel/clock.ts';
import { systemClock } from '../../kernel/clock.ts';
import type { Ids } from '../../kernel/id.ts';
import { systemIds } from '../../kernel/id.ts';
import type { Adapted } from '../adapter.ts';
import { openMaasClient } from './maas.ts';
import type { Maas } from './port.ts';
import { openSimulatedMaas } from './simulated.ts';

/** `maas` reaches sites over https. `simulated` is for the simulated server of `npm start`: http on this machine as well. */
export type MaasConfig = { readonly kind: 'maas' | 'simulated'; readonly timeoutMs?: number };

const patienceMs = 30_000;

/** The only place that knows how machines of MAAS are reached. */
export const openMaas = async (
  config: MaasConfig,
  parts: { readonly clock: Clock; readonly ids: Ids } = { clock: systemClock, ids: systemIds },
): Promise<Maas & Adapted> => {
  const timeoutMs = config.timeoutMs ?? patienceMs;
  return config.kind === 'simulated'
    ? openSimulatedMaas({ timeoutMs }, parts)
    : openMaasClient({ plain: 'none', timeoutMs }, parts);
};
